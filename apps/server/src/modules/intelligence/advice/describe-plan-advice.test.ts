import type { PlanAdvice, TriedPlanAdvice } from "@turnpike/contract/advice";
import { toId } from "@turnpike/domain/ids/ids";
import { expect, it } from "vitest";
import { describePlanAdvice } from "./describe-plan-advice.ts";

const MONTH = { from: "2026-01-01T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" };
const plan = (name: string, total: string, saving: string): TriedPlanAdvice => ({
  ...{ planId: name.toLowerCase(), version: 1, name, isOwn: name === "Own", total, saving },
  ...{ blocked: [], months: [] },
});

function advise(total: string, saving: string, more: Partial<PlanAdvice> = {}): PlanAdvice {
  return {
    tenantId: toId("tenant", "0199f3b0c1d27a4e8f60112233445500"),
    asOf: "2026-03-02T00:00:00.000Z",
    currency: "USD",
    state: "advice",
    months: [MONTH, MONTH],
    plans: [plan("Own", total, "0.00"), plan("Other", "1.00", saving)],
    recommended: { planId: "other", reason: "cheaper", saving },
    refused: 0,
    quotas: [],
    spendCap: null,
    ...more,
  };
}

const QUOTA = {
  ...{ meter: "requests", name: "Requests", unit: "request", kind: "hard" as const },
  ...{ limit: "10000", most: "900", share: 0.09 },
};

it("tells of a saving from a tenth and five dollars on, after two months, and else of what goes unused", () => {
  const told = (total: string, saving: string, more?: Partial<PlanAdvice>) =>
    describePlanAdvice(advise(total, saving, more));
  expect(told("50.00", "5.00")).toBe(
    "Other would have cost 5.00 USD (10%) less over the last 2 months, with no call denied.",
  );
  expect(told("50.01", "5.00")).toBeUndefined();
  expect(told("40.00", "4.99")).toBeUndefined();
  expect(told("5000", "500", { currency: "JPY" })).toContain("500 JPY (10%) less");
  expect(told("50.00", "5.00", { months: [MONTH] })).toBeUndefined();
  expect(told("40.00", "4.00", { quotas: [{ ...QUOTA, share: 0.5 }, QUOTA] })).toBe(
    "At most 900 (9%) of the plan’s 10,000 requests were used in each of the last 2 months: a smaller plan may be enough.",
  );
  // A plan without a price need not be smaller.
  expect(told("0.00", "0.00", { recommended: null, quotas: [QUOTA] })).toBeUndefined();
  const stuck = { planId: "other", reason: "refuses_nothing" as const, saving: "-7.00" };
  expect(told("50.00", "", { recommended: stuck })).toBe(
    "On Other no call would have been denied in the last 2 months; it would have cost 7.00 USD more.",
  );
});
