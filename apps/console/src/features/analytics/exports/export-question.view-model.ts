import { t } from "@lingui/core/macro";
import type { ScreenQuestion } from "#platform/usage-query.ts";
import { toQueryInput } from "#platform/usage-query.ts";
import type { AnalyticsScope } from "../analytics.queries.ts";
import { toUsageFilters, toUsageRange } from "../analytics-search.view-model.ts";

type Asked = Pick<ScreenQuestion, "measures" | "dimensions"> & { isTimed: boolean };

/** The subjects that a view can export: the contents of its cards, and everything in one table. */
export const EXPORT_SUBJECTS = [
  {
    value: "outcomes-over-time",
    label: t`Requests over time, by outcome`,
    asked: { measures: ["requests", "billable"], dimensions: ["outcome"], isTimed: true },
  },
  {
    value: "figures",
    label: t`Latency, errors and bytes over time`,
    asked: {
      measures: [
        "requests",
        "errors",
        "error_rate",
        "denied",
        "latency_avg",
        "latency_p50",
        "latency_p95",
        "latency_p99",
        "bytes_in",
        "bytes_out",
      ],
      isTimed: true,
    },
  },
  {
    value: "statuses",
    label: t`Requests by status`,
    asked: { measures: ["requests"], dimensions: ["status"], isTimed: false },
  },
  {
    value: "outcomes",
    label: t`Requests by outcome, denials by their reason`,
    asked: { measures: ["requests", "denied"], dimensions: ["outcome"], isTimed: false },
  },
  {
    value: "routes",
    label: t`All routes`,
    asked: {
      measures: ["requests", "errors", "denied", "latency_p95"],
      dimensions: ["route"],
      isTimed: false,
    },
  },
  {
    value: "keys",
    label: t`All keys`,
    asked: {
      measures: ["requests", "errors", "denied", "latency_p95"],
      dimensions: ["key"],
      isTimed: false,
    },
  },
  {
    value: "everything",
    label: t`Everything over time, in full detail`,
    asked: {
      measures: ["requests", "billable", "errors", "denied", "bytes_in", "bytes_out"],
      dimensions: ["key", "environment", "method", "route", "status", "outcome"],
      isTimed: true,
    },
  },
] as const satisfies readonly { value: string; label: string; asked: Asked }[];
export type ExportSubject = (typeof EXPORT_SUBJECTS)[number]["value"];

/** The question of an export: its subject over the view's range, filters and time zone. */
export function toExportQuestion(
  subject: ExportSubject,
  scope: Pick<AnalyticsScope, "tenantId" | "view" | "grain" | "timeZone">,
  nowMs: number,
): Record<string, string> {
  const asked: Asked =
    EXPORT_SUBJECTS.find(({ value }) => value === subject)?.asked ?? EXPORT_SUBJECTS[0].asked;
  const { isTimed, ...question } = asked;
  const { tenantId: _, ...parameters } = toQueryInput(
    {
      ...question,
      tenantId: scope.tenantId,
      range: toUsageRange(scope.view),
      filters: toUsageFilters(scope.view),
      timeZone: scope.timeZone,
      ...(isTimed && { grain: scope.grain }),
    },
    nowMs,
  );
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, String(value)]),
  );
}
