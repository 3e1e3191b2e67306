import type { Aggregation } from "../../catalog/meter.ts";
import type { Picos } from "../../money/exact.ts";
import type { Price, Quantity } from "../../pricing/price.ts";
import type { PeriodUnit } from "../../time/period.ts";

export type BillingMeter = {
  readonly meterId: string;
  readonly aggregation: Aggregation;
  /** The highest value of one event; without it a meter that sums has no worst case. */
  readonly valueMax: Quantity | undefined;
};

export const ENTITLEMENT_KINDS = ["hard", "soft", "static", "boolean"] as const;

export type CardEntitlement = {
  readonly kind: (typeof ENTITLEMENT_KINDS)[number];
  /** Units for each refill; undefined without a limit. */
  readonly limit: Quantity | undefined;
  /** How often the quota is refilled; undefined for the card's interval. */
  readonly refill: PeriodUnit | undefined;
};

/** One line of a plan: usage of a meter, or a fee when it has no meter. */
export type RateCard = {
  readonly key: string;
  /** What customers read; undefined for the key. */
  readonly name?: string | undefined;
  /** Place in its phase, which orders lines. */
  readonly place: number;
  readonly meterId: string | undefined;
  readonly price: Price | undefined;
  readonly interval: PeriodUnit | undefined;
  /** Usage is always charged in arrears. */
  readonly timing: "advance" | "arrears";
  /** Seats of a fee, unless the subscription has another number. */
  readonly quantity: Quantity;
  readonly taxClass: string;
  readonly entitlement: CardEntitlement | undefined;
};

export type PhaseDuration = { readonly in: "months" | "days"; readonly count: number };

export type PlanPhase = {
  /** Undefined for the last phase, which does not end. */
  readonly duration: PhaseDuration | undefined;
  /** The least that the plan charges for one period of its interval. */
  readonly minimum: Picos | undefined;
  readonly taxClass: string;
  readonly cards: readonly RateCard[];
};

export type BillingPlan = {
  readonly planId: string;
  /** Place in the catalogue, which orders the lines of add-ons. */
  readonly place: number;
  /** True when usage draws on credit as it happens; left out for no. */
  readonly isPrepaid?: boolean;
  readonly phases: readonly PlanPhase[];
};

export type BillingCatalog = {
  readonly meters: ReadonlyMap<string, BillingMeter>;
  readonly plans: ReadonlyMap<string, BillingPlan>;
};

/** A card with a price and an interval, which makes lines. */
export type PricedCard = RateCard & { readonly price: Price; readonly interval: PeriodUnit };

export function isPriced(card: RateCard): card is PricedCard {
  return card.price !== undefined && card.interval !== undefined;
}

/** A phase without prices is a trial when it has a duration, else a free plan. */
export function hasPrices(phase: PlanPhase): boolean {
  return phase.cards.some(({ price }) => price !== undefined);
}
