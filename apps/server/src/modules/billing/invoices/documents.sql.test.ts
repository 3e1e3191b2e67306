import { adjust } from "@turnpike/domain/billing/lifecycle/adjust";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT, type TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { openPricedBilling } from "../testing/billing.fixture.ts";
import { newestInvoice, type Subscriber, subscribeTenant } from "../testing/line-usage.fixture.ts";
import { createCreditNote } from "./create-credit-note.ts";
import { reconcileInvoices } from "./reconcile-invoices.ts";
import { recordPayment } from "./record-payment.ts";

let database: TestDatabase;
let deps: TestServices & BillingDeps;
let tenant: Subscriber;
beforeAll(async () => {
  ({ database, deps } = await openPricedBilling());
  tenant = await subscribeTenant(deps, "Frozen");
  const { invoiceId } = await newestInvoice(deps, tenant);
  await createCreditNote(deps, OPERATOR_CONTEXT, { invoiceId, reason: "Outage.", amount: "1" });
  await recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount: "2", reference: "part" });
});
afterAll(() => database.close());

const DOCUMENTS = [
  "invoices",
  "invoice_lines",
  "credit_notes",
  "invoice_payments",
  "billing_events",
] as const;

/** What may change of a document once it is there. */
const MUTABLE: Readonly<Record<string, readonly string[]>> = {
  invoices: ["state", "paid", "credited", "to_balance", "settled_at"],
  invoice_lines: ["credited", "is_returned"],
};

/** The code of PostgreSQL with which a statement of the owner is refused; undefined when it is not. */
async function codeOf(statement: string): Promise<string | undefined> {
  const undone = database.sql.begin(async (tx) => {
    await tx.unsafe(statement);
    throw new Error("undo");
  });
  const error: unknown = await undone.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return (error as { code?: string }).code;
}

describe("an issued document", () => {
  it("is frozen for the owner of the tables too: it is not deleted, and no other column changes", async () => {
    const columns = await database.sql<{ table: string; column: string; type: string }[]>`
      select table_name as table, column_name as column, data_type as type from information_schema.columns
      where table_schema = 'public' and table_name = any(${[...DOCUMENTS]}::text[])`;
    expect(columns.length).toBeGreaterThan(50);
    const changed: string[] = [];
    for (const { table, column, type } of columns) {
      const other = {
        text: `coalesce("${column}", '') || 'x'`,
        jsonb: `coalesce("${column}", '{}') || '{"x":1}'`,
        boolean: `not "${column}"`,
        "timestamp with time zone": `coalesce("${column}", now()) + interval '1 second'`,
      }[type];
      const code = await codeOf(
        `update ${table} set "${column}" = ${other ?? `coalesce("${column}", 0) + 1`}`,
      );
      if (code !== "TP409") {
        changed.push(`${table}.${column}`);
      }
    }
    const mutable = Object.entries(MUTABLE).flatMap(([table, names]) =>
      names.map((name) => `${table}.${name}`),
    );
    expect(changed.sort()).toEqual(mutable.sort());
    for (const table of DOCUMENTS) {
      expect(await codeOf(`delete from ${table}`), table).toBe("TP409");
      expect(await codeOf(`truncate ${table} cascade`), table).toBe("TP409");
    }
  });

  it("keeps what may change within its bounds", async () => {
    const violations = [
      "update invoices set credited = total + 1",
      "update invoices set paid = -1",
      "update invoices set state = 'draft'",
      "update invoice_lines set credited = -1",
    ];
    for (const statement of violations) {
      expect(await codeOf(statement), statement).toBe("23514");
    }
  });
});

describe("the numbers of a series", () => {
  it("have no gap and rise with the dates, also when transactions that took some fail", async () => {
    const tenants: TenantId[] = [];
    for (let count = 0; count < 3; count += 1) {
      tenants.push((await subscribeTenant(deps, `Numbered ${String(count)}`)).tenantId);
    }
    const charge = { amount: 100n, label: "One-off", taxClass: "standard" };
    const results = await Promise.allSettled(
      [...tenants, ...tenants, ...tenants].map((tenantId, index) =>
        changeAccount(deps, OPERATOR_CONTEXT, {
          key: { tenantId, environment: "live" },
          step: (account, { atMs }) => adjust(account, charge, { atMs, waits: false }),
          events: [],
          noteReason: "",
          // By now the invoice has its number.
          alsoWrites: async () => {
            if (index % 3 === 1) {
              await Promise.reject(new Error("fails late"));
            }
          },
        }),
      ),
    );
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(3);
    const [series] = await database.sql<{ numbers: number[]; rises: boolean }[]>`
      select array_agg(series_number::int order by series_number) as numbers,
        bool_and(issued_at >= before) as rises
      from (
        select series, series_number, issued_at,
          lag(issued_at, 1, '-infinity') over (partition by series order by series_number) as before
        from invoices where environment = 'live'
      ) documents
      group by series`;
    // One of each subscription, and of each charge that was made.
    const count = 1 + tenants.length + 6;
    expect(series?.numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(series?.rises).toBe(true);
    expect((await reconcileInvoices(deps, OPERATOR_CONTEXT)).findings).toEqual([]);
  });
});
