import { formatCount } from "#platform/format.ts";
import {
  type Change,
  formatCompact,
  formatExactShare,
  formatMs,
  toChange,
} from "#platform/format-measure.ts";
import type { UsagePeriod, UsageReport } from "#platform/usage-query.ts";
import { readMeasure, toMeasureValues } from "#platform/usage-series.ts";

/** One number of the top row, with its trend. */
export type Kpi = {
  key: "requests" | "success" | "denied" | "p95";
  label: string;
  /** "–" when it is not known. */
  value: string;
  /** The exact value and what it means, for who points at it. */
  explanation: string;
  change: Change | undefined;
  /** Whether the change is good; requests are neither. */
  verdict: "good" | "bad" | "neutral";
  trend: readonly (number | null)[];
};

const UNKNOWN = "–";

/** Makes the top row of a report that was compared with the period before. */
export function toKpis(report: UsageReport): readonly Kpi[] {
  const now = readFigures(report.totals);
  const before = report.previous === null ? undefined : readFigures(report.previous.totals);
  const trendOf = (measure: Parameters<typeof toMeasureValues>[2]) =>
    toMeasureValues(report, report.rows, measure);
  const requests = toChange(now.requests, before?.requests ?? null, "relative");
  const success = toChange(now.success, before?.success ?? null, "points");
  const denied = toChange(now.denied, before?.denied ?? null, "relative");
  const p95 = toChange(now.p95, before?.p95 ?? null, "relative");
  return [
    {
      key: "requests",
      label: "Requests",
      value: formatCompact(now.requests),
      explanation: `${formatCount(now.requests)} requests`,
      change: requests,
      verdict: "neutral",
      trend: trendOf("requests"),
    },
    {
      key: "success",
      label: "Success rate",
      value: now.success === null ? UNKNOWN : formatExactShare(now.success),
      explanation: "Share of the calls let through that were answered with a status below 500",
      change: success,
      verdict: judge(success, "up"),
      trend: trendOf("error_rate").map((rate) => (rate === null ? null : 1 - rate)),
    },
    {
      key: "denied",
      label: "Denied",
      value: formatCompact(now.denied),
      explanation: `${formatCount(now.denied)} calls not let through${
        now.requests === 0 ? "" : `, ${formatExactShare(now.denied / now.requests)} of all requests`
      }`,
      change: denied,
      verdict: judge(denied, "down"),
      trend: trendOf("denied"),
    },
    {
      key: "p95",
      label: "p95 latency",
      value: now.p95 === null ? UNKNOWN : formatMs(now.p95),
      explanation: "95 of 100 calls were answered by the upstream at least this fast",
      change: p95,
      verdict: judge(p95, "down"),
      trend: trendOf("latency_p95"),
    },
  ];
}

function readFigures(totals: UsagePeriod["totals"]) {
  const errorRate = readMeasure(totals, "error_rate");
  return {
    requests: readMeasure(totals, "requests") ?? 0,
    denied: readMeasure(totals, "denied") ?? 0,
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
