import { toScaled } from "../money/decimal.ts";
import type { PlanTerms } from "./plan.ts";

export type OfferedPlan = { planId: string } & Pick<
  PlanTerms,
  "name" | "currency" | "pricePerMonth" | "rateLimits" | "quotas" | "scopes" | "isAddOn"
>;

/** A refused call, reduced to what another plan can change. */
export type RefusedCall = {
  /** The rate limits of its plan that had no room for it. */
  fullRates: readonly { name: string; limit: number; windowSeconds: number }[];
  meter: string;
  /** Units of the meter in this period including the call; undefined when unknown, because nothing caps them. */
  unitsInPeriod: number | undefined;
  /** True when a plan with these scopes would give the call the scopes that it needs. */
  hasScopes: (planScopes: readonly string[]) => boolean;
};

/** Compares decimal amounts such as "49" and "49.90" without rounding: negative when `a` is less. */
export function compareAmounts(a: string, b: string): number {
  const scaledA = toScaled(a);
  const scaledB = toScaled(b);
  return scaledA < scaledB ? -1 : scaledA > scaledB ? 1 : 0;
}

type RateLimit = RefusedCall["fullRates"][number];

/** The plan's limit that replaces the refusing one: by name, else by window. Without either there is no limit. */
function hasHigherRate(plan: OfferedPlan, full: RateLimit): boolean {
  const counterpart =
    plan.rateLimits.find((rateLimit) => rateLimit.name === full.name) ??
    plan.rateLimits.find((rateLimit) => rateLimit.windowSeconds === full.windowSeconds);
  return (
    counterpart === undefined ||
    counterpart.limit * full.windowSeconds > full.limit * counterpart.windowSeconds
  );
}

/** Usage of the period still counts under another plan. A new cap on an uncapped meter is never an improvement. */
function hasRoom(plan: OfferedPlan, { meter, unitsInPeriod }: RefusedCall): boolean {
  const quota = plan.quotas.find((candidate) => candidate.meter === meter);
  return (
    quota === undefined ||
    quota.kind === "soft" ||
    (unitsInPeriod !== undefined && quota.limit >= unitsInPeriod)
  );
}

function letsPass(plan: OfferedPlan, call: RefusedCall): boolean {
  return (
    call.fullRates.every((full) => hasHigherRate(plan, full)) &&
    hasRoom(plan, call) &&
    call.hasScopes(plan.scopes ?? [])
  );
}

/**
 * Finds the cheapest plan under which a refused call would have passed.
 *
 * @param plans - The public plans, in their newest versions. Add-ons replace no plan and are not offered.
 * @param current - The plan of the tenant. It is never offered, and only plans in its currency are compared.
 * @returns The first among equal prices; `undefined` when the call passes under no plan.
 */
export function findOffer<Plan extends OfferedPlan>(
  plans: readonly Plan[],
  current: { planId: string; currency: string },
  call: RefusedCall,
): Plan | undefined {
  let cheapest: Plan | undefined;
  for (const plan of plans) {
    const isCandidate =
      plan.planId !== current.planId &&
      plan.isAddOn !== true &&
      plan.currency === current.currency &&
      letsPass(plan, call);
    const isCheaper =
      cheapest === undefined || compareAmounts(plan.pricePerMonth, cheapest.pricePerMonth) < 0;
    if (isCandidate && isCheaper) {
      cheapest = plan;
    }
  }
  return cheapest;
}
