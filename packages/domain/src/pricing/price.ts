import type { Picos } from "../money/exact.ts";

/** Quantities are scaled by 10^12: one unit is 1_000_000_000_000n. */
export type Quantity = bigint;

export type PriceTier = {
  /** The last quantity of the tier, inclusive; null for the last tier, which is open. */
  readonly upTo: Quantity | null;
  readonly unitAmount: Picos;
  /** Due as soon as the tier is entered, that of the first tier at 0 as well. */
  readonly flatAmount: Picos;
};

export type PriceModel =
  | { readonly model: "flat"; readonly amount: Picos }
  | { readonly model: "per_unit"; readonly unitAmount: Picos }
  | { readonly model: "graduated" | "volume"; readonly tiers: readonly PriceTier[] }
  | { readonly model: "package"; readonly amount: Picos; readonly size: Quantity }
  /** `rate` is in per cent, scaled by 10^12. */
  | { readonly model: "percentage"; readonly rate: bigint };

/** A price of one period. The bounds are for metered cards. */
export type Price = PriceModel & {
  readonly included?: Quantity;
  readonly minimum?: Picos;
  readonly maximum?: Picos;
};
