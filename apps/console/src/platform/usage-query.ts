import { queryOptions } from "@tanstack/react-query";
import type { EventDimension } from "@turnpike/contract/meter-measure";
import type { UsageReport } from "@turnpike/contract/usage";
import type { USAGE_DIMENSIONS, UsageMeasure, UsageQuestion } from "@turnpike/contract/usage-query";
import { createZone } from "@turnpike/ui/charts/zone.view-model";
import type { ApiClient } from "./api-client.ts";
import { askAgainIn } from "./ask-again-in.ts";

export type { UsageMeasure, UsageReport };
export type UsagePeriod = Pick<
  UsageReport,
  "from" | "to" | "times" | "rows" | "totals" | "truncated"
>;
/** What calls are broken down by and narrowed to. */
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];
export type UsageGrain = NonNullable<UsageReport["grain"]>;

/** The last so many milliseconds up to now, or a fixed range; half-open, epoch milliseconds. */
export type UsageRange = { lastMs: number } | { fromMs: number; toMs: number };

/** Values of a dimension that are counted; an empty list filters nothing, as a missing one. */
export type UsageFilters = Partial<Record<UsageDimension, readonly string[]>> & {
  /** Parts of events and their values: "model:small". */
  event?: readonly string[];
};

type QueryInput = Parameters<ApiClient["usage"]["query"]>[0];

/** A {@link UsageQuestion} of the contract as a screen asks it: of one tenant, with a range that may move with the clock. */
export type ScreenQuestion = Partial<
  Pick<UsageQuestion, "meter" | "grain" | "timeZone" | "limit">
> & {
  tenantId: QueryInput["tenantId"];
  measures: readonly UsageMeasure[];
  range: UsageRange;
  dimensions?: readonly (UsageDimension | EventDimension)[];
  filters?: UsageFilters;
  /** A measure or dimension, descending with `-` in front. */
  order?: string;
  /** Also asks for the period of equal length before. */
  isCompared?: boolean;
};

export type UsageQueryOptions = {
  /** Ask again in so many milliseconds; false or left out: not by itself. */
  refetchMs?: number | false;
};

/**
 * Makes the query of a question. "The last 24 hours" is resolved each time it is asked, so the same query moves on with
 * the clock and keeps its place in the cache.
 */
export function usageQuery(
  api: ApiClient,
  question: ScreenQuestion,
  { refetchMs = false }: UsageQueryOptions = {},
) {
  return queryOptions({
    queryKey: ["usage", question.tenantId, question],
    queryFn: async ({ signal }): Promise<UsageReport> => {
      const nowMs = Date.now();
      const now = api.usage.query(toQueryInput(question, nowMs), { signal });
      const earlier = toWholeWeeksBefore(question, nowMs);
      if (earlier === undefined) {
        return await now;
      }
      const before = api.usage.query(toQueryInput(earlier, nowMs), { signal });
      return withPrevious(...(await Promise.all([now, before])));
    },
    refetchInterval: askAgainIn(refetchMs),
    // What is about now is never fresh for a minute.
    staleTime: "lastMs" in question.range ? 0 : 60_000,
  });
}

/** A report with another one as the period before; from when on usage is kept holds for both. */
export function withPrevious(report: UsageReport, before: UsageReport): UsageReport {
  const { from, to, times, rows, totals, truncated } = before;
  const keptFrom = report.keptFrom ?? before.keptFrom;
  return {
    ...report,
    previous: { from, to, times, rows, totals, truncated },
    ...(keptFrom === undefined ? {} : { keptFrom }),
  };
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/**
 * How many whole weeks lie between a range and what it is compared with. Days of a week differ: a range of a week or more is
 * held against the same days of earlier weeks, the nearest that do not overlap it.
 *
 * @param lengthMs - Days are counted, whose hours clocks may change.
 * @returns Undefined where that is the period before, for ranges shorter than a week, and by months, which the API holds
 *   against whole months.
 */
export function countWeeksBefore(
  lengthMs: number,
  grain: UsageGrain | undefined,
): number | undefined {
  const days = Math.round(lengthMs / DAY_MS);
  return grain === "month" || days < 7 || days % 7 === 0 ? undefined : Math.ceil(days / 7);
}

/** The same question about whole weeks before, by the clocks of its zone; undefined where the API compares by itself. */
export function toWholeWeeksBefore(
  question: ScreenQuestion,
  nowMs: number,
): ScreenQuestion | undefined {
  const weeks =
    question.isCompared === true
      ? countWeeksBefore(toLengthMs(question.range), question.grain)
      : undefined;
  if (weeks === undefined) {
    return;
  }
  const { range, timeZone = "UTC" } = question;
  const zone = createZone(timeZone);
  const shift = (ms: number) => zone.toInstant(zone.toLocal(ms) - weeks * WEEK_MS);
  const { fromMs, toMs } =
    "lastMs" in range ? { fromMs: nowMs - range.lastMs, toMs: nowMs } : range;
  return { ...question, isCompared: false, range: { fromMs: shift(fromMs), toMs: shift(toMs) } };
}

function toLengthMs(range: UsageRange): number {
  return "lastMs" in range ? range.lastMs : range.toMs - range.fromMs;
}

/** Writes a question as the parameters of the API. */
export function toQueryInput(question: ScreenQuestion, nowMs: number): QueryInput {
  const { tenantId, measures, dimensions = [], filters = {}, range } = question;
  const entries = Object.entries(filters).filter(([, values]) => values.length > 0);
  return {
    tenantId,
    measures: measures.join(","),
    dimensions: dimensions.join(","),
    ...Object.fromEntries(entries.map(([name, values]) => [name, joinCommaList(values)])),
    ...toInstants(range, nowMs),
    ...(question.meter === undefined ? {} : { meter: question.meter }),
    ...(question.grain === undefined ? {} : { grain: question.grain }),
    ...(question.timeZone === undefined ? {} : { timeZone: question.timeZone }),
    ...(question.order === undefined ? {} : { order: question.order }),
    ...(question.limit === undefined ? {} : { limit: question.limit }),
    ...(question.isCompared === true &&
    countWeeksBefore(toLengthMs(range), question.grain) === undefined
      ? { compare: "previous" as const }
      : {}),
  };
}

/** A range as the API takes it; one that ends now has no end. */
export function toInstants(range: UsageRange, nowMs: number): { from: string; to?: string } {
  return "lastMs" in range
    ? { from: toInstant(nowMs - range.lastMs) }
    : { from: toInstant(range.fromMs), to: toInstant(range.toMs) };
}

function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Writes values as one parameter: `a,b`, with `\,` for a comma within a value and `\\` for a backslash. */
export function joinCommaList(values: readonly string[]): string {
  return values.map((value) => value.replaceAll(/[\\,]/g, (sign) => `\\${sign}`)).join(",");
}

/** Reads what {@link joinCommaList} wrote. The empty text is one value, the empty one. */
export function splitCommaList(text: string): string[] {
  const parts = [""];
  for (const [, escaped, plain] of text.matchAll(/\\([,\\])|(.)/gsu)) {
    if (plain === ",") {
      parts.push("");
    } else {
      parts.push((parts.pop() ?? "") + (escaped ?? plain ?? ""));
    }
  }
  return parts;
}
