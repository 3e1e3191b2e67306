/** The most coupons of an installation. */
export const COUPONS_MAX = 1_000;

/** A discount that customers redeem. What it gives never changes: a new promise is a new coupon. */
export type CouponDefinition = {
  /** Slug, unique. */
  couponId: string;
  name: string;
  /** Above 0, at most 100, as a decimal; either this or `amount`. */
  percent?: string | undefined;
  /** Off each period, in major units, as a decimal. */
  amount?: string | undefined;
  /** ISO 4217, of `amount`. */
  currency?: string | undefined;
  /** How many periods it holds; undefined for all. */
  periods?: number | undefined;
  /** Lowers the lines of these cards only; undefined for the whole invoice. */
  cards?: string[] | undefined;
  /** Until when it can be redeemed, as ISO 8601 in UTC; undefined for always. */
  redeemBy?: string | undefined;
  /** By how many customers it can be redeemed; undefined for any number. */
  maxRedemptions?: number | undefined;
};
