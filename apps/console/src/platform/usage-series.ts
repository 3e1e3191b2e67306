import {
  alignToBuckets,
  markIncomplete,
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

/**
 * The period before, to be compared with. Null where it was not asked for, and where not all of it is kept: less is known of
 * it than there was, and every change would look like growth.
 */
export function toKnownPrevious({ previous, keptFrom }: UsageReport): UsagePeriod | null {
  const isKept =
    previous !== null &&
    (keptFrom === undefined || Date.parse(keptFrom) <= Date.parse(previous.from));
  return isKept ? previous : null;
}

function toPeriodBuckets(period: UsagePeriod): TimeBucket[] {
  return toBuckets(period.times.map(Date.parse), {
    fromMs: Date.parse(period.from),
    toMs: Date.parse(period.to),
  });
}

/**
 * The buckets of a report's time axis, each with what it is compared with; empty without one. The first and the last are
 * marked where the range holds only a part of them.
 */
export function toReportBuckets(report: UsageReport): TimeBucket[] {
  const { grain, timeZone } = report;
  const before = report.previous === null ? [] : toPeriodBuckets(report.previous);
  const buckets = toPeriodBuckets(report).map((bucket, index) => {
    const previous = before[index];
    return previous === undefined ? bucket : { ...bucket, previous };
  });
  return grain === null
    ? buckets
    : markIncomplete(buckets, { startsMs: report.times.map(Date.parse), grain, timeZone });
}

/** What a measure is where nothing was reported: 0 of a count, null of a percentile. */
function toEmptyValue(measure: UsageMeasure): 0 | null {
  return COUNTS.has(measure) ? 0 : null;
}

/**
 * One measure over the buckets of a period.
 *
 * @param empty - Where there is no row; by the measure if left out, which of a meter is not known.
 */
export function toMeasureValues(
  period: UsagePeriod,
  rows: readonly Row[],
  measure: UsageMeasure,
  empty: 0 | null = toEmptyValue(measure),
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
  return alignToBuckets(starts, points, empty);
}

/** The same measure of the period before, by position; undefined when it was not asked for. */
export function toPreviousValues(
  report: UsageReport,
  isWanted: (row: Row) => boolean,
  measure: UsageMeasure,
  empty: 0 | null = toEmptyValue(measure),
): (number | null)[] | undefined {
  const { previous } = report;
  if (previous === null) {
    return;
  }
  const values = toMeasureValues(previous, previous.rows.filter(isWanted), measure, empty);
  // One period may have a bucket more than the other: months, and days on which clocks change.
  return report.times.map((_, index) => values[index] ?? empty);
}
