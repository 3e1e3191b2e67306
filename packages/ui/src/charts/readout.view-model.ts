import type { TimeSeries } from "./chart-types.ts";
import { sumSeries } from "./time-bars.view-model.ts";

export type ReadoutRow = {
  series: TimeSeries;
  value: number | null;
  /** Undefined when nothing is compared. */
  previous: number | null | undefined;
};
export type Readout = {
  rows: readonly ReadoutRow[];
  /** Series that are not listed, because there are more than fit. */
  moreCount: number;
};

/** All series of a stack at one bucket, together. */
export type Total = { value: number | null; previous: number | null | undefined };

export function toTotal(series: readonly TimeSeries[], index: number): Total {
  const before = series.flatMap((one) => (one.previous === undefined ? [] : [one.previous]));
  return {
    value: sumSeries(series.map((one) => one.values))[index] ?? null,
    previous: before.length === 0 ? undefined : (sumSeries(before)[index] ?? null),
  };
}

/** As many series as a readout beside the pointer can list without covering the chart. */
const ROWS_MAX = 10;

/**
 * Lists what is known at one bucket. Of more than ten series the largest are listed, and how many are not.
 *
 * @param order - `stack` keeps the order of the bars, the top one first; `value` puts the largest first.
 */
export function toReadout(
  series: readonly TimeSeries[],
  index: number,
  order: "stack" | "value",
): Readout {
  const rows = series.map((one) => ({
    series: one,
    value: one.values[index] ?? null,
    previous: one.previous === undefined ? undefined : (one.previous[index] ?? null),
  }));
  const byValue = rows.toSorted((a, b) => (b.value ?? -1) - (a.value ?? -1));
  const kept = new Set(byValue.slice(0, ROWS_MAX));
  const ordered = order === "value" ? byValue : rows.toReversed();
  return {
    rows: ordered.filter((row) => kept.has(row)),
    moreCount: rows.length - kept.size,
  };
}
