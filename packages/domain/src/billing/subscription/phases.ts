import { period } from "../../time/period.ts";
import { type BillingPlan, hasPrices, type PlanPhase } from "../catalog/billing-plan.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A phase of a plan in time. */
export type PhaseInForce = {
  readonly index: number;
  readonly phase: PlanPhase;
  readonly fromMs: number;
  /** Undefined for the last phase. */
  readonly toMs: number | undefined;
};

/** Months are counted from where a run of them began, so that the 31st comes back. */
function listPhases(plan: BillingPlan, startMs: number): PhaseInForce[] {
  let monthsFromMs = startMs;
  let months = 0;
  let fromMs = startMs;
  return plan.phases.map((phase, index) => {
    const { duration } = phase;
    let toMs: number | undefined;
    if (duration?.in === "months") {
      months += duration.count;
      const unit = { every: months, unit: "month" } as const;
      toMs = period(new Date(monthsFromMs), unit, 0).end.getTime();
    } else if (duration !== undefined) {
      toMs = fromMs + duration.count * DAY_MS;
      monthsFromMs = toMs;
      months = 0;
    }
    const inForce = { index, phase, fromMs, toMs };
    fromMs = toMs ?? fromMs;
    return inForce;
  });
}

/**
 * Finds the phase of a plan that is in force. Phases are counted from the start of the subscription, also after a change.
 *
 * @param input.skipsHead - True once a phase with prices has begun: then a trial at the head of the plan is not given again.
 */
export function phaseAt(
  plan: BillingPlan,
  { startMs, atMs, skipsHead }: { startMs: number; atMs: number; skipsHead: boolean },
): PhaseInForce {
  const phases = listPhases(plan, startMs);
  const first = skipsHead ? Math.max(0, plan.phases.findIndex(hasPrices)) : 0;
  const found = phases.find(
    ({ index, toMs }) => index >= first && (toMs === undefined || atMs < toMs),
  );
  if (found === undefined) {
    throw new RangeError(`The plan ${plan.planId} has no phase without an end.`);
  }
  return found;
}

/** The start of the first phase with prices; `undefined` for a free plan. */
export function firstPricedMs(plan: BillingPlan, startMs: number): number | undefined {
  return listPhases(plan, startMs).find(({ phase }) => hasPrices(phase))?.fromMs;
}

/** A trial is a phase without prices that ends. */
export function isTrial(phase: PlanPhase): boolean {
  return phase.duration !== undefined && !hasPrices(phase);
}
