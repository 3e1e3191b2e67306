import { t } from "@lingui/core/macro";
import { formatCount } from "#platform/format.ts";
import {
  type Change,
  formatCompact,
  formatExactShare,
  formatMs,
  formatQuantity,
  toChange,
} from "#platform/format-measure.ts";
import type { UsagePeriod, UsageReport } from "#platform/usage-query.ts";
import { readMeasure, toKnownPrevious, toMeasureValues } from "#platform/usage-series.ts";

/** One number of the top row, with its trend. */
export type Kpi = {
  key: "requests" | "success" | "denied" | "p95";
  label: string;
  /** "–" when it is not known. */
  value: string;
  /** What the value is of, in a few words that stand below it. */
  context: string;
  /** The exact value, for who points at it. */
  exact: string;
  change: Change | undefined;
  /** Whether the change is good; requests are neither. */
  verdict: "good" | "bad" | "neutral";
  trend: readonly (number | null)[];
};

const UNKNOWN = "–";

/** From this share of denied calls on, a success rate of the others says of how many it is. */
const MANY_DENIED = 0.1;

type KpiWords = Pick<Kpi, "key" | "label" | "context"> & {
  /** What is counted and what is not. */
  meaning: string;
};

/** What each number is called and means, known before there is one: the same words wherever it stands. */
export const KPI_WORDS: Readonly<Record<Kpi["key"], KpiWords>> = {
  requests: {
    key: "requests",
    label: t`Requests`,
    context: t`including denied calls`,
    meaning: t`Every call with a key of this tenant, including denied calls.`,
  },
  success: {
    key: "success",
    label: t`Success rate`,
    context: t`without a 5xx response`,
    meaning: t`The share of allowed calls that did not end in a 5xx. A 4xx such as 404 counts as success: the upstream answered, and the mistake was the caller’s. Denied calls are excluded.`,
  },
  denied: {
    key: "denied",
    label: t`Denied`,
    context: t`of all requests`,
    meaning: t`Calls denied because of their key, a rate limit, a quota or a scope. They never reach the upstream.`,
  },
  p95: {
    key: "p95",
    label: t`p95 latency`,
    context: t`upstream response time`,
    meaning: t`The upstream answered 95 of 100 calls at least this fast; 5 took longer. Denied calls are excluded.`,
  },
};

/** Makes the top row of a report that was compared with the period before. */
export function toKpis(report: UsageReport): readonly Kpi[] {
  const now = readFigures(report.totals);
  const previous = toKnownPrevious(report);
  const before = previous === null ? undefined : readFigures(previous.totals);
  const trendOf = (measure: Parameters<typeof toMeasureValues>[2]) =>
    toMeasureValues(report, report.rows, measure);
  const requests = toChange(now.requests, before?.requests ?? null, "relative");
  const success = toChange(now.success, before?.success ?? null, "points");
  const denied = toChange(now.denied, before?.denied ?? null, "relative");
  const p95 = toChange(now.p95, before?.p95 ?? null, "relative");
  return [
    {
      ...KPI_WORDS.requests,
      value: formatCompact(now.requests),
      exact: t`${formatCount(now.requests)} requests`,
      change: requests,
      verdict: "neutral",
      trend: trendOf("requests"),
    },
    {
      ...KPI_WORDS.success,
      ...(now.requests > 0 &&
        now.denied / now.requests >= MANY_DENIED && {
          context: t`of the ${formatExactShare(now.admitted / now.requests)} allowed, without a 5xx`,
        }),
      value: now.success === null ? UNKNOWN : formatExactShare(now.success),
      exact: toExactSuccess(now),
      change: success,
      verdict: judge(success, "up"),
      trend: trendOf("error_rate").map((rate) => (rate === null ? null : 1 - rate)),
    },
    {
      ...KPI_WORDS.denied,
      ...(now.requests > 0 && {
        context: `${formatExactShare(now.denied / now.requests)} ${KPI_WORDS.denied.context}`,
      }),
      value: formatCompact(now.denied),
      exact: t`${formatCount(now.denied)} denied calls`,
      change: denied,
      verdict: judge(denied, "down"),
      trend: trendOf("denied"),
    },
    {
      ...KPI_WORDS.p95,
      value: now.p95 === null ? UNKNOWN : formatMs(now.p95),
      exact: now.p95 === null ? t`No calls were measured` : t`${formatQuantity(now.p95)} ms`,
      change: p95,
      verdict: judge(p95, "down"),
      trend: trendOf("latency_p95"),
    },
  ];
}

function toExactSuccess({ errors, admitted }: ReturnType<typeof readFigures>): string {
  return admitted === 0
    ? t`No calls were allowed`
    : t`${formatCount(admitted - errors)} of ${formatCount(admitted)} allowed calls`;
}

function readFigures(totals: UsagePeriod["totals"]) {
  const errorRate = readMeasure(totals, "error_rate");
  const requests = readMeasure(totals, "requests") ?? 0;
  const denied = readMeasure(totals, "denied") ?? 0;
  return {
    requests,
    denied,
    admitted: requests - denied,
    errors: readMeasure(totals, "errors") ?? 0,
    success: errorRate === null ? null : 1 - errorRate,
    p95: readMeasure(totals, "latency_p95"),
  };
}

function judge(change: Change | undefined, good: "up" | "down"): Kpi["verdict"] {
  return change === undefined || change.direction === "same"
    ? "neutral"
    : change.direction === good
      ? "good"
      : "bad";
}
