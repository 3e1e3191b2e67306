import { ChartSkeleton, LazyTimeLines } from "#components/usage/lazy-charts.tsx";
import { ReportCard } from "#components/usage/report-card.tsx";
import type { TimeCardProps } from "#components/usage/requests-card.tsx";
import { toLatencyTimeline } from "#components/usage/timeline.view-model.ts";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatMs } from "#platform/format-measure.ts";

/** The latency of the upstream over time. */
export function LatencyCard(props: TimeCardProps & { isCompared: boolean }) {
  return (
    <ReportCard
      title="Latency"
      description="Upstream response time by percentile."
      report={props.report}
      ask={props.ask}
      failure="The latencies could not be loaded."
      skeleton={<ChartSkeleton />}
    >
      {(report) => (
        <LazyTimeLines
          {...toLatencyTimeline(report, props.isCompared)}
          label="Latency percentiles"
          unit="response time"
          timeZone={report.timeZone}
          formats={createChartFormats(report.timeZone, { value: formatMs, exact: formatMs })}
          cutsPeaks
          emptyText="No calls were measured in this range."
          view={props.shown}
          onViewChange={props.onShow}
          onSelectRange={props.onSelectRange}
        />
      )}
    </ReportCard>
  );
}
