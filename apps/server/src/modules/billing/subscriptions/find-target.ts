import type { SubscriptionAction } from "@turnpike/contract/subscriptions";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { may } from "@turnpike/domain/access/actor";
import type { Coupon } from "@turnpike/domain/billing/invoices/coupon";
import { AppError } from "@turnpike/domain/errors/app-error";
import { findCurrency, roundToMinor } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { toExact } from "@turnpike/domain/money/exact";
import {
  type CouponRow,
  findCoupon,
  findPlanVersion,
  listVersionTerms,
} from "#modules/catalog/index.ts";
import type { ActionTarget } from "./to-step.ts";

function refuse(pointer: string, message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer, message }],
  });
}

async function findPlan(
  tx: Tx,
  { actor }: CallContext,
  { planId, isAddOn }: { planId: string; isAddOn: boolean },
): Promise<ActionTarget["plan"]> {
  const pointer = "/action/planId";
  const newest = await findPlanVersion(tx, planId);
  const [found] = newest === undefined ? [] : await listVersionTerms(tx, [newest]);
  const isOperator = may(actor, "tenants:write");
  const isSeen = found !== undefined && (found.terms.visibility === "public" || isOperator);
  if (
    newest === undefined ||
    found === undefined ||
    !isSeen ||
    (newest.isArchived && !isOperator)
  ) {
    throw refuse(pointer, "There is no such plan on offer.");
  }
  if (newest.isAddOn !== isAddOn) {
    throw refuse(
      pointer,
      isAddOn
        ? "This is a plan of its own: change to it, or choose an add-on."
        : "This is an add-on: add it to a plan.",
    );
  }
  return { planId, version: newest.version, currency: found.terms.currency };
}

function toEngineCoupon(coupon: CouponRow): Coupon | undefined {
  const { couponId, percent, amount, periods, cards } = coupon;
  const currency = findCurrency(coupon.currency);
  const rest = { couponId, periods, cards };
  if (percent !== undefined) {
    return { off: { percent: toScaled(percent) }, ...rest };
  }
  return amount === undefined || currency === undefined
    ? undefined
    : { off: { amount: roundToMinor(toExact(toScaled(amount)), currency) }, ...rest };
}

async function findRedeemable(
  tx: Tx,
  couponId: string,
  now: Date,
): Promise<NonNullable<ActionTarget["coupon"]>> {
  const row = await findCoupon(tx, couponId);
  const isOver =
    row === undefined ||
    row.archivedAt !== null ||
    (row.redeemBy !== undefined && Date.parse(row.redeemBy) <= now.getTime());
  const coupon = isOver ? undefined : toEngineCoupon(row);
  if (isOver || coupon === undefined) {
    throw refuse("/action/couponId", "There is no such coupon, or it can no longer be redeemed.");
  }
  return { coupon, currency: row.currency, maxRedemptions: row.maxRedemptions };
}

/** Finds what an action names. @throws {AppError} `INVALID_REQUEST` for what is not on offer to the actor. */
export async function findTarget(
  tx: Tx,
  context: CallContext,
  { action, now }: { action: SubscriptionAction; now: Date },
): Promise<ActionTarget> {
  switch (action.do) {
    case "subscribe":
    case "change":
    case "addOn": {
      const input = { planId: action.planId, isAddOn: action.do === "addOn" };
      return { plan: await findPlan(tx, context, input), coupon: undefined };
    }
    case "coupon":
      return { plan: undefined, coupon: await findRedeemable(tx, action.couponId, now) };
    default:
      return { plan: undefined, coupon: undefined };
  }
}
