import { toScaled } from "../money/decimal.ts";
import type { PlanTerms } from "./plan.ts";
import type { PlanPhaseTerms, RateCardTerms } from "./plan-phase.ts";

const MONTH = { month: 1 };

function toFee({ pricePerMonth, quotas }: PlanTerms): RateCardTerms[] {
  if (toScaled(pricePerMonth) === 0n) {
    return [];
  }
  // Cards of one phase have keys of their own, and a meter may be called base.
  const key = quotas.some(({ meter }) => meter === "base") ? "base-fee" : "base";
  const price = { model: "flat", amount: pricePerMonth } as const;
  return [{ key, price, interval: MONTH, timing: "advance" }];
}

/**
 * The phases of a plan. A plan without any is one phase: its monthly price as a fee in advance, none when it is 0, and a card
 * without a price for each quota.
 */
export function phasesOf(terms: PlanTerms): PlanPhaseTerms[] {
  if (terms.phases !== undefined) {
    return terms.phases;
  }
  const quotas = terms.quotas.map(({ meter, kind, limit }) => ({
    key: meter,
    meter,
    interval: MONTH,
    entitlement: { kind, limit: String(limit) },
  }));
  return [{ rateCards: [...toFee(terms), ...quotas] }];
}
