import { USAGE_RANGE_DAYS_MAX } from "@turnpike/domain/metering/usage-range";
import {
  BUCKETS_MAX,
  countBuckets,
  pickGrain,
  TIME_GRAINS,
  type TimeGrain,
} from "@turnpike/ui/charts/time-buckets.view-model";
import { countTime } from "#components/time-words.ts";
import {
  joinCommaList,
  splitCommaList,
  type UsageDimension,
  type UsageFilters,
  type UsageRange,
} from "#platform/usage-query.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The ranges that end now. Addresses are read before any screen is shown, so labels wait until one is: the first number costs a formatter. */
export const RANGE_PRESETS = [
  { value: "1h", label: () => countTime(1, "hour"), words: "1 hour", lastMs: HOUR_MS },
  { value: "6h", label: () => countTime(6, "hour"), words: "6 hours", lastMs: 6 * HOUR_MS },
  { value: "24h", label: () => countTime(24, "hour"), words: "24 hours", lastMs: DAY_MS },
  { value: "7d", label: () => countTime(7, "day"), words: "7 days", lastMs: 7 * DAY_MS },
  { value: "30d", label: () => countTime(30, "day"), words: "30 days", lastMs: 30 * DAY_MS },
  { value: "90d", label: () => countTime(90, "day"), words: "90 days", lastMs: 90 * DAY_MS },
] as const;
export type RangePreset = (typeof RANGE_PRESETS)[number]["value"];
const PRESET_DEFAULT: RangePreset = "24h";

/** The dimensions that usage can be filtered by, in the order of the filter bar. */
export const FILTER_DIMENSIONS = [
  "outcome",
  "status_class",
  "status",
  "route",
  "method",
  "key",
  "environment",
  "model",
] as const satisfies readonly UsageDimension[];
export type FilterDimension = (typeof FILTER_DIMENSIONS)[number];

export const CHARTS = ["requests", "latency", "models", "meter"] as const;
export type ChartName = (typeof CHARTS)[number];

/** The format of each filter's values; the API rejects a whole question over one malformed value. */
const FILTER_PATTERNS: Readonly<Record<FilterDimension, RegExp>> = {
  outcome: /^[A-Z_]{1,40}$/,
  status_class: /^[1-5]xx$/,
  status: /^[1-5]\d\d$/,
  route: /^.{0,200}$/su,
  method: /^[A-Z]{0,7}$/,
  key: /^key_[0-9a-f]{32}$/,
  environment: /^(live|test)$/,
  model: /^(\{other\}|[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99})?$/,
};

const METER_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;
const PART_PATTERN = /^[a-z][a-z0-9_]{0,39}$/;
const EVENT_PATTERN = /^[a-z][a-z0-9_]{0,39}:.{0,80}$/su;

const SAVED_VIEW_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_~-]{0,127}$/;

/** More values of one filter than anyone chooses by hand; the API accepts no more. */
const FILTER_VALUES_MAX = 100;

/** The search parameters of `/analytics`. They hold the whole view, so it can be shared and Back works. */
export type AnalyticsSearch = {
  range?: string;
  from?: string;
  to?: string;
  grain?: string;
  timeZone?: string;
  compare?: "previous";
  /** Charts that are shown as tables. */
  tables?: string;
  live?: "off";
  /** The meter that models are drawn by; left out: requests. */
  models?: string;
  /** The open meter. */
  meter?: string;
  /** What it is broken down by: a dimension of its events, or of calls. */
  part?: string;
  /** Dimension values that it is filtered by: "model:small". */
  event?: string;
  /** The saved view that was opened; the other parameters hold what changed since. */
  view?: string;
} & { [Name in FilterDimension]?: string | number };

/** The current view, parsed from the search parameters. */
export type AnalyticsView = {
  range: { preset: RangePreset } | { fromMs: number; toMs: number };
  /** Undefined: chosen by range and width. */
  grain: TimeGrain | undefined;
  /** Undefined: the reader's own zone. */
  timeZone: string | undefined;
  isCompared: boolean;
  tables: readonly ChartName[];
  isPaused: boolean;
  /** The meter that models are drawn by; undefined: requests. */
  models: string | undefined;
  /** The open meter; undefined is the first one. */
  meter: string | undefined;
  /** What it is broken down by, a dimension of its events or of calls; undefined is the first one. */
  part: string | undefined;
  /** Dimension values that it is filtered by: "model:small". */
  events: readonly string[];
  /** The saved view that was opened. */
  savedView: string | undefined;
  filters: Readonly<Partial<Record<FilterDimension, readonly string[]>>>;
};

/** Keeps the search parameters that the page understands and drops the rest. */
export function parseAnalyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  return toAnalyticsSearch(toAnalyticsView(search));
}

/** Parses search parameters. Invalid values are dropped: an address never fails. */
export function toAnalyticsView(search: Record<string, unknown>): AnalyticsView {
  const text = (name: string) => {
    const value = search[name];
    // The router parses `status=404` as a number.
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  const filters = FILTER_DIMENSIONS.flatMap((name) => {
    const value = text(name);
    const values = value === undefined ? [] : [...new Set(splitCommaList(value))];
    const sensible = values.filter((one) => isFilterValue(name, one)).slice(0, FILTER_VALUES_MAX);
    const isAll = sensible.length === 0 || (name === "environment" && sensible.length > 1);
    return isAll ? [] : [[name, sensible] as const];
  });
  const tables = text("tables")?.split(",") ?? [];
  const timeZone = text("timeZone");
  const models = text("models");
  const meter = text("meter");
  const part = text("part");
  const savedView = text("view");
  return {
    range: readRange(text),
    grain: TIME_GRAINS.find((grain) => grain === text("grain")),
    timeZone: timeZone !== undefined && isKnownZone(timeZone) ? timeZone : undefined,
    isCompared: text("compare") === "previous",
    tables: CHARTS.filter((chart) => tables.includes(chart)),
    isPaused: text("live") === "off",
    models: models !== undefined && METER_PATTERN.test(models) ? models : undefined,
    meter: meter !== undefined && METER_PATTERN.test(meter) ? meter : undefined,
    part: part !== undefined && PART_PATTERN.test(part) ? part : undefined,
    events: [...new Set(splitCommaList(text("event") ?? ""))]
      .filter((value) => EVENT_PATTERN.test(value))
      .slice(0, FILTER_VALUES_MAX),
    savedView:
      savedView !== undefined && SAVED_VIEW_PATTERN.test(savedView) ? savedView : undefined,
    filters: Object.fromEntries(filters),
  };
}

/** True for a value that a dimension can be filtered by. Calls without a known key, for example, have none. */
export function isFilterValue(name: FilterDimension, value: string): boolean {
  return FILTER_PATTERNS[name].test(value);
}

function readRange(text: (name: string) => string | undefined): AnalyticsView["range"] {
  const fromMs = Date.parse(text("from") ?? "");
  const toMs = Date.parse(text("to") ?? "");
  if (fromMs >= 0 && fromMs < toMs) {
    return { fromMs, toMs };
  }
  const preset = RANGE_PRESETS.find(({ value }) => value === text("range"));
  return { preset: preset?.value ?? PRESET_DEFAULT };
}

function isKnownZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Writes a view as the shortest search parameters: defaults are left out. */
export function toAnalyticsSearch(view: AnalyticsView): AnalyticsSearch {
  const { range } = view;
  const filters = FILTER_DIMENSIONS.flatMap((name) => {
    const values = view.filters[name] ?? [];
    return values.length === 0 ? [] : [[name, toParameter(joinCommaList(values))] as const];
  });
  return {
    ...("preset" in range
      ? range.preset === PRESET_DEFAULT
        ? {}
        : { range: range.preset }
      : { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() }),
    ...(view.grain === undefined ? {} : { grain: view.grain }),
    ...(view.timeZone === undefined ? {} : { timeZone: view.timeZone }),
    ...(view.isCompared ? { compare: "previous" as const } : {}),
    ...(view.tables.length === 0 ? {} : { tables: view.tables.join(",") }),
    ...(view.isPaused ? { live: "off" as const } : {}),
    ...(view.models === undefined ? {} : { models: view.models }),
    ...(view.meter === undefined ? {} : { meter: view.meter }),
    ...(view.part === undefined ? {} : { part: view.part }),
    ...(view.events.length === 0 ? {} : { event: joinCommaList(view.events) }),
    ...(view.savedView === undefined ? {} : { view: view.savedView }),
    ...Object.fromEntries(filters),
  };
}

/** The router writes a number without quotes. */
function toParameter(text: string): string | number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : text;
}

/** The range as the API takes it. */
export function toUsageRange(view: AnalyticsView): UsageRange {
  const { range } = view;
  return "preset" in range ? { lastMs: findPreset(range.preset).lastMs } : range;
}

function findPreset(preset: RangePreset) {
  return RANGE_PRESETS.find(({ value }) => value === preset) ?? RANGE_PRESETS[2];
}

/** The range in words: "24 hours"; undefined for a custom range. */
export function toPresetLabel(view: AnalyticsView): string | undefined {
  return "preset" in view.range ? findPreset(view.range.preset).label() : undefined;
}

/** The same as questions name it, whose grammar is English. */
export function toPresetWords(view: AnalyticsView): string | undefined {
  return "preset" in view.range ? findPreset(view.range.preset).words : undefined;
}

/** The length of the range, in milliseconds. */
export function toLengthMs(view: AnalyticsView): number {
  const range = toUsageRange(view);
  return "lastMs" in range ? range.lastMs : range.toMs - range.fromMs;
}

/** True when the range includes now, so its data still changes. */
export function isLiveRange(view: AnalyticsView, nowMs: number): boolean {
  return "preset" in view.range || (view.range.fromMs <= nowMs && view.range.toMs > nowMs);
}

function isAnswered(lengthMs: number, grain: TimeGrain): boolean {
  return lengthMs <= USAGE_RANGE_DAYS_MAX[grain] * DAY_MS;
}

/** Grains that the API can answer and a chart can draw for the range: neither too many buckets nor a single one. */
export function listGrains(view: AnalyticsView): TimeGrain[] {
  const lengthMs = toLengthMs(view);
  return TIME_GRAINS.filter(
    (grain, index) =>
      isAnswered(lengthMs, grain) &&
      countBuckets(lengthMs, grain) <= BUCKETS_MAX * 2 &&
      (index === 0 || countBuckets(lengthMs, grain) > 2),
  );
}

/** The grain to ask for: the chosen one where the range allows it, else one by range and width. */
export function chooseGrain(view: AnalyticsView, widthPx: number): TimeGrain {
  const lengthMs = toLengthMs(view);
  const chosen = view.grain;
  if (chosen !== undefined && listGrains(view).includes(chosen)) {
    return chosen;
  }
  const picked = TIME_GRAINS.indexOf(pickGrain({ fromMs: 0, toMs: lengthMs, widthPx }));
  const answered = TIME_GRAINS.find(
    (grain, index) => index >= picked && isAnswered(lengthMs, grain),
  );
  return answered ?? "month";
}

/** Filters as the API takes them. */
export function toUsageFilters(view: AnalyticsView): UsageFilters {
  return view.filters;
}

/** The number of filter values in the view. */
export function countFilters(view: AnalyticsView): number {
  return FILTER_DIMENSIONS.reduce((sum, name) => sum + (view.filters[name]?.length ?? 0), 0);
}

/** Adds or removes a filter value. */
export function toggleFilter(
  view: AnalyticsView,
  name: FilterDimension,
  value: string,
): AnalyticsView {
  const values = view.filters[name] ?? [];
  return setFilter(
    view,
    name,
    values.includes(value) ? values.filter((one) => one !== value) : [...values, value],
  );
}

/** Sets a filter to exactly these values; an empty list removes it. */
export function setFilter(
  view: AnalyticsView,
  name: FilterDimension,
  values: readonly string[],
): AnalyticsView {
  const { [name]: _, ...others } = view.filters;
  // Both environments together are no filter; the frame's own switch knows one or both.
  const isAll = values.length === 0 || (name === "environment" && values.length > 1);
  return { ...view, filters: isAll ? others : { ...others, [name]: values } };
}

export function clearFilters(view: AnalyticsView): AnalyticsView {
  return { ...view, filters: {} };
}

/** Shows a chart as a table or as a chart. */
export function setChartView(
  view: AnalyticsView,
  chart: ChartName,
  shown: "chart" | "table",
): AnalyticsView {
  const others = view.tables.filter((one) => one !== chart);
  return { ...view, tables: shown === "table" ? [...others, chart] : others };
}

/** Opens a meter and resets the breakdown and filters of the previous one. */
export function openMeter(view: AnalyticsView, meter: string): AnalyticsView {
  return { ...view, meter, part: undefined, events: [] };
}

/** Adds or removes a filter on a dimension value of the meter's events. */
export function toggleEvent(view: AnalyticsView, part: string, value: string): AnalyticsView {
  const one = `${part}:${value}`;
  const others = view.events.filter((event) => event !== one);
  return { ...view, events: others.length < view.events.length ? others : [...others, one] };
}
