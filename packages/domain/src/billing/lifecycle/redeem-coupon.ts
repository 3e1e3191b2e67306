import type { Account } from "../account/account.ts";
import type { Coupon } from "../invoices/coupon.ts";
import { StepRefused } from "../steps/step.ts";

/** The most coupons that one customer has redeemed: each is looked at for each line. */
const COUPONS_MAX = 50;

/**
 * Redeems a coupon of the catalogue: it lowers the invoices from the next one on.
 *
 * @throws {StepRefused} When the customer has redeemed it before, or too many.
 */
export function redeemCoupon(account: Account, coupon: Coupon): Account {
  if (
    account.coupons.some(({ couponId }) => couponId !== undefined && couponId === coupon.couponId)
  ) {
    throw new StepRefused("bad_value", "This coupon is redeemed already.");
  }
  if (account.coupons.length >= COUPONS_MAX) {
    throw new StepRefused("bad_value", `At most ${String(COUPONS_MAX)} coupons can be redeemed.`);
  }
  return { ...account, coupons: [...account.coupons, coupon] };
}
