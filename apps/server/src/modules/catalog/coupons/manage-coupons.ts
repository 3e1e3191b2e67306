import type { CouponInput, coupon } from "@turnpike/contract/coupons";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockCatalog } from "../catalog.store.ts";
import { type CouponRow, findCoupon, listCouponRows, setCouponArchived } from "./coupons.store.ts";
import { publishCoupons } from "./publish-coupons.ts";

type CouponReply = z.output<typeof coupon>;

function toCouponReply({ createdAt, archivedAt, ...definition }: CouponRow): CouponReply {
  return {
    ...definition,
    createdAt: createdAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
  };
}

async function getCoupon(tx: Tx, couponId: string): Promise<CouponRow> {
  const row = await findCoupon(tx, couponId);
  if (row === undefined) {
    throw resourceNotFound("coupon");
  }
  return row;
}

/** Lists all coupons, the newest first. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listCoupons(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
): Promise<{ items: CouponReply[] }> {
  assertMay(context.actor, "catalog:read");
  const rows = await deps.transact.asOperator(listCouponRows);
  return { items: rows.map(toCouponReply) };
}

/** @throws {AppError} `ALREADY_EXISTS`; `CONFLICT` when there are 1,000 coupons; `INSUFFICIENT_SCOPE`. */
export async function createCoupon(
  deps: AppServices,
  context: CallContext,
  input: CouponInput,
): Promise<CouponReply> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    if ((await findCoupon(tx, input.couponId)) !== undefined) {
      throw new AppError({
        code: "ALREADY_EXISTS",
        publicMessage: `The coupon ${input.couponId} already exists.`,
      });
    }
    await publishCoupons(deps, tx, context, [input]);
    return toCouponReply(await getCoupon(tx, input.couponId));
  });
}

/**
 * Archives a coupon: it cannot be redeemed any more, and holds for those who have it. Archived again, it stays as it is.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function archiveCoupon(
  deps: AppServices,
  context: CallContext,
  { couponId }: { couponId: string },
): Promise<CouponReply> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    const row = await getCoupon(tx, couponId);
    if (row.archivedAt !== null) {
      return toCouponReply(row);
    }
    const archivedAt = deps.clock.now();
    await setCouponArchived(tx, couponId, archivedAt);
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "coupon.archived",
      entityType: "coupon",
      entityId: couponId,
    });
    return toCouponReply({ ...row, archivedAt });
  });
}
