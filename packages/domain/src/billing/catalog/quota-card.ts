import type { Quantity } from "../../pricing/price.ts";
import type { PeriodUnit } from "../../time/period.ts";
import { planInterval } from "../subscription/plan-interval.ts";
import type { CardEntitlement, PlanPhase, RateCard } from "./billing-plan.ts";

/** A card that caps a meter. */
export type QuotaCard = RateCard & {
  readonly meterId: string;
  readonly entitlement: CardEntitlement & {
    readonly kind: "hard" | "soft";
    readonly limit: Quantity;
  };
};

export function isQuotaCard(card: RateCard): card is QuotaCard {
  const { entitlement, meterId } = card;
  const isQuota = entitlement?.kind === "hard" || entitlement?.kind === "soft";
  return meterId !== undefined && isQuota && entitlement.limit !== undefined;
}

/** How often the quota of a card is refilled: as it says, else as often as it is charged, else as the plan is. */
export function refillOf(card: RateCard, phase: PlanPhase): PeriodUnit {
  return card.entitlement?.refill ?? card.interval ?? planInterval(phase);
}

/** How often the quotas of a phase are refilled, all together: publishing refuses several clocks in one phase. */
export function quotaRefillOf(phase: PlanPhase): PeriodUnit {
  const card = phase.cards.find(isQuotaCard);
  return card === undefined ? planInterval(phase) : refillOf(card, phase);
}
