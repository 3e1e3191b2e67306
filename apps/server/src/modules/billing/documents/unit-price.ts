import type { Line } from "@turnpike/domain/billing/rating/line";
import type { Currency } from "@turnpike/domain/money/currency";
import { fromScaled, SCALE, toFixedText } from "@turnpike/domain/money/decimal";
import { divideHalfAway, type Exact } from "@turnpike/domain/money/exact";
import { groupDigits } from "./print-text.ts";

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

/** Writes picos with the decimals of the currency at least. */
function toPriceText(picos: bigint, { digits }: Currency): string {
  const text = toFixedText(picos, DIGITS);
  const least = text.length - DIGITS + digits;
  const trimmed = text.slice(least).replace(/0+$/, "");
  const head = text.slice(0, least);
  return groupDigits(`${head}${trimmed}`.replace(/\.$/, ""));
}

/** Takes the taxes of a line out of a price that includes them. */
function withoutTax({ numerator, denominator }: Exact, { taxes }: Line): Exact {
  const rates = taxes.reduce((sum, { rate }) => sum + rate, 0n);
  return { numerator: numerator * WHOLE, denominator: denominator * (WHOLE + rates) };
}

function toText(price: Exact, currency: Currency): string {
  const exact = divideHalfAway(price.numerator, price.denominator);
  // A price that does not end is cut after six digits: its line has the amount to the cent.
  const isEndless = exact * price.denominator !== price.numerator;
  const unit = 10n ** 6n;
  return toPriceText(isEndless ? divideHalfAway(exact, unit) * unit : exact, currency);
}

type Terms = { currency: Currency; isGross: boolean };

/** The price of one unit without tax, as a text; empty for a line that has none. */
export function toUnitPrice(line: Line, { currency, isGross }: Terms): string {
  const price = priceOfOne(line, currency);
  return price === undefined ? "" : toText(isGross ? withoutTax(price, line) : price, currency);
}

/** The prices of a line of usage which are no single price of one: each tier, package or share. */
export function listPriceNotes(line: Line, { currency, isGross }: Terms): string[] {
  const { source, tiers } = line;
  if (source?.of !== "usage") {
    return [];
  }
  const { price } = source;
  const toPrice = (picos: bigint) => {
    const exact = { numerator: picos, denominator: 1n };
    return toText(isGross ? withoutTax(exact, line) : exact, currency);
  };
  const included =
    price.included === undefined || price.included === 0n
      ? []
      : [`${groupDigits(fromScaled(price.included))} are included`];
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
          return [`${groupDigits(fromScaled(quantity))} × ${toPrice(tier.unitAmount)}${flat}`];
        }),
      ];
    case "package":
      return [
        ...included,
        `${toPrice(price.amount)} for each ${groupDigits(fromScaled(price.size))}, rounded up`,
      ];
    case "percentage":
      return [...included, `${fromScaled(price.rate)} % of the sum`];
    default:
      return included;
  }
}
