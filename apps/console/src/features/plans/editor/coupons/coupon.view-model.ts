import { plural, t } from "@lingui/core/macro";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import type { Coupon, CouponInput } from "../editor.queries.ts";

/** The text typed into the form of a coupon. */
export type CouponDraft = {
  couponId: string;
  name: string;
  kind: "percent" | "amount";
  percent: string;
  amount: string;
  currency: string;
  periods: string;
  /** Keys of rate cards, separated by blanks or commas. */
  cards: string;
  /** The last day on which it can be redeemed, UTC, as the browser's date field gives it. */
  redeemBy: string;
  maxRedemptions: string;
};

export const EMPTY_COUPON: CouponDraft = {
  couponId: "",
  name: "",
  kind: "percent",
  percent: "",
  amount: "",
  currency: "USD",
  periods: "",
  cards: "",
  redeemBy: "",
  maxRedemptions: "",
};

/** Fields of the form by their place in the request. */
export const COUPON_POINTERS = {
  couponId: "/couponId",
  name: "/name",
  percent: "/percent",
  amount: "/amount",
  currency: "/currency",
  periods: "/periods",
  cards: "/cards",
  redeemBy: "/redeemBy",
  maxRedemptions: "/maxRedemptions",
} as const;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Whole numbers alone; what is none becomes 0, which the API refuses at this place. */
function toWhole(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : 0;
}

/** The end of a day in UTC: a coupon that can be redeemed on a day can be so until the day is over. */
function toDayEnd(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY_MS).toISOString();
}

/** A coupon as the API takes it. The API checks it, and its errors are shown at their fields. */
export function toCouponInput(draft: CouponDraft): CouponInput {
  const cards = draft.cards.split(/[\s,]+/).filter((card) => card !== "");
  const periods = draft.periods.trim();
  const maxRedemptions = draft.maxRedemptions.trim();
  return {
    couponId: draft.couponId.trim(),
    name: draft.name.trim(),
    ...(draft.kind === "percent"
      ? { percent: draft.percent.trim() }
      : { amount: draft.amount.trim(), currency: draft.currency.trim().toUpperCase() }),
    ...(periods !== "" && { periods: toWhole(periods) }),
    ...(cards.length > 0 && { cards }),
    ...(draft.redeemBy !== "" && { redeemBy: toDayEnd(draft.redeemBy) }),
    ...(maxRedemptions !== "" && { maxRedemptions: toWhole(maxRedemptions) }),
  };
}

/** "12.5% off", "$10.00 off each period". */
export function describeDiscount({ percent, amount, currency }: Coupon): string {
  return percent !== undefined
    ? `${percent}% off`
    : t`${formatMoney(amount ?? "0", currency ?? "USD")} off`;
}

/** For how long, and for what: "For 3 periods, on base and requests". */
export function describeReach({ periods, cards }: Coupon): string {
  const howLong =
    periods === undefined
      ? t`For good`
      : plural(periods, { one: "For one period", other: `For ${formatCount(periods)} periods` });
  return cards === undefined ? howLong : t`${howLong}, on ${cards.join(", ")}`;
}

/** Until when and how often it can be redeemed: "Until Dec 31, 2026, 100 times at most". */
export function describeRedemption({ redeemBy, maxRedemptions }: Coupon): string {
  const parts = [
    // The instant is the end of the last day.
    ...(redeemBy === undefined
      ? []
      : [t`until ${formatDate(new Date(Date.parse(redeemBy) - 1).toISOString())}`]),
    ...(maxRedemptions === undefined ? [] : [t`by ${formatCount(maxRedemptions)} at most`]),
  ];
  const text = parts.join(", ");
  return text === "" ? t`Always` : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
