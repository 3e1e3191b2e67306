import type { TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT, type TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { advanceClock } from "../sandbox/advance-clock.ts";
import { openPricedBilling } from "../testing/billing.fixture.ts";
import {
  closeMonth,
  DAY_MS,
  HOUR_MS,
  newestInvoice,
  type Subscriber,
  subscribeTenant,
} from "../testing/line-usage.fixture.ts";
import { createCreditNote } from "./create-credit-note.ts";
import { reconcileInvoices } from "./reconcile-invoices.ts";
import { recordPayment } from "./record-payment.ts";

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
let tenant: Subscriber;
let invoiceId: string;

beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
  tenant = await subscribeTenant(deps, "Metered");
  const limited = await subscribeTenant(deps, "Limited", { planId: "limited" });
  const sandbox = await subscribeTenant(deps, "Sandbox", { environment: "test" });
  await tenant.use({ afterMs: HOUR_MS, quantity: 300 });
  await limited.use({ afterMs: HOUR_MS, quantity: 130 });
  await sandbox.use({ afterMs: 0, quantity: 20 });
  const to = (days: number) => new Date(sandbox.startMs + days * DAY_MS).toISOString();
  await advanceClock(deps, OPERATOR_CONTEXT, { tenantId: sandbox.tenantId, to: to(20) });
  await sandbox.use({ afterMs: 0, quantity: 7 });
  await advanceClock(deps, OPERATOR_CONTEXT, { tenantId: sandbox.tenantId, to: to(40) });
  await closeMonth(deps);
  ({ invoiceId } = await newestInvoice(deps, tenant));
  await tenant.use({ afterMs: 2 * DAY_MS, quantity: 11 });
  await createCreditNote(deps, OPERATOR_CONTEXT, { invoiceId, reason: "Outage.", amount: "5" });
  await recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount: "3", reference: "part" });
  await closeMonth(deps);
});
afterAll(() => database.close());

const find = async () =>
  (await reconcileInvoices(deps, OPERATOR_CONTEXT)).findings.map(({ what, ledger, derived }) => [
    what,
    ledger,
    derived,
  ]);

/** Breaks a rule behind the back of the triggers, looks, and takes it back. */
async function findAfter(statement: string): Promise<string[][]> {
  let found: string[][] = [];
  const undone = database.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(statement);
    const transact = {
      ...services.transact,
      asOperatorSnapshot: <Result>(work: (inner: typeof tx) => Promise<Result>) => work(tx),
    };
    const { findings } = await reconcileInvoices({ transact }, OPERATOR_CONTEXT);
    found = findings.map(({ what, ledger, derived }) => [what, ledger, derived]);
    throw new Error("undo");
  });
  await expect(undone).rejects.toThrow("undo");
  return found;
}

describe("reconcile", () => {
  it("agrees with invoices of metered, limited, late and sandbox usage, with credits and payments", async () => {
    const { invoices } = await reconcileInvoices(deps, OPERATOR_CONTEXT);
    expect(await find()).toEqual([]);
    const [counted] = await database.sql<[{ count: number; kinds: string[] }]>`
      select (select count(*)::int from invoices) as count,
        array(select distinct kind from invoice_lines order by kind) as kinds`;
    expect(counted).toEqual({ count: invoices, kinds: ["base", "beyondCap", "late", "usage"] });
  });

  it("finds a line whose usage is not that of the ledger", async () => {
    const of = `where tenant_id = '${tenant.tenantId}'`;
    expect(
      await findAfter(`update ledger_entries set quantity = quantity + 1 ${of} and quantity = 300`),
    ).toEqual([["line of usage", "301 units", "300 units"]]);
    expect(await findAfter(`delete from ledger_entries ${of} and quantity = 11`)).toEqual([
      ["line of usage", "0 units", "11 units"],
    ]);
    expect(
      await findAfter(`update invoice_lines set quantity = 29 where kind = 'beyondCap'`),
    ).toEqual([["line of usage", "130 units", "129 units"]]);
    expect(
      await findAfter(
        `update ledger_entries set quantity = 8 where environment = 'test' and quantity = 7`,
      ),
    ).toEqual([["line of usage", "28 units", "27 units"]]);
  });

  it.each([
    ["lines of an invoice", "update invoice_lines set amount = amount + 1 where kind = 'late'"],
    ["taxes of an invoice", "update invoices set tax = 1, total = total + 1 where credited > 0"],
    ["credit notes of an invoice", "update invoices set credited = 0 where credited > 0"],
    ["credited lines of an invoice", "update invoice_lines set credited = 1 where kind = 'late'"],
    ["payments of an invoice", "delete from invoice_payments"],
    ["series of documents", "update document_series set next = next + 1 where series like 'CN-%'"],
    [
      "charged stretch",
      "update billed_periods set to_at = to_at + interval '1 minute' where from_at = (select min(from_at) from billed_periods where run = 0 or run = 1)",
    ],
  ])("finds drift: %s", async (what, statement) => {
    expect((await findAfter(statement)).map(([kind]) => kind)).toContain(what);
  });
});
