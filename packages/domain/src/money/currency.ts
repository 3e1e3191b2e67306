import { DECIMAL_DIGITS, toFixedText } from "./decimal.ts";
import { divideHalfAway, type Exact } from "./exact.ts";

/** Minor units of currencies that do not have two decimals. Source: ISO 4217. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ..."BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
    .split(" ")
    .map((code) => [code, 0] as const),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3] as const),
  ..."CLF UYW".split(" ").map((code) => [code, 4] as const),
]);

/** A currency and its number of decimals. Sums on documents are whole minor units (cents) as `bigint`. */
export type Currency = { readonly code: string; readonly digits: number };

/** The currencies that do not have two decimals, for sums in SQL. All others do. */
export const CURRENCIES_WITHOUT_CENTS: readonly Currency[] = [...DIGITS].map(([code, digits]) => ({
  code,
  digits,
}));

/** @returns `undefined` when the text is not three capital letters. */
export function findCurrency(code: unknown): Currency | undefined {
  return typeof code === "string" && /^[A-Z]{3}$/.test(code)
    ? { code, digits: DIGITS.get(code) ?? 2 }
    : undefined;
}

function picosPerMinor({ digits }: Currency): bigint {
  return 10n ** BigInt(DECIMAL_DIGITS - digits);
}

/** Rounds an exact amount to minor units, half away from zero: 1.005 USD gives `101n`. */
export function roundToMinor(amount: Exact, currency: Currency): bigint {
  return divideHalfAway(amount.numerator, amount.denominator * picosPerMinor(currency));
}

/** Writes minor units with exactly the currency's decimals: `5000` yen, `50.000` dinars. */
export function formatMinor(minor: bigint, { digits }: Currency): string {
  return toFixedText(minor, digits);
}
