import { findCurrency } from "@turnpike/domain/money/currency";

type Units = { digits: number; multipleOf: bigint };

/**
 * How many decimals amounts have at Stripe, and what they must be a multiple of, where that differs from two decimals and any
 * whole number. Source: docs.stripe.com/currencies, "Zero-decimal currencies", "Three-decimal currencies" and "Special cases".
 * ISK and UGX have no decimals any more, but are sent with two for the sake of older clients; UGX is in both of Stripe's lists.
 * HUF and TWD are whole in payouts only, and charged like others.
 */
const UNITS: ReadonlyMap<string, Units> = new Map<string, Units>([
  ..."BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
    .split(" ")
    .map((code) => [code, { digits: 0, multipleOf: 1n }] as const),
  ..."BHD JOD KWD OMR TND"
    .split(" ")
    .map((code) => [code, { digits: 3, multipleOf: 10n }] as const),
  ..."ISK UGX".split(" ").map((code) => [code, { digits: 2, multipleOf: 100n }] as const),
]);
const USUAL: Units = { digits: 2, multipleOf: 1n };

function findUnits(code: string) {
  const currency = findCurrency(code);
  const units = UNITS.get(code) ?? USUAL;
  // One that Stripe does not list, and of which two decimals would be a guess.
  return currency === undefined || (!UNITS.has(code) && currency.digits !== USUAL.digits)
    ? undefined
    : { ...units, minorDigits: currency.digits };
}

const power = (digits: number) => 10n ** BigInt(digits);

/**
 * Writes an amount as Stripe takes it. What is finer than Stripe can charge is left off: no more is charged than is owed.
 *
 * @param amount - Minor units by ISO 4217, at least 0.
 * @returns `undefined` for a currency that Stripe does not take.
 */
export function toStripeAmount(amount: bigint, currency: string): bigint | undefined {
  const units = findUnits(currency);
  if (units === undefined) {
    return;
  }
  const exact = (amount * power(units.digits)) / power(units.minorDigits);
  return exact - (exact % units.multipleOf);
}

/** @returns Minor units by ISO 4217. @throws {RangeError} For a currency that Stripe does not take. */
export function fromStripeAmount(amount: number | bigint, currency: string): bigint {
  const code = currency.toUpperCase();
  const units = findUnits(code);
  if (units === undefined) {
    throw new RangeError(`Stripe has no amounts in ${code}`);
  }
  return (BigInt(amount) * power(units.minorDigits)) / power(units.digits);
}
