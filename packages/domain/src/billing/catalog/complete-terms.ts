import type { PlanTerms } from "../../catalog/plan.ts";
import { termsOfPhase } from "../../catalog/terms-of-phase.ts";
import { monthlyPrice } from "./monthly-price.ts";
import { type PlanSource, toBillingPlan } from "./to-billing-plan.ts";

/**
 * Adds to a plan with phases what readers of plans without phases need: the quotas of its first phase and its price a month.
 *
 * @throws {Error} Like `toBillingPlan`.
 */
export function completeTerms(source: Omit<PlanSource, "place">): PlanTerms {
  const { terms } = source;
  if (terms.phases === undefined) {
    return terms;
  }
  const plan = toBillingPlan({ ...source, place: 0 });
  return { ...terms, ...termsOfPhase(terms, 0), pricePerMonth: monthlyPrice(plan) };
}
