import { findCurrency } from "@turnpike/domain/money/currency";
import { LANGUAGE } from "@turnpike/ui/language";

/** As many as amounts and prices have. */
const DECIMALS_MAX = 12;

/**
 * Writes an amount of money exactly: "$1,234.50". It has at least the decimals of its currency, and more where the amount
 * does: "$0.0025".
 *
 * @param amount - A decimal in major units; trailing zeros beyond the currency's decimals are left out.
 * @param currency - ISO 4217.
 */
export function formatMoney(amount: string, currency: string): string {
  const digits = findCurrency(currency)?.digits ?? 2;
  return new Intl.NumberFormat(LANGUAGE, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: DECIMALS_MAX,
    signDisplay: "negative",
  }).format(asNumeric(amount));
}

/** Writes whole minor units, as the billing engine gives them: 1234n in USD is "$12.34". */
export function formatMinorUnits(minor: bigint, currency: string): string {
  const digits = findCurrency(currency)?.digits ?? 2;
  return new Intl.NumberFormat(LANGUAGE, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "negative",
  }).format(asNumeric(`${String(minor)}e-${String(digits)}`));
}

/** True for "0", "0.00" and "-0.00". */
export function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

/** Text stays exact in `Intl`, where a number would not; the type asks for text that reads as a number. */
function asNumeric(decimal: string): `${number}` {
  return decimal as `${number}`;
}
