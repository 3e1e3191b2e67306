import { isDeepStrictEqual } from "node:util";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { COUPONS_MAX, type CouponDefinition } from "@turnpike/domain/catalog/coupon";
import { AppError, type FieldError } from "@turnpike/domain/errors/app-error";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type CouponRow, listCouponRows, upsertCoupon } from "./coupons.store.ts";

function withoutDates({ createdAt: _, archivedAt: __, ...coupon }: CouponRow): CouponDefinition {
  return coupon;
}

function toDecimal(text: string): string {
  return fromScaled(toScaled(text));
}

/** One way to write what means the same, so that it makes no change. */
export function normaliseCoupon(coupon: CouponDefinition): CouponDefinition {
  const { percent, amount, redeemBy, ...rest } = coupon;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(given),
    couponId: coupon.couponId,
    name: coupon.name,
    ...(percent === undefined ? {} : { percent: toDecimal(percent) }),
    ...(amount === undefined ? {} : { amount: toDecimal(amount) }),
    ...(redeemBy === undefined ? {} : { redeemBy: new Date(redeemBy).toISOString() }),
  };
}

/** True when a coupon is as it is stored. */
export function isSameCoupon(row: CouponRow, coupon: CouponDefinition): boolean {
  return isDeepStrictEqual(withoutDates(row), normaliseCoupon(coupon));
}

const FIXED = ["percent", "amount", "currency", "periods", "cards"] as const;

/**
 * Finds coupons that would give something else than customers were promised.
 *
 * @returns Each fault with its pointer; empty when all can be applied.
 */
export function findCouponFaults(
  coupons: readonly CouponDefinition[],
  known: readonly CouponRow[],
): FieldError[] {
  return coupons.flatMap((coupon, index) => {
    const before = known.find(({ couponId }) => couponId === coupon.couponId);
    const after = normaliseCoupon(coupon);
    const changed = before && FIXED.find((name) => !isDeepStrictEqual(before[name], after[name]));
    const message = `What the coupon ${coupon.couponId} gives never changes: archive it and create another one.`;
    return changed === undefined
      ? []
      : [{ pointer: `/coupons/${String(index)}/${changed}`, message }];
  });
}

/**
 * Brings coupons to the given state, under the lock of the catalogue. Those not named stay as they are, and so does whether one
 * is archived.
 *
 * @returns The ids of those that were created or changed.
 * @throws {AppError} `INVALID_REQUEST` when one would give something else; `CONFLICT` when there would be too many.
 */
export async function publishCoupons(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  coupons: readonly CouponDefinition[],
): Promise<string[]> {
  if (coupons.length === 0) {
    return [];
  }
  const rows = await listCouponRows(tx);
  const errors = findCouponFaults(coupons, rows);
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
  const known = new Map(rows.map((row) => [row.couponId, row]));
  const added = coupons.filter(({ couponId }) => !known.has(couponId)).length;
  if (added > 0 && rows.length + added > COUPONS_MAX) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `There can be at most ${COUPONS_MAX.toLocaleString("en")} coupons.`,
    });
  }
  const changed: string[] = [];
  for (const coupon of coupons) {
    const before = known.get(coupon.couponId);
    if (before !== undefined && isSameCoupon(before, coupon)) {
      continue;
    }
    await upsertCoupon(tx, normaliseCoupon(coupon), deps.clock.now());
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: before === undefined ? "coupon.created" : "coupon.updated",
      entityType: "coupon",
      entityId: coupon.couponId,
    });
    changed.push(coupon.couponId);
  }
  return changed;
}
