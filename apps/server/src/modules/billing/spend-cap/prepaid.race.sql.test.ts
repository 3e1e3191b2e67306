import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCreditState, type Metering } from "#modules/metering/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { createBilledPlans } from "../billed-plans.ts";
import { closeDue } from "../closing/close-due.ts";
import { buyCredit } from "../credits/buy-credit.ts";
import { getCredits } from "../credits/get-credits.ts";
import { grantCredit } from "../credits/grant-credit.ts";
import { putAutomaticTopUp } from "../credits/set-automatic-top-up.ts";
import { topUpLowAccounts } from "../credits/top-up-low-accounts.ts";
import { putBillingDetails } from "../details/put-billing-details.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { advanceClock } from "../sandbox/advance-clock.ts";
import { act, recordUsage } from "../testing/billing.fixture.ts";
import { GERMAN_SELLER } from "../testing/taxed.fixture.ts";
import { putSpendCap } from "./change-spend-cap.ts";
import { CAPPED_METERS, publishCappedPlan } from "./spend-cap.fixture.ts";
import { type SpendingProcesses, startSpendingProcesses } from "./spending-processes.fixture.ts";

let database: TestDatabase;
let fleet: SpendingProcesses;

beforeAll(async () => {
  database = await createTestDatabase();
  await publishCappedPlan(createLiveServices(database));
  fleet = await startSpendingProcesses(database);
});
afterAll(async () => {
  await fleet.close();
  await database.close();
});

const grant = (tenantId: TenantId, amount: string, kind: "prepaid" | "promotional" = "prepaid") =>
  grantCredit(fleet.deps, OPERATOR_CONTEXT, {
    ...{ tenantId, environment: "live" as const, kind, amount, priority: 50, reason: "A test" },
  });

const stateOf = (tenantId: TenantId) =>
  fleet.deps.transact.asOperator((tx) => findCreditState(tx, tenantId));

async function leftOf(tenantId: TenantId): Promise<string | undefined> {
  const key = { tenantId, environment: "live" as const };
  return (await getCredits(fleet.deps, OPERATOR_CONTEXT, key)).draw?.left;
}

/** What invoices for usage came to, and what is due on them. */
async function sumInvoices(tenantId: TenantId) {
  const [row] = await database.sql<{ due: number; prepaid: number; promotional: number }[]>`
    select sum(total - from_balance - prepaid - paid - credited)::float8 as due, sum(prepaid)::float8 as prepaid,
      coalesce((select -sum(amount) from invoice_lines where tenant_id = ${tenantId} and kind = 'promotional'), 0)::float8
        as promotional
    from invoices where tenant_id = ${tenantId} and not document ? 'topUp'`;
  return row;
}

describe("guarantee: calls of a prepaid plan never pass the credit that they draw on", () => {
  it("with four meters of four price models on three processes: the invoice takes what was drawn, and nothing is due", async () => {
    const tenantId = await fleet.makeTenant("prepaid");
    // Without credit only what costs nothing passes.
    expect(await fleet.spendAll(tenantId)).toBe(140);
    await grant(tenantId, "2.50");
    await grant(tenantId, "1.50", "promotional");

    const passed = 140 + (await fleet.spendAll(tenantId));

    const state = await stateOf(tenantId);
    expect(state).toMatchObject({ credit: 400n, isEmpty: true });
    expect(state?.meters.map(({ unitsLeft }) => unitsLeft)).toEqual([0n, 0n, 0n, 0n]);
    const left = await leftOf(tenantId);
    const month = await fleet.closeMonth(tenantId);
    expect(month).toMatchObject({ units: passed, kinds: ["usage"] });
    const sum = await sumInvoices(tenantId);
    expect(sum).toMatchObject({ due: 0, promotional: 150 });
    expect(left).toBe(((250 - (sum?.prepaid ?? 0)) / 100).toFixed(2));
  });

  it("and go on at once when credit is paid for, also when it is bought by itself because of what calls have drawn", async () => {
    const tenantId = await fleet.makeTenant("prepaid");
    await fleet.spendAll(tenantId);
    let passed = 0;
    let isOver = false;
    async function keepCalling(process: Metering): Promise<void> {
      while (!isOver) {
        const [limit] = await fleet.limitsOf(tenantId);
        if (limit !== undefined && (await fleet.call(process, limit))) {
          passed += 1;
        }
      }
    }
    const callers = fleet.processes.map(keepCalling);
    const offer = { currency: "EUR", amounts: [], min: "1", max: "9" };
    const topUps = { isTaxed: false, offers: [offer] };
    const selling = { ...fleet.deps, billing: { ...fleet.deps.billing, topUps } };
    const key = { tenantId, environment: "live" as const };
    const wanted = { threshold: "1", amount: "2", monthLimit: "4" };
    await putAutomaticTopUp(selling, OPERATOR_CONTEXT, { ...key, ...wanted });
    const payTopUp = async () => {
      expect(await topUpLowAccounts(selling)).toBe(1);
      const [row] = await database.sql<{ invoice_id: string }[]>`
        select invoice_id from invoices where tenant_id = ${tenantId} and state = 'open'`;
      const invoiceId = row?.invoice_id ?? "";
      const payment = { invoiceId, amount: "2", reference: "top-up" };
      await recordPayment(selling, OPERATOR_CONTEXT, payment);
    };
    expect(passed).toBe(0);
    await payTopUp();
    await pollUntil("calls pass again", () => Promise.resolve(passed > 10));
    await pollUntil("the credit is spent", async () => (await stateOf(tenantId))?.isEmpty === true);
    // The ledger of credit says that 2.00 are left until the period is invoiced.
    await payTopUp();
    await pollUntil("it is spent again", async () => (await stateOf(tenantId))?.isEmpty === true);
    isOver = true;
    await Promise.all(callers);
    await fleet.settle();
    await fleet.closeMonth(tenantId);
    const sum = await sumInvoices(tenantId);
    expect(sum?.due).toBe(0);
    expect(sum?.prepaid).toBeGreaterThan(350);
  });

  it("together with a cap: the smaller one counts, and what is reported beyond credit is shown and not charged", async () => {
    const tenantId = await fleet.makeTenant("prepaid");
    await grant(tenantId, "5");
    await putSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId, amount: "1" });
    await fleet.spendAll(tenantId);
    expect(await stateOf(tenantId)).toMatchObject({ credit: 500n, isEmpty: false });
    await putSpendCap(fleet.deps, OPERATOR_CONTEXT, { tenantId, amount: null });
    await recordUsage(fleet.deps, {
      ...{ tenantId, at: fleet.deps.clock.now(), quantity: 5_000, meterId: "texts" },
    });
    expect(await fleet.spendAll(tenantId)).toBe(0);
    const month = await fleet.closeMonth(tenantId);
    expect(month.kinds).toEqual(["usage", "beyondCap"]);
    expect(await sumInvoices(tenantId)).toMatchObject({ due: 0 });
    expect(month.charged).toBeGreaterThan(495);
    expect(month.charged).toBeLessThanOrEqual(500);
  });

  it("and count their tax as it is now", async () => {
    const tenantId = await fleet.makeTenant("prepaid");
    await grant(tenantId, "1.19");
    const taxed = { ...fleet.deps, billing: { ...fleet.deps.billing, tax: GERMAN_SELLER } };
    const moveTo = async (country: string) => {
      await putBillingDetails(taxed, OPERATOR_CONTEXT, {
        ...{ tenantId, country, companyName: "Example", addressLines: [], postalCode: null },
        ...{ city: null, region: null, email: null, taxId: null },
      });
      await closeDue(taxed);
      return (await stateOf(tenantId))?.credit;
    };
    expect(await moveTo("DE")).toBe(100n);
    expect(await moveTo("US")).toBe(119n);
  });

  it.each([
    { credit: "40", unasked: 600, due: 0 },
    // 18.65 for 600 texts beyond the 40 that are included, of which credit pays for 5.00.
    { credit: "5", unasked: 600, due: 1_365 },
  ])(
    "also after a change from a plan that is paid afterwards, on which calls took no leases: %o",
    async ({ credit, unasked, due }) => {
      const tenantId = await fleet.makeTenant("postpaid");
      await grant(tenantId, credit);
      const limits = await fleet.limitsOf(tenantId);
      const texts = limits[CAPPED_METERS.indexOf("texts")] ?? expect.fail();
      fleet.callUnasked(texts, unasked / 6);
      await act(fleet.deps, { tenantId }, { do: "change", planId: "prepaid", when: "now" });
      // No process has heard of it yet, and what these calls used is not committed when others ask for leases.
      fleet.callUnasked(texts, unasked / 6);
      let drawn = await fleet.spendAll(tenantId);
      await pollUntil("credit is used up", async () => {
        drawn += await fleet.spendAll(tenantId);
        return (await stateOf(tenantId))?.isEmpty === true;
      });
      const month = await fleet.closeMonth(tenantId);
      // All that was let through is charged: what was used before is owed, and no call after it passed credit.
      expect(month).toMatchObject({ units: unasked + drawn, kinds: ["usage"] });
      expect(await sumInvoices(tenantId)).toMatchObject({ due });
      expect(drawn > 140).toBe(due === 0);
    },
  );

  it("nor those of test keys the credit of the sandbox, by its clock, and live calls draw on none of it", async () => {
    const tenantId = await fleet.makeTenant("unpriced");
    const key = { tenantId, environment: "test" as const };
    const inSandbox = () =>
      fleet.deps.transact.asOperator((tx) => findCreditState(tx, tenantId, "test"));
    await act(fleet.deps, key, { do: "subscribe", planId: "prepaid" });
    await grantCredit(fleet.deps, OPERATOR_CONTEXT, {
      ...{ ...key, kind: "prepaid", amount: "3", priority: 50, reason: "A test" },
    });
    const passed = await fleet.spendAll(tenantId, "test");
    expect(passed).toBeGreaterThan(140);
    expect(await inSandbox()).toMatchObject({ credit: 300n, isEmpty: true });
    const { draw } = await getCredits(fleet.deps, OPERATOR_CONTEXT, key);
    expect(draw).toMatchObject({ isEmpty: true });
    expect(draw?.meters).toHaveLength(CAPPED_METERS.length);
    expect(await stateOf(tenantId)).toBeUndefined();
    // Its month is over when its clock says so. What the first one took is gone, and units are included anew.
    const to = new Date(fleet.deps.clock.now().getTime() + 40 * 24 * 3600 * 1000).toISOString();
    await advanceClock(fleet.deps, OPERATOR_CONTEXT, { tenantId, to });
    const [invoice] = await database.sql<{ units: number; prepaid: number; due: number }[]>`
      select sum(l.quantity)::float8 as units, max(i.prepaid)::float8 as prepaid, max(i.total - i.prepaid)::float8 as due
      from invoices i join invoice_lines l using (invoice_id) where i.tenant_id = ${tenantId}`;
    expect(invoice).toMatchObject({ units: passed, due: 0 });
    expect(await inSandbox()).toMatchObject({
      credit: 300n - BigInt(invoice?.prepaid ?? 0),
      drawn: 0n,
    });
    expect(await fleet.spendAll(tenantId, "test")).toBeGreaterThanOrEqual(140);
  });

  it("and draw once while the account waits for an exchange rate after its period", async () => {
    const now = fleet.deps.clock.now();
    const at = (days: number) => new Date(now.getTime() - days * 24 * 3600 * 1000);
    const then = { ...fleet.deps, clock: { ...fleet.deps.clock, now: () => at(40) } };
    const { tenantId } = await createTenant(
      { ...then, plans: createBilledPlans(then) },
      OPERATOR_CONTEXT,
      { name: "Waiting", planId: "prepaid" },
    );
    await grantCredit(then, OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live" as const, kind: "prepaid", amount: "100" },
      ...{ priority: 50, reason: "A test" },
    });
    const offer = { currency: "EUR", amounts: [], min: "1", max: "9" };
    const selling = { ...fleet.deps.billing, topUps: { isTaxed: false, offers: [offer] } };
    const soon = { ...then, billing: selling, clock: { ...then.clock, now: () => at(12) } };
    const key = { tenantId, environment: "live" as const };
    const topUp = await buyCredit(soon, OPERATOR_CONTEXT, { ...key, amount: "1" });
    await recordUsage(fleet.deps, { tenantId, at: at(39), quantity: 1_040, meterId: "texts" });
    await recordUsage(fleet.deps, { tenantId, at: at(1), quantity: 540, meterId: "texts" });
    const accounting = { currency: currencyOf("PLN"), source: undefined };
    const rate = { currency: "EUR", rate: toScaled("4.25"), fromMs: at(1).getTime() };
    const taxed = { ...fleet.deps.billing, tax: GERMAN_SELLER };
    const close = async (rates: (typeof rate)[]) => {
      const billing = { ...taxed, accounting: { ...accounting, rates } };
      await closeDue({ ...fleet.deps, billing });
      return await stateOf(tenantId);
    };
    // 33.30 with their tax are taken from 100.00, as if they were invoiced; 16.65 are drawn since.
    const expected = { credit: 5_073n, drawn: 1_665n, left: 3_408n };
    expect(await close([])).toMatchObject(expected);
    const [held] = await database.sql`
      select from billing_accounts where tenant_id = ${tenantId} and held_since is not null`;
    expect(held).toBeDefined();
    const waiting = { ...taxed, accounting: { ...accounting, rates: [] } };
    const payment = { invoiceId: topUp.invoiceId, amount: "1", reference: "top-up" };
    await recordPayment({ ...fleet.deps, billing: waiting }, OPERATOR_CONTEXT, payment);
    expect(await stateOf(tenantId)).toMatchObject({ credit: 5_157n, left: 3_492n });
    await database.sql`update billing_accounts set due_at = now() where tenant_id = ${tenantId}`;
    expect(await close([rate])).toMatchObject({ credit: 5_157n, drawn: 1_665n, left: 3_492n });
  });
});
