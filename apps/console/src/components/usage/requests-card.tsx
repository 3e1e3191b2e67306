import { t } from "@lingui/core/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import type { TimeGrain } from "@turnpike/ui/charts/time-buckets.view-model";
import type { ReactNode } from "react";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatCount, formatInstant } from "#platform/format.ts";
import { formatCompact } from "#platform/format-measure.ts";
import type { UsageReport } from "#platform/usage-query.ts";
import { ChartSkeleton, LazyTimeBars } from "./lazy-charts.tsx";
import { ReportCard } from "./report-card.tsx";
import { toOutcomeTimeline } from "./timeline.view-model.ts";

export type TimeCardProps = {
  report: UseQueryResult<UsageReport>;
  /** The question that the card answers. */
  ask?: string | undefined;
  grain: TimeGrain;
  timeZone: string;
  shown: "chart" | "table";
  onShow: (shown: "chart" | "table") => void;
  onSelectRange: (fromMs: number, toMs: number) => void;
};

export type RequestsCardProps = Omit<TimeCardProps, "onSelectRange"> & {
  /** Without it, a range cannot be selected. */
  onSelectRange?: TimeCardProps["onSelectRange"];
  title: string;
  /** Shown below the chart while it is empty. */
  empty?: ReactNode;
};

/** Requests over time, by outcome. */
export function RequestsCard({ title, empty, ...props }: RequestsCardProps) {
  return (
    <ReportCard
      title={title}
      description={t`Requests by outcome.`}
      report={props.report}
      ask={props.ask}
      failure={t`The requests could not be loaded.`}
      skeleton={<ChartSkeleton />}
    >
      {(report) => (
        <>
          <LazyTimeBars
            {...toOutcomeTimeline(report)}
            label={t`Requests by outcome`}
            unit={t`requests`}
            grain={report.grain ?? props.grain}
            timeZone={report.timeZone}
            formats={createChartFormats(report.timeZone, {
              value: formatCompact,
              exact: formatCount,
            })}
            emptyText={t`No requests in this range.`}
            view={props.shown}
            onViewChange={props.onShow}
            {...(props.onSelectRange === undefined ? {} : { onSelectRange: props.onSelectRange })}
          />
          {report.keptFrom !== undefined && (
            <p className="mt-3 text-ink-faint">
              {t`Usage is kept from ${formatInstant(report.keptFrom)}. Earlier usage is unknown, not zero.`}
            </p>
          )}
          {empty !== undefined && <div className="mt-3">{empty}</div>}
        </>
      )}
    </ReportCard>
  );
}
