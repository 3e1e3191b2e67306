import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "#modules/tenants/index.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
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
