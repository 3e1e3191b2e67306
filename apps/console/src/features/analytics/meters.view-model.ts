import type { MeterMeasure } from "@turnpike/contract/meter-measure";
import type { BarListItem } from "@turnpike/ui/charts/bar-list";
import type { TimeSeries } from "@turnpike/ui/charts/chart-types";
import type { TimeGrain } from "@turnpike/ui/charts/time-buckets.view-model";
import type { Timeline } from "#components/usage/timeline.view-model.ts";
import type { ApiClient } from "#platform/api-client.ts";
import type { UsageFilters, UsageReport } from "#platform/usage-query.ts";
import {
  readMeasure,
  toMeasureValues,
  toPreviousValues,
  toReportBuckets,
} from "#platform/usage-series.ts";
import {
  type AnalyticsView,
  FILTER_DIMENSIONS,
  type FilterDimension,
  toUsageFilters,
} from "./analytics-search.view-model.ts";

export type Meter = Awaited<ReturnType<ApiClient["catalog"]["listMeters"]>>["items"][number];

export function toMeasure({ meterId }: Meter): MeterMeasure {
  return `meter:${meterId}`;
}

/**
 * Which meter is open: the chosen one, else the first that has usage, else the first.
 *
 * @param totals - Of each meter, in the same order; undefined while they are not known.
 * @returns Undefined without meters, and while it is not known which of them have usage.
 */
export function pickMeter(
  meters: readonly Meter[],
  totals: readonly (UsageReport["totals"] | undefined)[],
  chosen: string | undefined,
): Meter | undefined {
  const named = meters.find(({ meterId }) => meterId === chosen);
  if (named !== undefined) {
    return named;
  }
  for (const [index, meter] of meters.entries()) {
    const values = totals[index];
    if (values === undefined) {
      return;
    }
    if ((readMeasure(values, toMeasure(meter)) ?? 0) !== 0) {
      return meter;
    }
  }
  return meters[0];
}

/** True when parts of it can be added up: only then a share of it means something, and neighbours can be joined. */
export function isAddedUp({ aggregation }: Meter): boolean {
  return aggregation === "count" || aggregation === "sum";
}

/** How a meter counts, in words. */
export function toAggregationText({ aggregation }: Meter): string {
  const texts: Readonly<Record<Meter["aggregation"], string>> = {
    count: "count",
    sum: "sum",
    avg: "mean",
    min: "smallest",
    max: "largest",
    latest: "latest",
    unique_count: "different values",
  };
  return texts[aggregation];
}

/** Whether it is kept by the minute and by key; by the quarter of an hour otherwise. */
function isKeptFinely(meter: Meter, hasParts: boolean): boolean {
  return isAddedUp(meter) && !hasParts;
}

/** What of the filters an event has. */
function isAnswered(meter: Meter, name: FilterDimension, hasParts: boolean): boolean {
  const isOfCalls = meter.eventType === undefined;
  return isOfCalls || name === "environment" || (name === "key" && isKeptFinely(meter, hasParts));
}

/** The filters of the page that a meter can be narrowed by, and values of parts of its own. */
export function toMeterFilters(
  meter: Meter,
  view: AnalyticsView,
  events: readonly string[],
  hasParts: boolean = events.length > 0,
): UsageFilters {
  const filters = Object.entries(toUsageFilters(view)).filter(([name]) =>
    FILTER_DIMENSIONS.some((one) => one === name && isAnswered(meter, one, hasParts)),
  );
  const ofParts = events.length === 0 ? {} : { event: events };
  return { ...Object.fromEntries(filters), ...ofParts };
}

/** The filters of the page that say nothing about the events of a meter. */
export function listUnansweredFilters(meter: Meter, view: AnalyticsView): FilterDimension[] {
  const hasParts = view.events.length > 0;
  return FILTER_DIMENSIONS.filter(
    (name) => view.filters[name] !== undefined && !isAnswered(meter, name, hasParts),
  );
}

export function toMeterGrain(meter: Meter, grain: TimeGrain, events: readonly string[]): TimeGrain {
  const isFine = meter.eventType === undefined || isKeptFinely(meter, events.length > 0);
  return grain === "minute" && !isFine ? "hour" : grain;
}

/** Where nothing was counted: of what is counted 0, of means and extremes nothing is known. */
function toEmptyValue({ aggregation }: Meter): 0 | null {
  return ["count", "sum", "unique_count"].includes(aggregation) ? 0 : null;
}

export function toMeterValues(meter: Meter, report: UsageReport): (number | null)[] {
  return toMeasureValues(report, report.rows, toMeasure(meter), toEmptyValue(meter));
}

/** What a meter counted over time, and in the period before. */
export function toMeterTimeline(meter: Meter, report: UsageReport, isCompared: boolean): Timeline {
  const measure = toMeasure(meter);
  const empty = toEmptyValue(meter);
  const previous = isCompared ? toPreviousValues(report, () => true, measure, empty) : undefined;
  const series: TimeSeries = {
    key: meter.meterId,
    label: meter.name,
    tone: "accent",
    values: toMeterValues(meter, report),
    ...(previous === undefined ? {} : { previous }),
  };
  return { buckets: toReportBuckets(report), series: [series] };
}

/** What there was of each value of a part of events, as the report orders it. */
export function toPartItems(meter: Meter, report: UsageReport, part: string): BarListItem[] {
  return report.rows.flatMap((row): BarListItem[] => {
    const key = row.group[`event:${part}`] ?? "";
    const value = readMeasure(row.values, toMeasure(meter));
    const label = key === "" ? "Not known" : key;
    return value === null ? [] : [{ key, label, value }];
  });
}
