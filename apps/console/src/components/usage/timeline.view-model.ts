import type { TimeSeries } from "@turnpike/ui/charts/chart-types";
import type { TimeBucket } from "@turnpike/ui/charts/time-buckets.view-model";
import type { UsageMeasure, UsagePeriod, UsageReport } from "#platform/usage-query.ts";
import { toMeasureValues, toPreviousValues, toReportBuckets } from "#platform/usage-series.ts";
import { OUTCOME_GROUPS, toOutcomeGroup } from "./outcomes.view-model.ts";

export type Timeline = { buckets: readonly TimeBucket[]; series: readonly TimeSeries[] };

type Row = UsagePeriod["rows"][number];

/** Rows of one bucket that differ in it are different rows: values of each are put together first, and added up then. */
function toOutcomeKey({ group }: Row): string {
  return `${group.outcome ?? ""} ${group.status_class ?? ""}`;
}

function toRowGroup({ group }: Row) {
  return toOutcomeGroup(group.outcome ?? "", group.status_class);
}

/**
 * Makes the stacked series of requests by outcome, similar outcomes together, and by class of status where the report has
 * it: a 5xx of the upstream is a failure. Groups that nothing belongs to are left
 * out; where nothing came at all, the calls that were let through are shown as zeros.
 */
export function toOutcomeTimeline(report: UsageReport): Timeline {
  const known = listOutcomes(report);
  const series = OUTCOME_GROUPS.flatMap((group): TimeSeries[] => {
    const outcomes = [...known].filter(([, one]) => one === group).map(([key]) => key);
    const isOnly = known.size === 0 && group === OUTCOME_GROUPS[0];
    if (outcomes.length === 0 && !isOnly) {
      return [];
    }
    const before = addUp(outcomes, (outcome) =>
      toPreviousValues(report, (row) => toOutcomeKey(row) === outcome, "requests"),
    );
    const none = report.times.map(() => 0);
    return [
      {
        ...group,
        values:
          addUp(outcomes, (outcome) => {
            const rows = report.rows.filter((row) => toOutcomeKey(row) === outcome);
            return toMeasureValues(report, rows, "requests");
          }) ?? none,
        ...(report.previous === null ? {} : { previous: before ?? none }),
      },
    ];
  });
  return { buckets: toReportBuckets(report), series };
}

function listOutcomes(report: UsageReport) {
  const rows = [...report.rows, ...(report.previous?.rows ?? [])];
  return new Map(rows.map((row) => [toOutcomeKey(row), toRowGroup(row)]));
}

function addUp(
  outcomes: readonly string[],
  toValues: (outcome: string) => (number | null)[] | undefined,
): (number | null)[] | undefined {
  return outcomes
    .map(toValues)
    .reduce<(number | null)[] | undefined>(
      (sum, values) =>
        sum === undefined || values === undefined
          ? (sum ?? values)
          : sum.map((value, index) => (value ?? 0) + (values[index] ?? 0)),
      undefined,
    );
}

const LATENCIES = [
  { key: "latency_p50", label: "p50", tone: "neutral" },
  { key: "latency_p95", label: "p95", tone: "accent" },
  { key: "latency_p99", label: "p99", tone: "danger" },
] as const satisfies readonly { key: UsageMeasure; label: string; tone: TimeSeries["tone"] }[];

/** Makes the lines of latency, in milliseconds. Where no call was measured nothing is known. */
export function toLatencyTimeline(report: UsageReport, isCompared: boolean): Timeline {
  return {
    buckets: toReportBuckets(report),
    series: LATENCIES.map(({ key, label, tone }) => {
      const previous = isCompared ? toPreviousValues(report, () => true, key) : undefined;
      return {
        key,
        label,
        tone,
        values: toMeasureValues(report, report.rows, key),
        ...(previous === undefined ? {} : { previous }),
      };
    }),
  };
}
