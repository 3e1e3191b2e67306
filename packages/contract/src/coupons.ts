import { COUPONS_MAX } from "@turnpike/domain/catalog/coupon";
import { findCurrency } from "@turnpike/domain/money/currency";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayName, instant, plainText, slug } from "./shapes.ts";

const DECIMAL_ABOVE_0 = 'A decimal above 0 in quotes, such as "12.5".';
const PERCENT = /^(100(\.0{1,12})?|\d{1,2}(\.\d{1,12})?)$/;
const AMOUNT = /^\d{1,9}(\.\d{1,4})?$/;
const isAboveZero = (decimal: string) => /[1-9]/.test(decimal);

const couponFields = {
  couponId: slug.describe("Identifier of the coupon for programs."),
  name: displayName(60).describe("The name customers see."),
  percent: z
    .string()
    .regex(PERCENT, 'A decimal from above 0 to 100 in quotes, such as "12.5".')
    .refine(isAboveZero, DECIMAL_ABOVE_0)
    .optional()
    .describe("Off, in per cent; either this or `amount`."),
  amount: z
    .string()
    .regex(AMOUNT, DECIMAL_ABOVE_0)
    .refine(isAboveZero, DECIMAL_ABOVE_0)
    .optional()
    .describe("Off each period, in major units of `currency`."),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.")
    .optional()
    .describe("Of `amount`."),
  periods: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe("How many periods of the plan it holds. Left out: all."),
  cards: z
    .array(plainText(60).min(1, "Must not be empty."))
    .min(1)
    .max(60)
    .optional()
    .describe("Lowers the lines of these cards only. Left out: the whole invoice."),
  redeemBy: instant.optional().describe("Until when it can be redeemed. Left out: always."),
  maxRedemptions: z
    .number()
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe("By how many customers it can be redeemed. Left out: any number."),
};

function checkCoupon(
  coupon: z.output<z.ZodObject<typeof couponFields>>,
  context: z.RefinementCtx,
): void {
  const { percent, amount, currency, cards = [] } = coupon;
  const fault = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  if ((percent === undefined) === (amount === undefined)) {
    fault("percent", "Give either percent or amount.");
  }
  if ((amount === undefined) !== (currency === undefined)) {
    fault("currency", amount === undefined ? "Only an amount has a currency." : "Required.");
  }
  const digits = findCurrency(currency)?.digits ?? 0;
  const decimals = amount?.split(".")[1] ?? "";
  if (currency !== undefined && decimals.length > digits) {
    fault("amount", `${currency} has at most ${String(digits)} decimals.`);
  }
  if (new Set(cards).size < cards.length) {
    fault("cards", "Name each card once.");
  }
}

export const couponInput = z.strictObject(couponFields).superRefine(checkCoupon);
export type CouponInput = z.output<typeof couponInput>;

export const coupon = z.strictObject({
  ...couponFields,
  createdAt: instant,
  archivedAt: instant.nullable().describe("Since when it cannot be redeemed any more."),
});

const tags = ["Catalogue"];

export const couponsContract = {
  listCoupons: operation({ scope: "catalog:read" })
    .route({ method: "GET", path: "/coupons", summary: "List coupons, newest first", tags })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(coupon).max(COUPONS_MAX) })),
  createCoupon: operation({ scope: "catalog:write" })
    .route({
      method: "POST",
      path: "/coupons",
      summary: "Create a coupon",
      description: `What it gives never changes. At most ${COUPONS_MAX.toLocaleString("en")} in an installation.`,
      tags,
    })
    .input(couponInput)
    .output(coupon),
  archiveCoupon: operation({ scope: "catalog:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/coupons/{couponId}/archive",
      summary: "Archive a coupon: it cannot be redeemed any more, and holds for those who have it",
      tags,
    })
    .input(z.strictObject({ couponId: slug }))
    .output(coupon),
};
