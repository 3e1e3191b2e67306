import { describe, expect, it } from "vitest";
import { SCALE } from "../../money/decimal.ts";
import type { BillingPlan, PhaseDuration, PlanPhase } from "../catalog/billing-plan.ts";
import { firstPricedMs, isTrial, phaseAt } from "./phases.ts";
import { isSameInterval } from "./plan-interval.ts";

const MONTH: PhaseDuration = { in: "months", count: 1 };

function phase(duration: PhaseDuration | undefined, isPriced: boolean): PlanPhase {
  const card = {
    key: "base",
    place: 0,
    meterId: undefined,
    price: isPriced ? ({ model: "flat", amount: SCALE } as const) : undefined,
    interval: "month",
    timing: "advance",
    quantity: SCALE,
    taxClass: "standard",
    entitlement: undefined,
  } as const;
  return { duration, minimum: undefined, taxClass: "standard", cards: [card] };
}

function plan(...phases: PlanPhase[]): BillingPlan {
  return { planId: "p", place: 0, phases };
}

const day = (text: string) => Date.parse(text);
const startMs = day("2025-08-31");

describe("phaseAt", () => {
  it.each([
    ["2025-08-31", 0],
    ["2025-09-29", 0],
    ["2025-09-30", 1],
    ["2025-10-30", 1],
    ["2025-10-31", 2],
  ])("counts months from where they began, so the 31st comes back: on %s phase %i", (at, index) => {
    const of = plan(phase(MONTH, true), phase(MONTH, true), phase(undefined, true));
    expect(phaseAt(of, { startMs, atMs: day(at), skipsHead: false }).index).toBe(index);
  });

  it("gives no trial again once a phase with prices has begun", () => {
    const of = plan(phase({ in: "days", count: 60 }, false), phase(undefined, true));
    const at = { startMs, atMs: day("2025-09-10") };
    expect(phaseAt(of, { ...at, skipsHead: false }).index).toBe(0);
    expect(phaseAt(of, { ...at, skipsHead: true }).index).toBe(1);
  });

  it("leaves a free plan alone: there is nothing to skip to", () => {
    const of = plan(phase(undefined, false));
    expect(phaseAt(of, { startMs, atMs: startMs, skipsHead: true }).index).toBe(0);
    expect(firstPricedMs(of, startMs)).toBeUndefined();
    expect(of.phases.map(isTrial)).toEqual([false]);
  });

  it("finds where the first period with a price begins", () => {
    const of = plan(phase({ in: "days", count: 14 }, false), phase(undefined, true));
    expect(firstPricedMs(of, startMs)).toBe(day("2025-09-14"));
    expect(of.phases.map(isTrial)).toEqual([true, false]);
  });
});

describe("isSameInterval", () => {
  it.each([
    [{ every: 12, unit: "month" }, "year", true],
    [{ every: 7, unit: "day" }, "week", true],
    ["quarter", { every: 3, unit: "month" }, true],
    ["month", { every: 30, unit: "day" }, false],
    ["month", "year", false],
  ] as const)("%j and %j: %s", (a, b, isSame) => {
    expect(isSameInterval(a, b)).toBe(isSame);
  });
});
