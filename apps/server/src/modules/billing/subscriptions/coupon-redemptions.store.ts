import type { Tx } from "@turnpike/db/client";
import type { AccountKey } from "../accounts/accounts.store.ts";

/**
 * Notes that a tenant redeems a coupon. Redemptions of one coupon take turns until the end of the transaction. Those in sandboxes are
 * not counted.
 *
 * @param input.max - By how many customers it can be redeemed; undefined for any number.
 * @returns False when it is used up, and nothing is noted.
 */
export async function insertRedemption(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  { couponId, max, now }: { couponId: string; max: number | undefined; now: Date },
): Promise<boolean> {
  await tx`select 1 from coupons where coupon_id = ${couponId} for no key update`;
  const [row] = await tx<[{ count: number }]>`
    select count(*)::int as count from coupon_redemptions where coupon_id = ${couponId} and environment = 'live'`;
  if (max !== undefined && environment === "live" && row.count >= max) {
    return false;
  }
  await tx`
    insert into coupon_redemptions (tenant_id, environment, coupon_id, redeemed_at)
    values (${tenantId}, ${environment}, ${couponId}, ${now})
    on conflict do nothing`;
  return true;
}
