import type { PlanTerms } from "./plan.ts";

export type OfferedPlan = { planId: string } & Pick<
  PlanTerms,
  "name" | "currency" | "pricePerMonth" | "rateLimits" | "quotas" | "scopes"
>;

/** A call that was refused, as far as another plan can let it pass. */
export type RefusedCall = {
  /** The rate limits of its plan that had no room for it. */
  fullRates: readonly { name: string; limit: number; windowSeconds: number }[];
  meter: string;
  /** Units of the meter in this period together with the call; undefined when they are not known, as nothing caps them. */
  unitsInPeriod: number | undefined;
  /** Whether a plan that allows these scopes lets the call have those that it needs. */
  hasScopes: (planScopes: readonly string[]) => boolean;
};

/** Compares decimal amounts such as "49" and "49.90" without rounding: negative when `a` is less. */
export function compareAmounts(a: string, b: string): number {
  const [wholeA = "0", fractionA = ""] = a.split(".");
  const [wholeB = "0", fractionB = ""] = b.split(".");
  const digits = Math.max(fractionA.length, fractionB.length);
  const scaledA = BigInt(wholeA + fractionA.padEnd(digits, "0"));
  const scaledB = BigInt(wholeB + fractionB.padEnd(digits, "0"));
  return scaledA < scaledB ? -1 : scaledA > scaledB ? 1 : 0;
}

type RateLimit = RefusedCall["fullRates"][number];

/** A plan's limit of the same name stands for the one that refused; else one of the same window; without either it is free. */
function hasHigherRate(plan: OfferedPlan, full: RateLimit): boolean {
  const counterpart =
    plan.rateLimits.find((rateLimit) => rateLimit.name === full.name) ??
    plan.rateLimits.find((rateLimit) => rateLimit.windowSeconds === full.windowSeconds);
  return (
    counterpart === undefined ||
    counterpart.limit * full.windowSeconds > full.limit * counterpart.windowSeconds
  );
}

/** What was used in the period stays used under another plan. A cap on what is not capped now is never taken for more. */
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
 * Finds the cheapest plan under which a refused call would have been let through.
 *
 * @param plans - What is sold to everybody, in the newest version.
 * @param current - The plan that the tenant is on; it is never offered, and prices are compared in its currency alone.
 * @returns `undefined` when no plan lets it pass. Of equal prices the first.
 */
export function findOffer<Plan extends OfferedPlan>(
  plans: readonly Plan[],
  current: { planId: string; currency: string },
  call: RefusedCall,
): Plan | undefined {
  let cheapest: Plan | undefined;
  for (const plan of plans) {
    const isCandidate =
      plan.planId !== current.planId && plan.currency === current.currency && letsPass(plan, call);
    const isCheaper =
      cheapest === undefined || compareAmounts(plan.pricePerMonth, cheapest.pricePerMonth) < 0;
    if (isCandidate && isCheaper) {
      cheapest = plan;
    }
  }
  return cheapest;
}
