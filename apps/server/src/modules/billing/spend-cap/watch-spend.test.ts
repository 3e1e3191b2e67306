import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { grantCredit } from "../credits/grant-credit.ts";
import { putCreditAlerts } from "../credits/put-credit-alerts.ts";
import { recordUsage, TEST_BILLING } from "../testing/billing.fixture.ts";
import { putSpendCap, setOperatorSpendCap } from "./change-spend-cap.ts";
import { getSpendCap } from "./get-spend-cap.ts";
import { publishCappedPlan } from "./spend-cap.fixture.ts";
import { watchSpend } from "./watch-spend.ts";

let database: TestDatabase;
let deps: BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = { ...createLiveServices(database), billing: TEST_BILLING };
  await publishCappedPlan(deps);
});
afterAll(() => database.close());

async function makeTenant(planId: string) {
  const plans = createBilledPlans(deps);
  const made = await createTenant({ ...deps, plans }, OPERATOR_CONTEXT, { name: "Told", planId });
  return made.tenantId;
}

describe("watchSpend", () => {
  it("sends each share of a cap once in a period, the highest that is new", async () => {
    const tenantId = await makeTenant("capped");
    const titles = async () => {
      const rows = await database.sql<{ title: string }[]>`
        select title from notifications where tenant_id = ${tenantId}
          and kind = 'spend_cap.threshold_reached' order by created_at`;
      return rows.map(({ title }) => title);
    };
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
  it("is told of at the lowest share that is reached, once until more is added, and changes the standing", async () => {
    const tenantId = await makeTenant("prepaid");
    const told = async () => {
      const rows = await database.sql<{ title: string }[]>`
        select title from notifications where tenant_id = ${tenantId}
          and kind = 'credit.threshold_reached' order by created_at, notification_id`;
      return rows.map(({ title }) => title);
    };
    const standing = async () =>
      (await getEntitlement(deps, OPERATOR_CONTEXT, { tenantId })).standing;
    const grant = (amount: string) =>
      grantCredit(deps, OPERATOR_CONTEXT, {
        ...{ tenantId, environment: "live" as const, kind: "prepaid", amount, priority: 50 },
        reason: "A test",
      });
    const use = (quantity: number) =>
      recordUsage(deps, { tenantId, at: deps.clock.now(), quantity, meterId: "texts" });
    // Without any credit calls are refused, which is no news to anyone who has not had any.
    await watchSpend(deps);
    expect([await told(), await standing()]).toEqual([[], "out_of_credit"]);
    await grant("10");
    expect(await standing()).toBe("current");
    await watchSpend(deps);
    // 160 beyond the 40 that are included come to 5.33.
    await use(200);
    await watchSpend(deps);
    await watchSpend(deps);
    expect(await told()).toEqual(["50% of the credit is left"]);
    await putCreditAlerts(deps, OPERATOR_CONTEXT, { tenantId, shares: [12, 0], below: "4.50" });
    await use(30);
    await watchSpend(deps);
    await watchSpend(deps);
    await use(80);
    await watchSpend(deps);
    await use(30);
    await watchSpend(deps);
    const first = await told();
    expect(first.slice(1)).toEqual([
      "3.67 EUR of credit is left",
      "12% of the credit is left",
      "The credit is used up",
    ]);
    expect(await standing()).toBe("out_of_credit");
    // It is lifted in the transaction that adds credit, of which the shares count anew.
    await grant("2");
    expect(await standing()).toBe("current");
    await watchSpend(deps);
    await use(100);
    await watchSpend(deps);
    expect((await told()).slice(first.length)).toEqual([
      "2.01 EUR of credit is left",
      "The credit is used up",
    ]);
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
