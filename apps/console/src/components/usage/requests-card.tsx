import type { UseQueryResult } from "@tanstack/react-query";
import type { TimeGrain } from "@turnpike/ui/charts/time-buckets.view-model";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatCount } from "#platform/format.ts";
import { formatCompact } from "#platform/format-measure.ts";
import type { UsageReport } from "#platform/usage-query.ts";
import { ChartSkeleton, LazyTimeBars } from "./lazy-charts.tsx";
import { ReportCard } from "./report-card.tsx";
import { toOutcomeTimeline } from "./timeline.view-model.ts";

export type TimeCardProps = {
  report: UseQueryResult<UsageReport>;
  grain: TimeGrain;
  timeZone: string;
  shown: "chart" | "table";
  onShow: (shown: "chart" | "table") => void;
  onSelectRange: (fromMs: number, toMs: number) => void;
};

/** Requests over time, by what became of them. */
export function RequestsCard(props: TimeCardProps) {
  return (
    <ReportCard
      title="Requests"
      description="Every call by its outcome."
      report={props.report}
      failure="The requests could not be loaded."
      skeleton={<ChartSkeleton />}
    >
      {(report) => (
        <LazyTimeBars
          {...toOutcomeTimeline(report)}
          label="Requests by outcome"
          unit="requests"
          grain={report.grain ?? props.grain}
          timeZone={report.timeZone}
          formats={createChartFormats(report.timeZone, {
            value: formatCompact,
            exact: formatCount,
          })}
          emptyText="No requests in this range."
          view={props.shown}
          onViewChange={props.onShow}
          onSelectRange={props.onSelectRange}
        />
      )}
    </ReportCard>
  );
}
