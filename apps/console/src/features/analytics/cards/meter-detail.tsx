import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { BarList } from "@turnpike/ui/charts/bar-list";
import { Select } from "@turnpike/ui/select";
import { Skeleton } from "@turnpike/ui/skeleton";
import X from "lucide-react/icons/x";
import { FailureNotice } from "#components/failure-notice.tsx";
import { ChartSkeleton, LazyTimeBars, LazyTimeLines } from "#components/usage/lazy-charts.tsx";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatCompact, formatExactShare, formatQuantity } from "#platform/format-measure.ts";
import { nameMeter } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { UsageReport } from "#platform/usage-query.ts";
import { readMeasure } from "#platform/usage-series.ts";
import { type AnalyticsScope, analyticsQueries } from "../analytics.queries.ts";
import {
  type AnalyticsView,
  isFilterValue,
  setChartView,
  toggleEvent,
  toggleFilter,
} from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { FILTER_LABELS } from "../filters/filter-labels.ts";
import {
  isAddedUp,
  isCallPart,
  listParts,
  listUnansweredFilters,
  type Meter,
  toMeasure,
  toMeterTimeline,
  toPartItems,
  toPartName,
  toWidenedRange,
} from "../meters.view-model.ts";

export type MeterDetailProps = {
  meter: Meter;
  scope: AnalyticsScope;
  isReady: boolean;
  keyNames: ReadonlyMap<string, KeyName>;
  onChange: (view: AnalyticsView) => void;
};

/** One meter over time, and broken down by dimensions: of its events, or of the calls that cost it. */
export function MeterDetail(props: MeterDetailProps) {
  const { meter, scope, isReady, onChange } = props;
  const { api } = usePlatform();
  const { view } = scope;
  const report = useQuery({
    ...analyticsQueries.meter(api, scope, meter, view.events),
    placeholderData: keepPreviousData<UsageReport>,
    enabled: isReady,
  });
  const unanswered = listUnansweredFilters(meter, view).map((name) => FILTER_LABELS[name]);
  return (
    <section aria-label={t`${nameMeter(meter)}: over time`} className="min-w-0">
      {unanswered.length > 0 && (
        <p className="mb-2 text-ink-muted text-xs">
          <Trans>
            {nameMeter(meter)} counts events, so these filters do not apply: {unanswered.join(", ")}
            .
          </Trans>
        </p>
      )}
      {report.isError && (
        <div className="mb-3">
          <FailureNotice
            what={t`${nameMeter(meter)}: these numbers could not be loaded.`}
            cause={report.error}
            onRetry={() => void report.refetch()}
          />
        </div>
      )}
      {report.data === undefined ? (
        !report.isError && (
          <div role="status" aria-label={t`Loading: ${nameMeter(meter)}`}>
            <ChartSkeleton />
          </div>
        )
      ) : (
        <MeterChart meter={meter} scope={scope} report={report.data} onChange={onChange} />
      )}
      <RangeShown meter={meter} scope={scope} hasParts={view.events.length > 0} />
      <MeterParts {...props} />
    </section>
  );
}

/** The range that a meter is shown for, when it differs from the page's. */
function RangeShown({
  meter,
  scope,
  hasParts,
}: Pick<MeterDetailProps, "meter" | "scope"> & { hasParts: boolean }) {
  const range = toWidenedRange(meter, scope.view, hasParts);
  if (range === undefined) {
    return null;
  }
  const { span } = createChartFormats(scope.timeZone, {
    value: formatCompact,
    exact: formatQuantity,
  });
  return (
    <p className="mt-2 text-ink-muted text-xs">
      <Trans>Stored in 15-minute steps, so shown for {span(range)}.</Trans>
    </p>
  );
}

type MeterChartProps = Omit<MeterDetailProps, "isReady" | "keyNames"> & { report: UsageReport };

function MeterChart({ meter, scope, report, onChange }: MeterChartProps) {
  const { view } = scope;
  const chart = {
    ...toMeterTimeline(meter, report, view.isCompared),
    label: t`${nameMeter(meter)} over time`,
    unit: meter.unit,
    timeZone: report.timeZone,
    formats: createChartFormats(report.timeZone, { value: formatCompact, exact: formatQuantity }),
    emptyText: t`Nothing was counted in this range.`,
    view: view.tables.includes("meter") ? ("table" as const) : ("chart" as const),
    onViewChange: (shown: "chart" | "table") => onChange(setChartView(view, "meter", shown)),
    onSelectRange: (fromMs: number, toMs: number) =>
      onChange({ ...view, range: { fromMs, toMs }, grain: undefined }),
  };
  // Narrow bars are joined by adding them up, which only some meters allow.
  return isAddedUp(meter) ? (
    <LazyTimeBars {...chart} grain={report.grain ?? scope.grain} isWhole={false} />
  ) : (
    <LazyTimeLines {...chart} />
  );
}

function MeterParts({ meter, scope, isReady, keyNames, onChange }: MeterDetailProps) {
  const { api } = usePlatform();
  const { view } = scope;
  const parts = listParts(meter).map((dimension) => ({
    dimension,
    value: toPartName(dimension),
    label: isCallPart(dimension) ? FILTER_LABELS[dimension] : toPartName(dimension),
  }));
  const chosen = parts.find(({ value }) => value === view.part) ?? parts[0];
  const dimension = chosen?.dimension ?? "model";
  const report = useQuery({
    ...analyticsQueries.meterParts(api, scope, meter, dimension),
    placeholderData: keepPreviousData<UsageReport>,
    enabled: isReady && chosen !== undefined,
  });
  if (chosen === undefined) {
    return null;
  }
  const { value: name, label: part } = chosen;
  const items =
    report.data === undefined ? undefined : toPartItems(meter, report.data, dimension, keyNames);
  const selected = isCallPart(dimension)
    ? (view.filters[dimension] ?? [])
    : view.events
        .filter((one) => one.startsWith(`${name}:`))
        .map((one) => one.slice(name.length + 1));
  const toggle = (value: string) =>
    isCallPart(dimension) ? toggleFilter(view, dimension, value) : toggleEvent(view, name, value);
  // A notice above the chart applies to the breakdown as well.
  const ofWhole = listUnansweredFilters(meter, view);
  const unanswered = listUnansweredFilters(meter, view, true).filter(
    (name) => !ofWhole.includes(name),
  );
  return (
    <div className="mt-4">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <div className="w-44">
          <Select
            label={t`Break ${nameMeter(meter)} down by`}
            value={name}
            choices={parts.map(({ value, label }) => ({ value, label: t`By ${label}` }))}
            onValueChange={(next) => onChange({ ...view, part: next })}
          />
        </div>
        {view.events.map((one) => {
          const [event = "", ...rest] = one.split(":");
          return (
            <Button
              key={one}
              size="small"
              onClick={() => onChange(toggleEvent(view, event, rest.join(":")))}
            >
              <span className="sr-only">
                <Trans>Remove filter</Trans>{" "}
              </span>
              <span className="text-ink-muted">{event} </span>
              <span className="max-w-40 truncate">{rest.join(":") || t`Unknown`}</span>
              <X className="size-3.5" aria-hidden="true" />
            </Button>
          );
        })}
      </div>
      {unanswered.length > 0 && (
        <p className="mb-2 text-ink-muted text-xs">
          <Trans>
            The numbers by {part} ignore these filters:{" "}
            {unanswered.map((name) => FILTER_LABELS[name]).join(", ")}.
          </Trans>
        </p>
      )}
      {report.isError && (
        <FailureNotice
          what={t`${nameMeter(meter)} by ${part}: these numbers could not be loaded.`}
          cause={report.error}
          onRetry={() => void report.refetch()}
        />
      )}
      {items === undefined && !report.isError && (
        <div role="status" aria-label={t`Loading: ${nameMeter(meter)} by ${part}`}>
          <Skeleton className="h-24 w-full opacity-50" />
        </div>
      )}
      {items !== undefined && items.length === 0 && (
        <p className="py-2 text-ink-muted">
          <Trans>Nothing was counted in this range.</Trans>
        </p>
      )}
      {items !== undefined && items.length > 0 && (
        <BarList
          label={t`${nameMeter(meter)} by ${part}`}
          nameHeading={part}
          valueHeading={meter.unit}
          items={items.map((item) => ({
            ...item,
            isPlain: isCallPart(dimension) && !isFilterValue(dimension, item.key),
          }))}
          total={readMeasure(report.data?.totals ?? {}, toMeasure(meter)) ?? 0}
          formatValue={formatQuantity}
          {...(isAddedUp(meter) && { formatShare: formatExactShare })}
          isMono={dimension !== "key"}
          selectedKeys={selected}
          onSelect={(value) => onChange(toggle(value))}
        />
      )}
      {toWidenedRange(meter, view, view.events.length > 0) === undefined && (
        <RangeShown meter={meter} scope={scope} hasParts />
      )}
    </div>
  );
}
