import type { BandPart, TotalsForecast } from "../../forecast/forecast-totals.ts";
import { positionOf, type UsageDays } from "../../forecast/usage-days.ts";
import { larger } from "../../money/bounds.ts";
import { toScaled } from "../../money/decimal.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { UsageOf } from "../lifecycle/pass-to-invoice.ts";
import type { Usage } from "../lifecycle/record-usage.ts";

/** A meter with what it is forecast to use. */
export type MeterOutlook = {
  readonly meterId: string;
  readonly days: UsageDays;
  readonly forecast: TotalsForecast;
};

const FRACTION_DIGITS = 6;

/** Whole units where a meter has only whole ones. */
function toQuantity(amount: number, isWhole: boolean): Quantity {
  return toScaled(isWhole ? Math.round(amount).toFixed(0) : amount.toFixed(FRACTION_DIGITS));
}

/** The running sum of a meter along one edge of its interval. Sums never fall, also where the edge does. */
function createSum({ days, forecast }: MeterOutlook, part: BandPart, fromMs: number) {
  const from = positionOf(days, fromMs);
  const isWhole = days.values.every(Number.isInteger);
  let reached = 0n;
  return (toMs: number): Quantity => {
    const amount = Math.max(0, forecast.total(from, positionOf(days, toMs))[part]);
    const before = reached;
    reached = larger(reached, toQuantity(amount, isWhole));
    return reached - before;
  };
}

/**
 * Usage that is forecast, day by day from an instant on, along one edge of the intervals of sums from there: all meters are at the same
 * edge. What a price makes of a period follows from the period's sum, and charges do not fall when more is used (but for volume prices),
 * so what is charged at the edges bounds what will be charged.
 */
export function createUsagePath(
  meters: readonly MeterOutlook[],
  part: BandPart,
  fromMs: number,
): UsageOf {
  const sums = meters.map((meter) => ({ ...meter, sumTo: createSum(meter, part, fromMs) }));
  return (span) => {
    const usages = sums.flatMap(({ meterId, days, sumTo }): Usage[] => {
      const ends = days.startsMs.filter((startMs) => span.fromMs < startMs && startMs < span.toMs);
      let atMs = span.fromMs;
      return [...ends, span.toMs].flatMap((endMs) => {
        const usage = { meterId, atMs, quantity: sumTo(endMs) };
        atMs = endMs;
        return usage.quantity > 0n ? [usage] : [];
      });
    });
    return usages.toSorted((a, b) => a.atMs - b.atMs);
  };
}
