import { catalogInput } from "@turnpike/contract/catalog";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { period, startOfMonth } from "@turnpike/domain/time/period";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { act, recordUsage, toBillingDeps } from "#modules/billing/testing/billing.fixture.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { createForecasterHere } from "../forecasts/forecaster.ts";
import { advisePlans } from "./advise-plans.ts";
import { findPlanAdvice } from "./find-plan-advice.ts";

const MONTH = { month: 1 };
const fee = (amount: string) => ({
  key: "base",
  price: { model: "flat", amount },
  interval: MONTH,
  timing: "advance",
});
const requests = (price: object, more: object = {}) => ({
  key: "requests",
  meter: "requests",
  price,
  interval: MONTH,
  timing: "arrears",
  ...more,
});
const perUnit = (unitAmount: string, included: string) => ({
  model: "per_unit",
  unitAmount,
  included,
});
const plan = (planId: string, rateCards: object[], more: object = {}) => ({
  planId,
  name: planId,
  phases: [{ rateCards }],
  ...more,
});
const PLANS = [
  plan("basic", [fee("10"), requests(perUnit("0.5", "100"))]),
  plan("flat", [fee("60"), requests(perUnit("0.1", "1000"))]),
  plan("small", [
    fee("1"),
    requests(perUnit("0.01", "10"), { entitlement: { kind: "hard", limit: "150" } }),
  ]),
  plan("secret", [fee("0.5")], { visibility: "private" }),
  plan("yen", [fee("1")], { currency: "JPY" }),
  plan("more", [fee("0.1")], { isAddOn: true }),
];

let database: TestDatabase;
let deps: ReturnType<typeof openDeps>;
function openDeps() {
  return { ...toBillingDeps(createTestServices(database)), forecaster: createForecasterHere() };
}
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openDeps();
  await createTestTenant(deps);
  await applyCatalog(deps, OPERATOR_CONTEXT, catalogInput.parse({ plans: PLANS }));
});
afterAll(() => database.close());

/** In the middle of a month that is over: 1 is the last one. */
async function use(tenantId: TenantId, monthsAgo: number, quantity: number): Promise<void> {
  const { start } = period(startOfMonth(deps.clock.now()), "month", -monthsAgo);
  const at = new Date(start.getTime() + 14 * 24 * 60 * 60_000);
  await recordUsage(deps, { tenantId, at, quantity });
}

describe("advice on plans", () => {
  it("tries public plans with what was used, and recommends the cheapest that would have refused nothing", async () => {
    const { tenantId, context } = await createTestTenant(deps, "Look-alike");
    const twin = await createTestTenant(deps, "Look-alike");
    await act(deps, { tenantId }, { do: "subscribe", planId: "basic" });
    for (const [monthsAgo, quantity] of [
      [3, 100],
      [2, 300],
      [1, 200],
    ] as const) {
      await use(tenantId, monthsAgo, quantity);
      await use(twin.tenantId, monthsAgo, 7);
    }
    const advice = await advisePlans(deps, context, { tenantId });
    expect(advice).toMatchObject({ state: "advice", currency: "USD", refused: 0 });
    expect(advice.months).toHaveLength(3);
    const shown = advice.plans.map(({ planId, total, saving, months }) => ({
      planId,
      total,
      saving,
      months: months.map(({ amount }) => amount),
    }));
    expect(shown.filter(({ planId }) => ["basic", "flat", "small"].includes(planId))).toEqual([
      { planId: "basic", total: "180.00", saving: "0.00", months: ["10.00", "110.00", "60.00"] },
      { planId: "small", total: "6.70", saving: "173.30", months: ["1.90", "2.40", "2.40"] },
      { planId: "flat", total: "180.00", saving: "0.00", months: ["60.00", "60.00", "60.00"] },
    ]);
    expect(advice.plans[0]).toMatchObject({ isOwn: true, blocked: [] });
    const small = advice.plans.find(({ planId }) => planId === "small");
    expect(small?.blocked).toEqual([
      { meter: "requests", name: "Requests", unit: "request", quantity: "200" },
    ]);
    const ids = advice.plans.map(({ planId }) => planId);
    expect(ids).not.toEqual(expect.arrayContaining(["secret"]));
    expect(ids.filter((id) => id === "yen" || id === "more")).toEqual([]);
    // The plans that come with the product: free has room for all of it.
    expect(advice.recommended).toEqual({ planId: "free", reason: "cheaper", saving: "180.00" });
    expect(advice.quotas).toEqual([
      {
        meter: "requests",
        name: "Requests",
        unit: "request",
        kind: "included",
        limit: "100",
        most: "300",
        share: 3,
      },
    ]);
    expect(advice.spendCap).toBe("170.00");
    expect(await advisePlans(deps, OPERATOR_CONTEXT, { tenantId })).toEqual(advice);

    const other = await advisePlans(deps, twin.context, { tenantId: twin.tenantId });
    expect(other.quotas[0]).toMatchObject({ kind: "hard", most: "7" });
    expect(other.recommended).toBeNull();
    expect(await refusalOf(advisePlans(deps, twin.context, { tenantId }))).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
    });
  });

  it("is one quiet insight a month, for a tenth and five dollars at least, and ends with a change of plan", async () => {
    const saver = await createTestTenant(deps, "Saver");
    const free = await createTestTenant(deps, "Saver");
    const told = async (tenantId: TenantId) =>
      (await findPlanAdvice(deps, tenantId)).map(({ kind, fingerprint, facts }) => [
        kind,
        fingerprint.split(" ")[1],
        facts.text,
        facts.action,
      ]);
    await act(deps, { tenantId: saver.tenantId }, { do: "subscribe", planId: "basic" });
    for (const monthsAgo of [2, 1]) {
      await use(saver.tenantId, monthsAgo, 300);
      await use(free.tenantId, monthsAgo, 300);
    }
    const month = startOfMonth(deps.clock.now()).toISOString().slice(0, 10);
    const first = await told(saver.tenantId);
    expect(first).toEqual([
      [
        "plan_advice",
        month,
        "Free would have cost 220.00 USD (100%) less over the last 2 months, with no call denied.",
        { do: "change_plan" },
      ],
    ]);
    // Kept for the month: what was used since changes nothing.
    await use(saver.tenantId, 1, 5_000_000);
    expect(await told(saver.tenantId)).toEqual(first);
    expect(await told(free.tenantId)).toEqual([]);
    const { tenantId } = saver;
    await act(deps, { tenantId }, { do: "change", planId: "flat", when: "now" });
    expect(await told(tenantId)).not.toEqual(first);
  });

  it("says that it waits for a month that is over", async () => {
    const { tenantId, context } = await createTestTenant(deps, "New");
    await recordUsage(deps, { tenantId, at: deps.clock.now(), quantity: 5 });
    expect(await advisePlans(deps, context, { tenantId })).toMatchObject({
      state: "not_enough_history",
      months: [],
      plans: [],
      recommended: null,
    });
  });
});
