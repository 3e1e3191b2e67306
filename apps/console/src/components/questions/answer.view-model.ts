import { t } from "@lingui/core/macro";
import { listBucketStarts } from "@turnpike/domain/time/zoned-buckets";
import { SERIES_TONES, type TimeSeries } from "@turnpike/ui/charts/chart-types";
import {
  alignToBuckets,
  type TimeBucket,
  toBuckets,
} from "@turnpike/ui/charts/time-buckets.view-model";
import {
  formatBytes,
  formatExactShare,
  formatMs,
  formatQuantity,
} from "#platform/format-measure.ts";
import { toDimensionNoun } from "./dimension-label.view-model.ts";
import type { Answer } from "./questions.queries.ts";

export type Measure = Answer["measures"][number];
export type Row = Answer["rows"][number];
type Cell = Row["values"][string] | undefined;

const SERIES_MAX = 7;
const BARS_MAX = 20;

export const toNumber = (cell: Cell): number | null =>
  cell === null || cell === undefined ? null : Number(cell);

/** True for what is counted: nothing is zero, and parts add up. */
export const isCounted = ({ unit }: Measure): boolean =>
  unit === "count" || unit === "units" || unit === "bytes" || unit === "money";

/** A value with its unit; a dash for what is not known. */
export function formatValue({ unit, unitName }: Measure, cell: Cell): string {
  const value = toNumber(cell);
  if (value === null) {
    return "–";
  }
  switch (unit) {
    case "share":
      return formatExactShare(value);
    case "milliseconds":
      return formatMs(value);
    case "bytes":
      return formatBytes(value);
    case "money":
      // Money keeps the digits that the API wrote.
      return `${String(cell)}${unitName === null ? "" : ` ${unitName}`}`;
    default:
      return formatQuantity(value);
  }
}

/** What a group of an answer is called. */
export function nameGroup(answer: Pick<Answer, "dimensions" | "names">, row: Row): string {
  const names = answer.dimensions.map((dimension) => {
    const value = row.group[dimension] ?? "";
    return value === "" ? t`no ${toDimensionNoun(dimension)}` : (answer.names[value] ?? value);
  });
  return names.join(", ");
}

/** How an answer is drawn. */
export function toShape(answer: Answer): "series" | "bars" | "figures" | "table" {
  const { grain, dimensions, measures, rows } = answer;
  if (grain !== null && rows.some(({ time }) => time !== null)) {
    return "series";
  }
  if (dimensions.length === 0) {
    return "figures";
  }
  const isOne = dimensions.length === 1 && measures.length === 1;
  const isCompared = rows.some(({ before }) => before !== null);
  return isOne && !isCompared && rows.length > 1 && rows.length <= BARS_MAX ? "bars" : "table";
}

/** The series of an answer: one for each measure, or for the largest groups of the first one. */
export function toSeries(
  answer: Answer,
  { timeZone, nowMs }: { timeZone: string; nowMs: number },
): { buckets: TimeBucket[]; series: TimeSeries[]; isCut: boolean } {
  const { grain, measures, dimensions, rows } = answer;
  const [first] = measures;
  if (grain === null || first === undefined) {
    return { buckets: [], series: [], isCut: false };
  }
  const from = rows.map(({ time }) => Date.parse(time ?? "")).filter((ms) => !Number.isNaN(ms));
  const range = {
    fromMs: Math.max(
      Date.parse(answer.from),
      Date.parse(answer.from) === 0 ? Math.min(...from) : 0,
    ),
    toMs: Date.parse(answer.to),
  };
  const buckets = toBuckets(listBucketStarts(grain, timeZone, range), range);
  const draw = (measure: Measure, own: readonly Row[], side: "values" | "before") =>
    alignToBuckets(
      buckets,
      own.map((row) => ({
        timeMs: Math.max(range.fromMs, Date.parse(row.time ?? "")),
        value: toNumber(row[side]?.[measure.name]),
      })),
      isCounted(measure) ? 0 : null,
    ).map((value, at) => (value === 0 && (buckets[at]?.fromMs ?? 0) > nowMs ? null : value));
  const toOne = (
    measure: Measure,
    own: readonly Row[],
    { key, label, at }: { key: string; label: string; at: number },
  ): TimeSeries => ({
    key,
    label,
    tone: SERIES_TONES[at % SERIES_TONES.length] ?? "accent",
    values: draw(measure, own, "values"),
    ...(own.some(({ before }) => before !== null)
      ? { previous: draw(measure, own, "before") }
      : {}),
  });
  if (dimensions.length === 0) {
    const series = measures.map((measure, at) =>
      toOne(measure, rows, { key: measure.name, label: measure.title, at }),
    );
    return { buckets, series, isCut: false };
  }
  const groups = [...Map.groupBy(rows, (row) => nameGroup(answer, row))]
    .map(([name, own]) => ({
      name,
      own,
      size: own.reduce((sum, { values }) => sum + (toNumber(values[first.name]) ?? 0), 0),
    }))
    .sort((one, other) => other.size - one.size);
  const shown = groups.slice(0, SERIES_MAX);
  return {
    buckets,
    series: shown.map(({ name, own }, at) => toOne(first, own, { key: name, label: name, at })),
    isCut: groups.length > shown.length,
  };
}

const FILTERS = [
  "key",
  "route",
  "model",
  "method",
  "status",
  "status_class",
  "outcome",
  "environment",
  "event",
];

/** The address of the same figures on `/analytics`; `undefined` where it cannot show them. */
export function toAnalyticsSearch({
  usage,
}: Pick<Answer, "usage">): Record<string, string | number> | undefined {
  if (usage === null || usage["tenant"] !== undefined || usage["plan"] !== undefined) {
    return;
  }
  const meter = /^meter:(.+)$/.exec(usage["measures"] ?? "")?.[1];
  const part = /^event:(.+)$/.exec(usage["dimensions"] ?? "")?.[1];
  const kept = ["from", "to", "grain", "timeZone", "compare", ...FILTERS];
  return {
    ...Object.fromEntries(
      Object.entries(usage)
        .filter(([name]) => kept.includes(name))
        .map(([name, value]) => [name, /^[1-9]\d{0,8}$/.test(value) ? Number(value) : value]),
    ),
    ...(meter === undefined ? {} : { meter }),
    ...(part === undefined ? {} : { part }),
  };
}
