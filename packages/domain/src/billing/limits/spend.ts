import { larger } from "../../money/bounds.ts";
import type { Currency } from "../../money/currency.ts";
import { roundToMinor } from "../../money/currency.ts";
import { toExact } from "../../money/exact.ts";
import { highestCostOf } from "../../pricing/envelope.ts";
import type { Quantity } from "../../pricing/price.ts";
import { isCharge, type Line, prorate, type Span } from "../rating/line.ts";
import { closeStretch, type Stretch } from "../rating/stretch.ts";

/** The most that a metered card can come to for the quantity, with its minimum and maximum. */
function highestCharge(stretch: Stretch, quantity: Quantity, currency: Currency): bigint {
  const { card, full } = stretch;
  const highest = roundToMinor(highestCostOf(card.price, quantity), currency);
  const least =
    card.price.minimum === undefined
      ? 0n
      : roundToMinor(prorate(toExact(card.price.minimum), stretch, full), currency);
  return larger(highest, least);
}

/** Fees of a period: what is written with its start in the period, less what was credited, and running fees in arrears. */
function sumFees(
  lines: readonly Line[],
  stretches: readonly Stretch[],
  { period, currency }: { period: Span; currency: Currency },
): bigint {
  const written = lines.reduce((sum, line) => {
    const fromMs = line.span?.fromMs;
    const isIn = fromMs !== undefined && period.fromMs <= fromMs && fromMs < period.toMs;
    return isIn && isCharge(line) ? sum + line.amount - line.credited : sum;
  }, 0n);
  const arrears = stretches
    .filter(({ card }) => card.meterId === undefined)
    .flatMap((stretch) => closeStretch(stretch, stretch.toMs, currency).lines);
  return arrears.reduce((sum, { amount }) => sum + amount, written);
}

/**
 * Creates the question whether more of a meter stays within a cap: fees of the period, and the highest cost of every metered card on the
 * way to the quantity. Before coupons, credits and tax.
 *
 * @param input.lines - All lines that are written, those that wait too.
 * @returns Monotone: what fits for a quantity fits for less.
 */
export function createCapCheck({
  cap,
  lines,
  stretches,
  period,
  currency,
}: {
  cap: bigint;
  lines: readonly Line[];
  stretches: readonly Stretch[];
  period: Span;
  currency: Currency;
}): (meterId: string, more: Quantity) => boolean {
  const fees = sumFees(lines, stretches, { period, currency });
  const metered = stretches.filter(({ card }) => card.meterId !== undefined);
  return (meterId, more) =>
    metered.reduce(
      (sum, stretch) =>
        sum +
        highestCharge(
          stretch,
          stretch.card.meterId === meterId ? stretch.used + more : stretch.used,
          currency,
        ),
      fees,
    ) <= cap;
}
