import {
  alignToBuckets,
  type TimeBucket,
  toBuckets,
} from "@turnpike/ui/charts/time-buckets.view-model";
import type { UsageMeasure, UsagePeriod, UsageReport } from "./usage-query.ts";

type Row = UsagePeriod["rows"][number];
type Values = UsagePeriod["totals"];

/** Measures that count: where nothing was reported there was nothing. Of the others nothing is known there. */
const COUNTS: ReadonlySet<UsageMeasure> = new Set([
  "requests",
  "billable",
  "errors",
  "denied",
  "bytes_in",
  "bytes_out",
]);

/** A measure as a number; null when it is not known or was not asked for. */
export function readMeasure(values: Values, measure: UsageMeasure): number | null {
  const value = values[measure];
  return value === undefined || value === null ? null : Number(value);
}

/** The buckets of a report's time axis; empty without one. */
export function toReportBuckets(period: UsagePeriod): TimeBucket[] {
  return toBuckets(period.times.map(Date.parse), {
    fromMs: Date.parse(period.from),
    toMs: Date.parse(period.to),
  });
}

/** One measure over the buckets of a period: 0 where a count has no row, null where a percentile has none. */
export function toMeasureValues(
  period: UsagePeriod,
  rows: readonly Row[],
  measure: UsageMeasure,
): (number | null)[] {
  // Rows name the start of their bucket, which may lie before the range.
  const starts = toBuckets(period.times.map(Date.parse), {
    fromMs: Number.NEGATIVE_INFINITY,
    toMs: Date.parse(period.to),
  });
  const points = rows.flatMap((row) =>
    row.time === null
      ? []
      : [{ timeMs: Date.parse(row.time), value: readMeasure(row.values, measure) }],
  );
  return alignToBuckets(starts, points, COUNTS.has(measure) ? 0 : null);
}

/** The same measure of the period before, by position; undefined when it was not asked for. */
export function toPreviousValues(
  report: UsageReport,
  isWanted: (row: Row) => boolean,
  measure: UsageMeasure,
): (number | null)[] | undefined {
  const { previous } = report;
  if (previous === null) {
    return;
  }
  const values = toMeasureValues(previous, previous.rows.filter(isWanted), measure);
  const empty = COUNTS.has(measure) ? 0 : null;
  // One period may have a bucket more than the other: months, and days on which clocks change.
  return report.times.map((_, index) => values[index] ?? empty);
}
