import type { Tx } from "@turnpike/db/client";
import type { CouponDefinition } from "@turnpike/domain/catalog/coupon";

export type CouponRow = CouponDefinition & { createdAt: Date; archivedAt: Date | null };

type StoredCoupon = {
  coupon_id: string;
  name: string;
  percent: string | null;
  amount: string | null;
  currency: string | null;
  periods: number | null;
  cards: string[] | null;
  redeem_by: Date | null;
  max_redemptions: number | null;
  created_at: Date;
  archived_at: Date | null;
};

function toCouponRow(row: StoredCoupon): CouponRow {
  return {
    couponId: row.coupon_id,
    name: row.name,
    ...(row.percent === null ? {} : { percent: row.percent }),
    ...(row.amount === null ? {} : { amount: row.amount }),
    ...(row.currency === null ? {} : { currency: row.currency }),
    ...(row.periods === null ? {} : { periods: row.periods }),
    ...(row.cards === null ? {} : { cards: row.cards }),
    ...(row.redeem_by === null ? {} : { redeemBy: row.redeem_by.toISOString() }),
    ...(row.max_redemptions === null ? {} : { maxRedemptions: row.max_redemptions }),
    createdAt: row.created_at,
    archivedAt: row.archived_at,
  };
}

/** Every coupon, the newest first; at most `COUPONS_MAX`. */
export async function listCouponRows(tx: Tx): Promise<CouponRow[]> {
  const rows = await tx<StoredCoupon[]>`
    select coupon_id, name, percent, amount, currency, periods, cards, redeem_by, max_redemptions, created_at, archived_at
    from coupons order by created_at desc, coupon_id`;
  return rows.map(toCouponRow);
}

/** A coupon, also an archived one; undefined when there is none. */
export async function findCoupon(tx: Tx, couponId: string): Promise<CouponRow | undefined> {
  const [row] = await tx<StoredCoupon[]>`
    select coupon_id, name, percent, amount, currency, periods, cards, redeem_by, max_redemptions, created_at, archived_at
    from coupons where coupon_id = ${couponId}`;
  return row && toCouponRow(row);
}

/** Stores a new coupon, or what may change of one that is there: its name and until when and how often it can be redeemed. */
export async function upsertCoupon(tx: Tx, coupon: CouponDefinition, now: Date): Promise<void> {
  const { couponId, name, percent, amount, currency, periods, cards } = coupon;
  const redeemBy = coupon.redeemBy === undefined ? null : new Date(coupon.redeemBy);
  await tx`
    insert into coupons (coupon_id, name, percent, amount, currency, periods, cards, redeem_by, max_redemptions, created_at)
    values (${couponId}, ${name}, ${percent ?? null}, ${amount ?? null}, ${currency ?? null}, ${periods ?? null},
      ${cards === undefined ? null : tx.json(cards)}, ${redeemBy}, ${coupon.maxRedemptions ?? null}, ${now})
    on conflict (coupon_id) do update set name = excluded.name, redeem_by = excluded.redeem_by,
      max_redemptions = excluded.max_redemptions`;
}

export async function setCouponArchived(tx: Tx, couponId: string, archivedAt: Date): Promise<void> {
  await tx`update coupons set archived_at = ${archivedAt} where coupon_id = ${couponId}`;
}
