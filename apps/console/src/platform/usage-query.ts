import { queryOptions } from "@tanstack/react-query";
import type { USAGE_DIMENSIONS, UsageMeasure, UsageReport } from "@turnpike/contract/usage";
import type { ApiClient } from "./api-client.ts";

export type { UsageMeasure, UsageReport };
export type UsagePeriod = Pick<
  UsageReport,
  "from" | "to" | "times" | "rows" | "totals" | "truncated"
>;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];
export type UsageGrain = NonNullable<UsageReport["grain"]>;

/** The last so many milliseconds up to now, or a fixed range; half-open, epoch milliseconds. */
export type UsageRange = { lastMs: number } | { fromMs: number; toMs: number };

/** Values of a dimension that are counted; an empty list filters nothing, as a missing one. */
export type UsageFilters = Partial<Record<UsageDimension, readonly string[]>>;

type QueryInput = Parameters<ApiClient["usage"]["query"]>[0];

/** A question about the usage of one tenant, in the words of the console. */
export type UsageQuestion = {
  tenantId: QueryInput["tenantId"];
  measures: readonly UsageMeasure[];
  range: UsageRange;
  dimensions?: readonly UsageDimension[];
  filters?: UsageFilters;
  /** Left out: requests. */
  meter?: string;
  /** Left out: no time axis. */
  grain?: UsageGrain;
  /** IANA name. Left out: UTC. */
  timeZone?: string;
  /** A measure or dimension, descending with `-` in front. */
  order?: string;
  limit?: number;
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
  question: UsageQuestion,
  { refetchMs = false }: UsageQueryOptions = {},
) {
  return queryOptions({
    queryKey: ["usage", question.tenantId, question],
    queryFn: ({ signal }) => api.usage.query(toQueryInput(question, Date.now()), { signal }),
    refetchInterval: refetchMs,
    // What is about now is never fresh for a minute.
    staleTime: "lastMs" in question.range ? 0 : 60_000,
  });
}

/** Writes a question as the parameters of the API. */
export function toQueryInput(question: UsageQuestion, nowMs: number): QueryInput {
  const { tenantId, measures, dimensions = [], filters = {}, range } = question;
  const entries = Object.entries(filters).filter(([, values]) => values.length > 0);
  return {
    tenantId,
    measures: measures.join(","),
    dimensions: dimensions.join(","),
    ...Object.fromEntries(entries.map(([name, values]) => [name, joinCommaList(values)])),
    ...("lastMs" in range
      ? { from: toInstant(nowMs - range.lastMs) }
      : { from: toInstant(range.fromMs), to: toInstant(range.toMs) }),
    ...(question.meter === undefined ? {} : { meter: question.meter }),
    ...(question.grain === undefined ? {} : { grain: question.grain }),
    ...(question.timeZone === undefined ? {} : { timeZone: question.timeZone }),
    ...(question.order === undefined ? {} : { order: question.order }),
    ...(question.limit === undefined ? {} : { limit: question.limit }),
    ...(question.isCompared === true ? { compare: "previous" as const } : {}),
  };
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
