import { spendCap } from "@turnpike/contract/spend-cap";
import { EU_RATES } from "@turnpike/domain/billing/tax/eu-rates";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { getCredits } from "../credits/get-credits.ts";
import { grantCredit } from "../credits/grant-credit.ts";
import { putCreditAlerts } from "../credits/put-credit-alerts.ts";
import { tellOfCredit } from "../credits/watch-credit.ts";
import { recordUsage, TEST_BILLING } from "../testing/billing.fixture.ts";
import { GERMAN_SELLER } from "../testing/taxed.fixture.ts";
import { putSpendCap, setOperatorSpendCap } from "./change-spend-cap.ts";
import { getSpendCap } from "./get-spend-cap.ts";
import { publishCappedPlan } from "./spend-cap.fixture.ts";
import { watchSpend } from "./watch-spend.ts";

const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let deps: BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = { ...createLiveServices(database), billing: TEST_BILLING };
  await publishCappedPlan(deps);
});
afterAll(() => database.close());

async function makeTenant(planId: string, services = deps) {
  const plans = createBilledPlans(services);
  const input = { name: "Told", planId };
  return (await createTenant({ ...services, plans }, OPERATOR_CONTEXT, input)).tenantId;
}

const grantPrepaid = (tenantId: TenantId, amount: string, services = deps) =>
  grantCredit(services, OPERATOR_CONTEXT, {
    ...{ tenantId, environment: "live" as const, kind: "prepaid", amount, priority: 50 },
    reason: "A test",
  });

const use = (tenantId: TenantId, quantity: number) =>
  recordUsage(deps, { tenantId, at: deps.clock.now(), quantity, meterId: "texts" });

/** Titles of the notices that a tenant got, the oldest first. */
async function listTold(tenantId: TenantId, kind: string): Promise<string[]> {
  const rows = await database.sql<{ title: string }[]>`
    select title from notifications where tenant_id = ${tenantId} and kind = ${kind} order by created_at, notification_id`;
  return rows.map(({ title }) => title);
}

describe("watchSpend", () => {
  it("sends each share of a cap once in a period, the highest that is new", async () => {
    const tenantId = await makeTenant("capped");
    const titles = () => listTold(tenantId, "spend_cap.threshold_reached");
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "25.00", shares: [50, 80, 100] });
    // Fees are 10.00.
    expect(await watchSpend(deps)).toBe(0);
    await recordUsage(deps, { tenantId, at: deps.clock.now(), quantity: 345, meterId: "texts" });
    expect(await watchSpend(deps)).toBe(1);
    expect(await watchSpend(deps)).toBe(0);
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "20" });
    expect(await watchSpend(deps)).toBe(1);
    expect(await titles()).toEqual(["80% of the spend cap is used", "The spend cap is reached"]);
  });
});

describe("credit of a prepaid plan", () => {
  it("is in one notice at the lowest share that is reached, until more is added, and changes the standing", async () => {
    const tenantId = await makeTenant("prepaid");
    const told = () => listTold(tenantId, "credit.threshold_reached");
    const standing = async () =>
      (await getEntitlement(deps, OPERATOR_CONTEXT, { tenantId })).standing;
    // Without any credit calls are refused, which is no news to anyone who has not had any.
    await watchSpend(deps);
    expect([await told(), await standing()]).toEqual([[], "out_of_credit"]);
    await grantPrepaid(tenantId, "10");
    expect(await standing()).toBe("current");
    await watchSpend(deps);
    // 160 beyond the 40 that are included come to 5.33.
    await use(tenantId, 200);
    await watchSpend(deps);
    await watchSpend(deps);
    expect(await told()).toEqual(["50% of the credit is left"]);
    await putCreditAlerts(deps, OPERATOR_CONTEXT, { tenantId, shares: [12, 0], below: "4.50" });
    await use(tenantId, 30);
    await watchSpend(deps);
    await watchSpend(deps);
    await use(tenantId, 80);
    await watchSpend(deps);
    await use(tenantId, 30);
    await watchSpend(deps);
    const first = await told();
    expect(first.slice(1)).toEqual([
      "3.67 EUR of credit is left",
      "12% of the credit is left",
      "The credit is used up",
    ]);
    expect(await standing()).toBe("out_of_credit");
    // It is lifted in the transaction that adds credit, of which the shares count anew.
    await grantPrepaid(tenantId, "2");
    expect(await standing()).toBe("current");
    await watchSpend(deps);
    await use(tenantId, 100);
    await watchSpend(deps);
    expect((await told()).slice(first.length)).toEqual([
      "2.01 EUR of credit is left",
      "The credit is used up",
    ]);
  });

  it("sends one notice, as a person wants it who says so at that moment, and when it is gone at once", async () => {
    const tenantId = await makeTenant("prepaid");
    const quick = await makeTenant("prepaid");
    const told = (of: TenantId) => listTold(of, "credit.threshold_reached");
    await grantPrepaid(tenantId, "10");
    await watchSpend(deps);
    await use(tenantId, 200);
    await grantPrepaid(quick, "1");
    await use(quick, 70);
    const isTold = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const telling = deps.transact.asOperator(async (tx) => {
      expect(await tellOfCredit(deps, tx, tenantId)).toBe(true);
      isTold.resolve();
      await mayCommit.promise;
    });
    await isTold.promise;
    const shares = [50, 0];
    const setting = putCreditAlerts(deps, OPERATOR_CONTEXT, { tenantId, shares, below: null });
    await pollUntil("the person's wish waits", async () => {
      const [row] = await database.sql<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return (row?.waiting ?? 0) > 0;
    });
    mayCommit.resolve();
    await Promise.all([telling, setting]);
    await watchSpend(deps);
    await watchSpend(deps);
    expect(await told(tenantId)).toEqual(["50% of the credit is left"]);
    expect(await told(quick)).toEqual(["The credit is used up"]);
    const key = { tenantId, environment: "live" as const };
    expect((await getCredits(deps, OPERATOR_CONTEXT, key)).alerts.shares).toEqual(shares);
  });
});

describe("an account that waits for a rate of tax", () => {
  it("names the period that was to end in its notice, and says what credit is left", async () => {
    const taxRates = EU_RATES.filter(({ country }) => country === "FR");
    const tax = { ...GERMAN_SELLER, taxRates };
    const taxed = { ...deps, billing: { ...TEST_BILLING, tax } };
    const startMs = deps.clock.now().getTime() - 40 * DAY_MS;
    const after = (days: number) => new Date(startMs + days * DAY_MS);
    const on = (days: number) => ({ ...taxed, clock: { ...deps.clock, now: () => after(days) } });
    const capped = await makeTenant("postpaid", on(0));
    const prepaid = await makeTenant("prepaid", on(0));
    for (const tenantId of [capped, prepaid]) {
      await recordUsage(deps, { tenantId, at: after(1), quantity: 300, meterId: "texts" });
    }
    await putSpendCap(on(2), OPERATOR_CONTEXT, { tenantId: capped, amount: "18", shares: [100] });
    await grantPrepaid(prepaid, "30", on(0));
    await use(capped, 300);
    await use(prepaid, 300);
    await closeDue(taxed);
    const held = await database.sql`select from billing_accounts where held_since is not null`;
    expect(held).toHaveLength(2);
    await watchSpend(taxed);
    await watchSpend(taxed);
    const kind = "spend_cap.threshold_reached";
    expect(await listTold(capped, kind)).toEqual(["The spend cap is reached"]);
    const [notice] = await database.sql<{ body: string }[]>`
      select body from notifications where tenant_id = ${capped} and kind = ${kind}`;
    expect(notice?.body).toMatch(
      /in the period that ended on .* 20\d\d \(UTC\)\.\n.* until its invoice is issued or/,
    );
    const { period } = spendCap.parse(
      await getSpendCap(taxed, OPERATOR_CONTEXT, { tenantId: capped }),
    );
    expect(Date.parse(period?.to ?? "")).toBeLessThan(deps.clock.now().getTime());
    // 18.65 for all but the 40 that are included once, since the period has not turned, with the highest tax that is known.
    const key = { tenantId: prepaid, environment: "live" as const };
    expect(await getCredits(taxed, OPERATOR_CONTEXT, key)).toMatchObject({
      draw: { drawn: "22.38", left: "7.62" },
    });
  });
});

describe("the cap that counts", () => {
  it("is the smaller one of the tenant's and the operator's, and outlives a change of plan", async () => {
    const tenantId = await makeTenant("capped");
    await setOperatorSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "30", reason: "New" });
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "40.50" });
    const state = await getSpendCap(deps, OPERATOR_CONTEXT, { tenantId });
    expect(state).toMatchObject({
      cap: "30.00",
      tenantCap: "40.50",
      operatorCap: "30.00",
      currency: "EUR",
      period: { fees: "10.00", spent: "10.00", reserved: "10.00", isReached: false },
    });
    // 20.00 buy 600 texts of 0.0333 after 40 that are included: 600 come to 19.98.
    expect(state.period?.meters.find(({ meter }) => meter === "texts")?.unitsLeft).toBe("640");
    await setOperatorSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: null, reason: "Known" });
    const removed = await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: null });
    expect(removed).toMatchObject({ cap: null, period: null });
    const audits = await database.sql<{ count: number }[]>`
      select count(*)::int as count from audit_entries
      where tenant_id = ${tenantId} and action = 'spend_cap.changed'`;
    expect(audits[0]?.count).toBe(4);
  });

  it("waits for a tenant without a priced plan, and refuses parts of a cent", async () => {
    const tenantId = await makeTenant("unpriced");
    const put = await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "5" });
    expect(put).toMatchObject({ cap: "5.00", period: null });
    await expect(
      putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "5.005" }),
    ).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
  });
});
