import { t } from "@lingui/core/macro";
import type { EventDimension, MeterMeasure } from "@turnpike/contract/meter-measure";
import { METER_STEP_MS } from "@turnpike/domain/metering/usage-range";
import type { BarListItem } from "@turnpike/ui/charts/bar-list";
import type { TimeSeries } from "@turnpike/ui/charts/chart-types";
import type { TimeGrain } from "@turnpike/ui/charts/time-buckets.view-model";
import type { Timeline } from "#components/usage/timeline.view-model.ts";
import type { ApiClient } from "#platform/api-client.ts";
import { nameMeter } from "#platform/name-meter.ts";
import type { UsageFilters, UsageRange, UsageReport } from "#platform/usage-query.ts";
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
  toUsageRange,
} from "./analytics-search.view-model.ts";
import { type KeyName, toDimensionName } from "./breakdown.view-model.ts";

/** What tokens are broken down by. */
const CALL_PARTS = ["model", "key", "route"] as const satisfies readonly FilterDimension[];
export type CallPart = (typeof CALL_PARTS)[number];

export type Meter = Awaited<ReturnType<ApiClient["catalog"]["listMeters"]>>["items"][number];

/** What every call costs one unit of. */
const REQUESTS = "requests";

/** Meters of calls that cost more than a call: tokens, or credits for them. */
export function listTokenMeters(meters: readonly Meter[]): Meter[] {
  return meters.filter(({ meterId, eventType }) => eventType === undefined && meterId !== REQUESTS);
}

/** What the usage of a meter can be broken down by: dimensions of its events, or of calls. */
export function listParts(meter: Meter): readonly (EventDimension | CallPart)[] {
  if (listTokenMeters([meter]).length > 0) {
    return CALL_PARTS;
  }
  return meter.dimensions?.map(({ name }) => `event:${name}` as const) ?? [];
}

export function isCallPart(part: EventDimension | CallPart): part is CallPart {
  return CALL_PARTS.some((one) => one === part);
}

/** The name of a part without what says that it is of events: "model" of `event:model`. */
export function toPartName(part: EventDimension | CallPart): string {
  return isCallPart(part) ? part : part.slice("event:".length);
}

export function toMeasure({ meterId }: Meter): MeterMeasure {
  return `meter:${meterId}`;
}

/**
 * Picks the open meter: the chosen one, else the first that has usage, else the first.
 *
 * @param totals - Of each meter, in the same order; undefined while they are not known.
 * @returns Undefined when there are no meters, and while it is not known which of them have usage.
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

/** True when values of the meter can be added up: only then does a share mean something, and only then can bars be joined. */
export function isAddedUp({ aggregation }: Meter): boolean {
  return aggregation === "count" || aggregation === "sum";
}

/** How a meter aggregates, in words. */
export function toAggregationText({ aggregation }: Meter): string {
  const texts: Readonly<Record<Meter["aggregation"], string>> = {
    count: t`count`,
    sum: t`sum`,
    avg: t`mean`,
    min: t`smallest`,
    max: t`largest`,
    latest: t`latest`,
    unique_count: t`distinct values`,
  };
  return texts[aggregation];
}

/** Whether the meter is stored by the minute and by key; otherwise it is stored in 15-minute steps. */
function isKeptFinely(meter: Meter, hasParts: boolean): boolean {
  return meter.eventType === undefined || (isAddedUp(meter) && !hasParts);
}

/** Whether a filter of the page applies to the events of a meter. */
function isAnswered(meter: Meter, name: FilterDimension, hasParts: boolean): boolean {
  const isOfCalls = meter.eventType === undefined;
  return isOfCalls || name === "environment" || (name === "key" && isKeptFinely(meter, hasParts));
}

/** The page filters that apply to a meter, plus its own dimension values. */
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

/**
 * The page filters that do not apply to the events of a meter.
 *
 * @param hasParts - Whether it is broken down or filtered by a dimension of its events.
 */
export function listUnansweredFilters(
  meter: Meter,
  view: AnalyticsView,
  hasParts: boolean = view.events.length > 0,
): FilterDimension[] {
  return FILTER_DIMENSIONS.filter(
    (name) => view.filters[name] !== undefined && !isAnswered(meter, name, hasParts),
  );
}

export function toMeterGrain(meter: Meter, grain: TimeGrain, events: readonly string[]): TimeGrain {
  return grain === "minute" && !isKeptFinely(meter, events.length > 0) ? "hour" : grain;
}

/**
 * Widens the range of the page to whole 15-minute steps for a meter that stores nothing finer: within one step the API has
 * no data.
 *
 * @returns Undefined when the range needs no widening.
 */
export function toWidenedRange(
  meter: Meter,
  view: AnalyticsView,
  hasParts: boolean,
): { fromMs: number; toMs: number } | undefined {
  const range = toUsageRange(view);
  if ("lastMs" in range || isKeptFinely(meter, hasParts)) {
    return;
  }
  const fromMs = Math.floor(range.fromMs / METER_STEP_MS) * METER_STEP_MS;
  const toMs = Math.ceil(range.toMs / METER_STEP_MS) * METER_STEP_MS;
  return fromMs === range.fromMs && toMs === range.toMs ? undefined : { fromMs, toMs };
}

/** The range that a meter is asked for. */
export function toMeterRange(meter: Meter, view: AnalyticsView, hasParts: boolean): UsageRange {
  return toWidenedRange(meter, view, hasParts) ?? toUsageRange(view);
}

/** Where nothing was counted, a count is 0; a mean or an extreme is unknown. */
function toEmptyValue({ aggregation }: Meter): 0 | null {
  return ["count", "sum", "unique_count"].includes(aggregation) ? 0 : null;
}

export function toMeterValues(meter: Meter, report: UsageReport): (number | null)[] {
  return toMeasureValues(report, report.rows, toMeasure(meter), toEmptyValue(meter));
}

/** What a meter counted over time, and in the previous period. */
export function toMeterTimeline(meter: Meter, report: UsageReport, isCompared: boolean): Timeline {
  const measure = toMeasure(meter);
  const empty = toEmptyValue(meter);
  const previous = isCompared ? toPreviousValues(report, () => true, measure, empty) : undefined;
  const series: TimeSeries = {
    key: meter.meterId,
    label: nameMeter(meter),
    tone: "accent",
    values: toMeterValues(meter, report),
    ...(previous === undefined ? {} : { previous }),
  };
  return { buckets: toReportBuckets(report), series: [series] };
}

/** The usage of each value of a dimension, in the order of the report. */
export function toPartItems(
  meter: Meter,
  report: UsageReport,
  part: EventDimension | CallPart,
  keyNames: ReadonlyMap<string, KeyName>,
): BarListItem[] {
  return report.rows.flatMap((row): BarListItem[] => {
    const key = row.group[part] ?? "";
    const value = readMeasure(row.values, toMeasure(meter));
    if (value === null || (value === 0 && isCallPart(part))) {
      return [];
    }
    const named = isCallPart(part)
      ? toDimensionName(part, key, keyNames)
      : { label: key === "" ? t`Unknown` : key };
    return [{ key, value, ...named }];
  });
}
