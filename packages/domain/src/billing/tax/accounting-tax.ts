import { type Currency, findCurrency, formatMinor } from "../../money/currency.ts";
import { SCALE } from "../../money/decimal.ts";
import { divideHalfAway } from "../../money/exact.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a rate counts when no later one follows: a table by the month has its next row by then. */
export const RATE_VALID_DAYS = 35;

/** What one unit of a currency is worth in the seller's own, from a day on. */
export type ExchangeRate = {
  readonly currency: string;
  /** Scaled by 10^12, above 0. */
  readonly rate: bigint;
  readonly fromMs: number;
};

/** In which currency a seller accounts for tax, and what others are worth in it. */
export type AccountingTerms = {
  readonly currency: Currency;
  readonly rates: readonly ExchangeRate[];
  /** The publisher of the rates, such as "European Central Bank". */
  readonly source: string | undefined;
};

/** The table has no rate for a document that needs one, so it cannot be issued until the operator adds one. */
export class NoExchangeRate extends Error {
  override readonly name = "NoExchangeRate";
}

/** The tax of a document in the currency of the seller (Directive 2006/112/EC, article 230), frozen with the document. */
export type AccountingTax = {
  readonly currency: string;
  /** Minor units of that currency. */
  readonly amount: bigint;
  readonly rate: bigint;
  readonly rateFromMs: number;
  readonly source: string | undefined;
};

/** The newest rate of a currency at an instant, however old; undefined when there is none. */
export function newestRate(
  { rates }: AccountingTerms,
  { currency, atMs }: { currency: string; atMs: number },
): ExchangeRate | undefined {
  return rates
    .filter((rate) => rate.currency === currency && rate.fromMs <= atMs)
    .reduce<ExchangeRate | undefined>(
      (newest, rate) => (newest === undefined || rate.fromMs >= newest.fromMs ? rate : newest),
      undefined,
    );
}

/** The first instant at which the newest rate of a currency no longer counts; undefined when there is none. */
export function rateEndMs(
  terms: AccountingTerms,
  at: { currency: string; atMs: number },
): number | undefined {
  const rate = newestRate(terms, at);
  return rate === undefined ? undefined : rate.fromMs + RATE_VALID_DAYS * DAY_MS;
}

/** Converts minor units by a rate, and rounds once, half away from zero. */
function convert(
  minor: bigint,
  { from, to, rate }: { from: Currency; to: Currency; rate: bigint },
): bigint {
  return divideHalfAway(
    minor * rate * 10n ** BigInt(to.digits),
    SCALE * 10n ** BigInt(from.digits),
  );
}

/**
 * States the tax of an invoice in the seller's currency.
 *
 * @param input.isBinding - False for a document that is not accounted for, such as one of a sandbox, whose clock is ahead of every
 *   table: it takes the newest rate, however old, and does without where there is none.
 * @returns `undefined` where none is to be stated: in that currency itself, or without any tax.
 * @throws {NoExchangeRate} When the table has no rate that counts at the instant.
 */
export function toAccountingTax(
  terms: AccountingTerms,
  {
    tax,
    currency,
    atMs,
    isBinding,
  }: { tax: bigint; currency: Currency; atMs: number; isBinding: boolean },
): AccountingTax | undefined {
  if (tax === 0n || currency.code === terms.currency.code) {
    return;
  }
  const of = { currency: currency.code, atMs };
  const rate = newestRate(terms, of);
  const endMs = rateEndMs(terms, of);
  const counts = endMs !== undefined && atMs < endMs;
  if (isBinding && !counts) {
    throw new NoExchangeRate(
      `Add the rate of ${currency.code} in ${terms.currency.code} at ${new Date(atMs).toISOString()} to billing.tax.exchangeRates: the tax of an invoice of ${formatMinor(tax, currency)} ${currency.code} has to be stated in ${terms.currency.code} as well.`,
    );
  }
  return rate === undefined
    ? undefined
    : {
        currency: terms.currency.code,
        amount: convert(tax, { from: currency, to: terms.currency, rate: rate.rate }),
        rate: rate.rate,
        rateFromMs: rate.fromMs,
        source: terms.source,
      };
}

/**
 * States the tax of a credit note by the rate of its invoice, so that all notes of an invoice together state what the invoice does.
 *
 * @param input.before - Tax of the notes before it, and `tax` its own; minor units of the document.
 */
export function creditAccountingTax(
  invoice: AccountingTax,
  { tax, before, currency }: { tax: bigint; before: bigint; currency: Currency },
): AccountingTax {
  const to = findCurrency(invoice.currency) ?? { code: invoice.currency, digits: 2 };
  const by = { from: currency, to, rate: invoice.rate };
  return { ...invoice, amount: convert(before + tax, by) - convert(before, by) };
}
