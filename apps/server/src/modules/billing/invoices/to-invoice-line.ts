import type { InvoiceLine, InvoiceTax, InvoiceTier } from "@turnpike/contract/invoices";
import type { Coupon } from "@turnpike/domain/billing/invoices/coupon";
import type { TaxRow } from "@turnpike/domain/billing/invoices/invoice";
import type { Line } from "@turnpike/domain/billing/rating/line";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { DECIMAL_DIGITS, fromScaled, SCALE, toDecimalText } from "@turnpike/domain/money/decimal";
import { divideHalfAway, type Exact } from "@turnpike/domain/money/exact";
import type { TierPart } from "@turnpike/domain/pricing/cost";
import { toIso } from "../to-iso.ts";
import { explainZero } from "./explain-zero.ts";

/** Usage times a price has at most twice the decimals of either. */
function toExactText({ numerator, denominator }: Exact): string {
  return toDecimalText(divideHalfAway(numerator * SCALE, denominator), 2 * DECIMAL_DIGITS);
}

function toTier({ upTo, quantity, amount }: TierPart): InvoiceTier {
  return {
    upTo: upTo === null ? null : fromScaled(upTo),
    quantity: fromScaled(quantity),
    amount: toExactText(amount),
  };
}

/** Kinds that open to key, route and day. */
function isOfUsage({ kind, quantity = 0n }: Line): boolean {
  return (kind === "usage" || kind === "late" || kind === "beyondCap") && quantity > 0n;
}

/** A line as it is answered: of an invoice, of a quote or of the running invoice. */
export function toInvoiceLine(
  line: Line,
  {
    number,
    description,
    meterId,
    unit,
    coupons,
    currency,
  }: {
    /** From 1. */
    number: number;
    description: string;
    meterId: string | null;
    /** What one unit of the meter is called. */
    unit: string | null;
    coupons: readonly Coupon[];
    currency: Currency;
  },
): InvoiceLine {
  const { kind, owner, span, quantity, amount, discount, credited, tiers, coupon } = line;
  return {
    number,
    kind,
    description,
    planId: owner?.planId ?? null,
    card: owner?.card ?? null,
    meterId,
    unit,
    from: toIso(span?.fromMs),
    to: toIso(span?.toMs),
    quantity: quantity === undefined ? null : fromScaled(quantity),
    amount: formatMinor(amount, currency),
    discount: formatMinor(discount, currency),
    credited: formatMinor(credited, currency),
    tiers: tiers.map(toTier),
    reason: explainZero(line, { unit, currency }),
    couponId: (coupon === undefined ? undefined : coupons[coupon]?.couponId) ?? null,
    hasUsage: isOfUsage(line),
  };
}

/** A row of tax as it is answered. */
export function toTax(
  { category, rate, name, base, amount }: TaxRow,
  currency: Currency,
): InvoiceTax {
  return {
    category,
    rate: fromScaled(rate),
    name: name ?? null,
    base: formatMinor(base, currency),
    amount: formatMinor(amount, currency),
  };
}
