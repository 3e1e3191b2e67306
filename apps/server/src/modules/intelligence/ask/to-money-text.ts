import { findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { DECIMAL_DIGITS, fromScaled } from "@turnpike/domain/money/decimal";

/** Writes a scaled sum of amounts with the digits of its currency, as the amounts themselves are written. */
export function toMoneyText(scaled: bigint, code: string | undefined): string {
  const currency = findCurrency(code);
  return currency === undefined
    ? fromScaled(scaled)
    : formatMinor(scaled / 10n ** BigInt(DECIMAL_DIGITS - currency.digits), currency);
}
