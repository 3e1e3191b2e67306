import { t } from "@lingui/core/macro";
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
      title={t`Latency`}
      description={t`Upstream response time by percentile.`}
      report={props.report}
      ask={props.ask}
      failure={t`The latencies could not be loaded.`}
      skeleton={<ChartSkeleton />}
    >
      {(report) => (
        <LazyTimeLines
          {...toLatencyTimeline(report, props.isCompared)}
          label={t`Latency percentiles`}
          unit={t`response time`}
          timeZone={report.timeZone}
          formats={createChartFormats(report.timeZone, { value: formatMs, exact: formatMs })}
          cutsPeaks
          emptyText={t`No calls were measured in this range.`}
          view={props.shown}
          onViewChange={props.onShow}
          onSelectRange={props.onSelectRange}
        />
      )}
    </ReportCard>
  );
}
