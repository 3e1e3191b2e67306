import type { CardEntitlement } from "../billing/catalog/billing-plan.ts";
import type { PriceModel } from "../pricing/price.ts";
import type { CalendarUnit } from "../time/period.ts";

/** The most phases of a plan, cards of a phase and tiers of a price. All are read and priced at once. */
export const PLAN_PHASES_MAX = 12;
export const PHASE_CARDS_MAX = 60;
export const PRICE_TIERS_MAX = 50;

/** A tier of a price as it is stored. Decimals are texts, so that none is rounded. */
export type PriceTierTerms = {
  /** The last quantity of the tier, inclusive; null for the last tier. */
  upTo: string | null;
  unitAmount?: string | undefined;
  flatAmount?: string | undefined;
};

/** A price as it is stored: the members of its model, and bounds. `readPrice` refuses those of another model. */
export type PriceTerms = {
  model: PriceModel["model"];
  amount?: string | undefined;
  unitAmount?: string | undefined;
  tiers?: PriceTierTerms[] | undefined;
  size?: string | undefined;
  rate?: string | undefined;
  included?: string | undefined;
  minimum?: string | undefined;
  maximum?: string | undefined;
};

/** Exactly one member, such as `{ month: 1 }`. */
export type IntervalTerms = Partial<Record<CalendarUnit, number>>;

/** Exactly one member, such as `{ days: 14 }`. */
export type DurationTerms = Partial<Record<"days" | "weeks" | "months" | "years", number>>;

export type EntitlementTerms = {
  kind: CardEntitlement["kind"];
  /** Units for each refill of a quota, or the value of a `static` entitlement. */
  limit?: string | undefined;
  /** How often the quota is refilled; undefined for the interval of the card. */
  refill?: IntervalTerms | undefined;
};

/** A line of a plan as it is stored. */
export type RateCardTerms = {
  /** Unique in its phase. */
  key: string;
  /** What customers read; undefined for the key. */
  name?: string | undefined;
  /** The meter that it charges or caps; undefined for a fee. */
  meter?: string | undefined;
  price?: PriceTerms | undefined;
  interval?: IntervalTerms | undefined;
  timing?: "advance" | "arrears" | undefined;
  /** Seats of a fee, as a decimal; undefined for one. */
  quantity?: string | undefined;
  taxClass?: string | undefined;
  entitlement?: EntitlementTerms | undefined;
};

/** A phase of a plan as it is stored, in the format that `billing rehearse` plays. */
export type PlanPhaseTerms = {
  key?: string | undefined;
  name?: string | undefined;
  /** Undefined for the last phase, which does not end. */
  duration?: DurationTerms | undefined;
  /** The least that the plan charges for one period of its interval. */
  minimum?: string | undefined;
  taxClass?: string | undefined;
  rateCards: RateCardTerms[];
};
