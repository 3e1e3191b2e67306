import { larger } from "../../money/bounds.ts";
import { type Currency, roundToMinor } from "../../money/currency.ts";
import { toExact } from "../../money/exact.ts";
import { costOf } from "../../pricing/cost.ts";
import { highestCostOf } from "../../pricing/envelope.ts";
import type { Price, Quantity } from "../../pricing/price.ts";
import { isCharge, type Line, prorate, type Span } from "../rating/line.ts";
import { closeStretch, type Stretch } from "../rating/stretch.ts";

/** What usage of one metered card adds to the spend of a period. */
export type SpendCard = {
  readonly meterId: string;
  readonly price: Price;
  /** The least that the card charges, in minor units. */
  readonly least: bigint;
  /** From when on usage is of it. */
  readonly fromMs: number;
  readonly used: Quantity;
};

/** What a period has cost so far, and what more usage would cost: before coupons, credits and tax. In minor units. */
export type Spend = {
  readonly currency: Currency;
  /** Fees, and usage that is charged already. */
  readonly fees: bigint;
  readonly cards: readonly SpendCard[];
};

/** What is written with its start in a period, less what was credited. Credit that is bought is not spent yet. */
export function sumCharges(lines: readonly Line[], period: Span): bigint {
  return lines.reduce((sum, line) => {
    const fromMs = line.span?.fromMs;
    const isIn = fromMs !== undefined && period.fromMs <= fromMs && fromMs < period.toMs;
    return isIn && isCharge(line) && line.kind !== "topUp"
      ? sum + line.amount - line.credited
      : sum;
  }, 0n);
}

/** Fees of a period: what is written, and running fees in arrears. */
function sumFees(
  lines: readonly Line[],
  stretches: readonly Stretch[],
  { period, currency }: { period: Span; currency: Currency },
): bigint {
  const written = sumCharges(lines, period);
  const arrears = stretches
    .filter(({ card }) => card.meterId === undefined)
    .flatMap((stretch) => closeStretch(stretch, stretch.toMs, currency).lines);
  return arrears.reduce((sum, { amount }) => sum + amount, written);
}

function toSpendCards(stretch: Stretch, currency: Currency): SpendCard[] {
  const { card, full, fromMs, used } = stretch;
  const { meterId, price } = card;
  return meterId === undefined
    ? []
    : [
        {
          meterId,
          price,
          least:
            price.minimum === undefined
              ? 0n
              : roundToMinor(prorate(toExact(price.minimum), stretch, full), currency),
          fromMs,
          used,
        },
      ];
}

/**
 * Sums up a period that is running.
 *
 * @param input.lines - All lines that are written, those that wait too.
 */
export function toSpend({
  lines,
  stretches,
  period,
  currency,
}: {
  lines: readonly Line[];
  stretches: readonly Stretch[];
  period: Span;
  currency: Currency;
}): Spend {
  return {
    currency,
    fees: sumFees(lines, stretches, { period, currency }),
    cards: stretches.flatMap((stretch) => toSpendCards(stretch, currency)),
  };
}

/** The most that a metered card can come to on the way to the quantity, with its minimum and maximum. */
function highestCharge({ price, least }: SpendCard, used: Quantity, currency: Currency): bigint {
  return larger(roundToMinor(highestCostOf(price, used), currency), least);
}

/** What is owed if nothing more is used. */
export function currentCharge({ fees, cards, currency }: Spend): bigint {
  return cards.reduce(
    (sum, { price, least, used }) =>
      sum + larger(roundToMinor(costOf(price, used), currency), least),
    fees,
  );
}

/**
 * The most that a period can come to on the way to what is used and `more` of a meter. It never falls when more is used, although
 * charges may: at a higher tier of volume prices every unit is cheaper.
 *
 * @param more - Below zero for less; at least 0 units remain.
 */
export function highestSpend(spend: Spend, meterId?: string, more: Quantity = 0n): bigint {
  const { fees, cards, currency } = spend;
  return cards.reduce((sum, card) => {
    const used = card.meterId === meterId ? larger(card.used + more, 0n) : card.used;
    return sum + highestCharge(card, used, currency);
  }, fees);
}

/**
 * Creates the question whether more of a meter stays within a cap.
 *
 * @returns Monotone: what fits for a quantity fits for less.
 */
export function createCapCheck(
  cap: bigint,
  spend: Spend,
): (meterId: string, more: Quantity) => boolean {
  return (meterId, more) => highestSpend(spend, meterId, more) <= cap;
}
