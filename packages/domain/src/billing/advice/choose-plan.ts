import type { ReplayedMonth } from "./replay-plan.ts";

/** A plan with what each month of the past comes to on it. */
export type TriedPlan = { readonly planId: string; readonly months: readonly ReplayedMonth[] };

/** Why a plan is recommended: it costs less, or it refuses nothing where the tenant's own plan refuses. */
export type ChoiceReason = "cheaper" | "refuses_nothing";

export type PlanChoice = {
  readonly planId: string;
  readonly reason: ChoiceReason;
  /** Minor units over all months; below 0 for one that costs more and refuses nothing. */
  readonly savingMinor: bigint;
};

/** What all months come to, in minor units. */
export function totalOf({ months }: TriedPlan): bigint {
  return months.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** True for a plan whose hard limits would have refused something. */
export function isBlocking({ months }: TriedPlan): boolean {
  return months.some(({ blocked }) => blocked.size > 0);
}

/**
 * Chooses the cheapest plan of those that would have refused nothing.
 *
 * @param input.refuses - True when the tenant's own plan did refuse usage: then a dearer one that refuses nothing is chosen, too.
 * @returns `undefined` when the own plan is best, or none refuses nothing.
 */
export function choosePlan(
  own: TriedPlan,
  others: readonly TriedPlan[],
  { refuses }: { refuses: boolean },
): PlanChoice | undefined {
  const [best] = others
    .filter((plan) => !isBlocking(plan))
    .toSorted((a, b) => Number(totalOf(a) - totalOf(b)));
  if (best === undefined) {
    return;
  }
  const savingMinor = totalOf(own) - totalOf(best);
  const isStuck = refuses || isBlocking(own);
  if (savingMinor > 0n) {
    return { planId: best.planId, reason: isStuck ? "refuses_nothing" : "cheaper", savingMinor };
  }
  return isStuck ? { planId: best.planId, reason: "refuses_nothing", savingMinor } : undefined;
}
