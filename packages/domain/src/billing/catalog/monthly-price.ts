import { fromScaled } from "../../money/decimal.ts";
import { divideHalfAway } from "../../money/exact.ts";
import { monthlyCost } from "../subscription/plan-interval.ts";
import type { BillingPlan } from "./billing-plan.ts";

/**
 * What the fees of a plan's last phase come to in a month, for lists.
 *
 * @returns A decimal in major units, rounded to 12 places: "49.9". "0" for a plan without fees.
 */
export function monthlyPrice(plan: BillingPlan): string {
  const { numerator, denominator } = monthlyCost(plan, (_, standard) => standard);
  return fromScaled(divideHalfAway(numerator, denominator));
}
