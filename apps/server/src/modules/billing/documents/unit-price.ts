import type { Line } from "@turnpike/domain/billing/rating/line";
import type { Currency } from "@turnpike/domain/money/currency";
import { fromScaled, SCALE, toFixedText } from "@turnpike/domain/money/decimal";
import { divideHalfAway, type Exact } from "@turnpike/domain/money/exact";
import { said } from "@turnpike/domain/text/said";
import type { DocumentWords } from "./document-words.ts";

/** Digits that are printed of a price that has no end, such as a third of a fee. */
const DIGITS = 12;
const WHOLE = 100n * SCALE;

/** What one unit costs in picos, where there is one price; undefined for several tiers, packages and shares. */
function priceOfOne({ source, amount, quantity }: Line, currency: Currency): Exact | undefined {
  if (source?.of === "usage") {
    const { price } = source;
    if (price.model === "per_unit") {
      return { numerator: price.unitAmount, denominator: 1n };
    }
    // Included units, flat fees and tiers are in the notes of the line.
    return;
  }
  const picosPerMinor = 10n ** BigInt(DIGITS - currency.digits);
  return quantity === undefined || quantity <= 0n
    ? undefined
    : { numerator: amount * picosPerMinor * SCALE, denominator: quantity };
}

type Terms = { currency: Currency; isGross: boolean; words: DocumentWords };

/** Writes picos with the decimals of the currency at least. */
function toPriceText(picos: bigint, { currency, words }: Terms): string {
  const text = toFixedText(picos, DIGITS);
  const least = text.length - DIGITS + currency.digits;
  const trimmed = text.slice(least).replace(/0+$/, "");
  const head = text.slice(0, least);
  return words.money(`${head}${trimmed}`.replace(/\.$/, ""), currency);
}

/** Takes the taxes of a line out of a price that includes them. */
function withoutTax({ numerator, denominator }: Exact, { taxes }: Line): Exact {
  const rates = taxes.reduce((sum, { rate }) => sum + rate, 0n);
  return { numerator: numerator * WHOLE, denominator: denominator * (WHOLE + rates) };
}

function toText(price: Exact, terms: Terms): string {
  const exact = divideHalfAway(price.numerator, price.denominator);
  // A price that does not end is cut after six digits: its line has the amount to the cent.
  const isEndless = exact * price.denominator !== price.numerator;
  const unit = 10n ** 6n;
  return toPriceText(isEndless ? divideHalfAway(exact, unit) * unit : exact, terms);
}

/** The price of one unit without tax, as a text; empty for a line that has none. */
export function toUnitPrice(line: Line, terms: Terms): string {
  const price = priceOfOne(line, terms.currency);
  return price === undefined ? "" : toText(terms.isGross ? withoutTax(price, line) : price, terms);
}

/** The prices of a line of usage which are no single price of one: each tier, package or share. */
export function listPriceNotes(line: Line, terms: Terms): string[] {
  const { source, tiers } = line;
  const { number, say } = terms.words;
  if (source?.of !== "usage") {
    return [];
  }
  const { price } = source;
  const toPrice = (picos: bigint) => {
    const exact = { numerator: picos, denominator: 1n };
    return toText(terms.isGross ? withoutTax(exact, line) : exact, terms);
  };
  const included =
    price.included === undefined || price.included === 0n
      ? []
      : [say(said("{0} are included"), number(fromScaled(price.included)))];
  switch (price.model) {
    case "graduated":
    case "volume":
      return [
        ...included,
        ...tiers.flatMap(({ upTo, quantity }) => {
          const tier = price.tiers.find((each) => each.upTo === upTo);
          if (tier === undefined) {
            return [];
          }
          const flat = tier.flatAmount === 0n ? "" : ` + ${toPrice(tier.flatAmount)}`;
          return [`${number(fromScaled(quantity))} × ${toPrice(tier.unitAmount)}${flat}`];
        }),
      ];
    case "package":
      return [
        ...included,
        say(
          said("{0} for each {1}, rounded up"),
          toPrice(price.amount),
          number(fromScaled(price.size)),
        ),
      ];
    case "percentage":
      return [...included, say(said("{0} % of the sum"), number(fromScaled(price.rate)))];
    default:
      return included;
  }
}
