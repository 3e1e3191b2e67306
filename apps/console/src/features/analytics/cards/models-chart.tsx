import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Select } from "@turnpike/ui/select";
import { FailureNotice } from "#components/failure-notice.tsx";
import { ChartSkeleton, LazyTimeBars } from "#components/usage/lazy-charts.tsx";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatCompact, formatQuantity } from "#platform/format-measure.ts";
import { nameMeter } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { UsageReport } from "#platform/usage-query.ts";
import { type AnalyticsScope, analyticsQueries } from "../analytics.queries.ts";
import type { Meter } from "../meters.view-model.ts";
import { toModelsTimeline } from "../models-timeline.view-model.ts";

export type ModelsChartProps = {
  scope: AnalyticsScope;
  /** Those that any model cost units of. */
  meters: readonly Meter[];
  isReady: boolean;
  shown: "chart" | "table";
  onShow: (shown: "chart" | "table") => void;
  onSelectRange: (fromMs: number, toMs: number) => void;
  /** Undefined: requests. */
  onMeasure: (meterId: string | undefined) => void;
};

const REQUESTS = "requests";

/** Requests, or the units of a meter, over time by model. */
export function ModelsChart(props: ModelsChartProps) {
  const { scope, meters, isReady, onMeasure } = props;
  const { api } = usePlatform();
  const meter = meters.find(({ meterId }) => meterId === scope.view.models);
  const report = useQuery({
    ...analyticsQueries.modelsOverTime(api, scope, meter),
    placeholderData: keepPreviousData<UsageReport>,
    enabled: isReady,
  });
  return (
    <section aria-label={t`Models over time`} className="mb-4 min-w-0">
      {meters.length > 0 && (
        <div className="mb-3 w-56 max-w-full">
          <Select
            label={t`What is drawn by model`}
            value={meter?.meterId ?? REQUESTS}
            choices={[
              { value: REQUESTS, label: t`Requests` },
              ...meters.map((one) => ({ value: one.meterId, label: nameMeter(one) })),
            ]}
            onValueChange={(value) => onMeasure(value === REQUESTS ? undefined : value)}
          />
        </div>
      )}
      {report.isError && (
        <div className="mb-3">
          <FailureNotice
            what={t`Models over time: these numbers could not be loaded.`}
            cause={report.error}
            onRetry={() => void report.refetch()}
          />
        </div>
      )}
      {report.data === undefined ? (
        !report.isError && (
          <div role="status" aria-label={t`Loading: models over time`}>
            <ChartSkeleton />
          </div>
        )
      ) : (
        <Bars {...props} meter={meter} report={report.data} />
      )}
    </section>
  );
}

function Bars({
  scope,
  meter,
  report,
  shown,
  onShow,
  onSelectRange,
}: ModelsChartProps & { meter: Meter | undefined; report: UsageReport }) {
  return (
    <>
      <LazyTimeBars
        {...toModelsTimeline(report, meter)}
        label={meter === undefined ? t`Requests by model` : t`${nameMeter(meter)} by model`}
        unit={meter?.unit ?? t`requests`}
        grain={report.grain ?? scope.grain}
        timeZone={report.timeZone}
        formats={createChartFormats(report.timeZone, {
          value: formatCompact,
          exact: formatQuantity,
        })}
        emptyText={t`No call named a model in this range.`}
        isWhole={meter === undefined}
        view={shown}
        onViewChange={onShow}
        onSelectRange={onSelectRange}
      />
      {report.truncated && (
        <p className="mt-2 text-ink-muted text-xs">
          <Trans>
            There are too many models and steps to draw all of them: choose a longer step.
          </Trans>
        </p>
      )}
    </>
  );
}
