import type { PlanTerms } from "./plan.ts";

export type OfferedPlan = { planId: string } & Pick<
  PlanTerms,
  "name" | "currency" | "pricePerMonth" | "rateLimits" | "quotas" | "scopes"
>;

/** Why a call was refused, as far as another plan can mend it. */
export type Shortage =
  | { kind: "rate_limit"; name: string; limit: number; windowSeconds: number }
  | { kind: "quota"; meter: string; limit: number }
  | { kind: "scopes"; missing: readonly string[] };

/** Compares decimal amounts such as "49" and "49.90" without rounding: negative when `a` is less. */
export function compareAmounts(a: string, b: string): number {
  const [wholeA = "0", fractionA = ""] = a.split(".");
  const [wholeB = "0", fractionB = ""] = b.split(".");
  const digits = Math.max(fractionA.length, fractionB.length);
  const scaledA = BigInt(wholeA + fractionA.padEnd(digits, "0"));
  const scaledB = BigInt(wholeB + fractionB.padEnd(digits, "0"));
  return scaledA < scaledB ? -1 : scaledA > scaledB ? 1 : 0;
}

/** A plan's limit of the same name stands for the one that refused; else one of the same window; without either it is free. */
function hasHigherRate(plan: OfferedPlan, shortage: Shortage & { kind: "rate_limit" }): boolean {
  const counterpart =
    plan.rateLimits.find((rateLimit) => rateLimit.name === shortage.name) ??
    plan.rateLimits.find((rateLimit) => rateLimit.windowSeconds === shortage.windowSeconds);
  return (
    counterpart === undefined ||
    counterpart.limit * shortage.windowSeconds > shortage.limit * counterpart.windowSeconds
  );
}

function mends(plan: OfferedPlan, shortage: Shortage): boolean {
  switch (shortage.kind) {
    case "rate_limit":
      return hasHigherRate(plan, shortage);
    case "quota": {
      const quota = plan.quotas.find((candidate) => candidate.meter === shortage.meter);
      return quota === undefined || quota.kind === "soft" || quota.limit > shortage.limit;
    }
    case "scopes":
      return shortage.missing.every((scope) => plan.scopes?.includes(scope) === true);
    default:
      return shortage satisfies never;
  }
}

/**
 * Finds the cheapest plan under which a refused call would have been let through.
 *
 * @param plans - What is sold to everybody, in the newest version.
 * @param current - The plan that the tenant is on; it is never offered, and prices are compared in its currency alone.
 * @returns `undefined` when no plan mends it. Of equal prices the first.
 */
export function findOffer<Plan extends OfferedPlan>(
  plans: readonly Plan[],
  current: { planId: string; currency: string },
  shortage: Shortage,
): Plan | undefined {
  let cheapest: Plan | undefined;
  for (const plan of plans) {
    const isCandidate =
      plan.planId !== current.planId && plan.currency === current.currency && mends(plan, shortage);
    const isCheaper =
      cheapest === undefined || compareAmounts(plan.pricePerMonth, cheapest.pricePerMonth) < 0;
    if (isCandidate && isCheaper) {
      cheapest = plan;
    }
  }
  return cheapest;
}
