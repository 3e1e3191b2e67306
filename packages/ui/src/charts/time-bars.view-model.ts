import type { TimeSeries } from "./chart-types.ts";

/** One coloured part of a bar. Pixels from the top of the plot. */
export type BarPart = { index: number; topPx: number; heightPx: number };
export type BarLayer = { key: string; parts: readonly BarPart[] };

/** A part that is there is seen: nothing above 0 is lower than this, in pixels. */
const PART_HEIGHT_MIN_PX = 1;

/** Largest sum of a bucket, previous period included; 0 when there is none. */
export function findLargestSum(series: readonly TimeSeries[]): number {
  const now = sumByBucket(series.map((one) => one.values));
  const before = sumByBucket(series.map((one) => one.previous ?? []));
  return Math.max(0, ...now, ...before.map((value) => value ?? 0));
}

/** Sum of each bucket over all series; null where none of them knows a value. */
export function sumSeries(rows: readonly (readonly (number | null)[])[]): (number | null)[] {
  const length = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length }, (_, index) =>
    rows.reduce<number | null>((sum, row) => {
      const value = row[index] ?? null;
      return value === null ? sum : (sum ?? 0) + value;
    }, null),
  );
}

function sumByBucket(rows: readonly (readonly (number | null)[])[]): number[] {
  return sumSeries(rows).map((value) => value ?? 0);
}

/**
 * Heights of the parts of one bar. What is seen although it is too small for a pixel takes it from the largest part, so that
 * the bar as a whole says what it should.
 */
function toPartHeights(values: readonly number[], perUnitPx: number): number[] {
  const exact = values.map((value) => value * perUnitPx);
  const seen = exact.map((px) => (px > 0 ? Math.max(PART_HEIGHT_MIN_PX, px) : 0));
  const sum = (heights: readonly number[]): number => heights.reduce((total, px) => total + px, 0);
  const largest = Math.max(0, ...seen);
  const lent = Math.min(sum(seen) - sum(exact), largest - PART_HEIGHT_MIN_PX);
  if (lent > 0) {
    seen[seen.indexOf(largest)] = largest - lent;
  }
  return seen;
}

/**
 * Stacks series into bars, the first at the bottom. Heights are proportional, but that what is not 0 is at least a
 * pixel high: one failed call among ten thousand is seen.
 *
 * @param max - Value at the top of the plot, above 0.
 */
export function toBarLayers(
  series: readonly TimeSeries[],
  { max, heightPx }: { max: number; heightPx: number },
): BarLayer[] {
  const count = Math.max(0, ...series.map((one) => one.values.length));
  const bars = Array.from({ length: count }, (_, index) =>
    toPartHeights(
      series.map((one) => Math.max(0, one.values[index] ?? 0)),
      heightPx / max,
    ),
  );
  const floors = bars.map(() => heightPx);
  return series.map(({ key }, place) => ({
    key,
    parts: bars.flatMap((heights, index) => {
      const partPx = heights[place] ?? 0;
      const topPx = (floors[index] ?? heightPx) - partPx;
      floors[index] = topPx;
      return partPx === 0 ? [] : [{ index, topPx, heightPx: partPx }];
    }),
  }));
}
