import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import { lazy, Suspense } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { KpiRow } from "#components/usage/kpi-row.tsx";
import { RequestsCard } from "#components/usage/requests-card.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { countWeeksBefore, type UsageReport } from "#platform/usage-query.ts";
import { type AnalyticsScope, analyticsQueries } from "./analytics.queries.ts";
import {
  type AnalyticsView,
  type ChartName,
  clearFilters,
  countFilters,
  type FilterDimension,
  setChartView,
  toggleFilter,
  toLengthMs,
  toPresetLabel,
  toPresetWords,
} from "./analytics-search.view-model.ts";
import type { KeyName } from "./breakdown.view-model.ts";
import { BreakdownCard } from "./cards/breakdown-card.tsx";
import { LatencyCard } from "./cards/latency-card.tsx";
import { MetersCard } from "./cards/meters-card.tsx";
import { listTokenMeters } from "./meters.view-model.ts";
import { useSampleCall } from "./use-sample-call.ts";

/** Few APIs have models, and its money is code of its own. */
const ModelsCard = lazy(async () => ({
  default: (await import("./cards/models-card.tsx")).ModelsCard,
}));

export type AnalyticsReportsProps = {
  scope: AnalyticsScope;
  keyNames: ReadonlyMap<string, KeyName>;
  /** False until the width is known, because the width decides the grain. */
  isReady: boolean;
  maySeeCosts: boolean;
  onChange: (view: AnalyticsView) => void;
};

/** All reports on the filtered usage. */
export function AnalyticsReports({
  scope,
  keyNames,
  isReady,
  maySeeCosts,
  onChange,
}: AnalyticsReportsProps) {
  const { api } = usePlatform();
  const { view } = scope;
  const settings = { placeholderData: keepPreviousData<UsageReport>, enabled: isReady };
  const figures = useQuery({ ...analyticsQueries.figures(api, scope), ...settings });
  const overTime = useQuery({ ...analyticsQueries.outcomesOverTime(api, scope), ...settings });
  const statuses = useQuery({ ...analyticsQueries.statuses(api, scope), ...settings });
  const outcomes = useQuery({ ...analyticsQueries.outcomes(api, scope), ...settings });
  const routes = useQuery({ ...analyticsQueries.top(api, scope, "route"), ...settings });
  const keys = useQuery({ ...analyticsQueries.top(api, scope, "key"), ...settings });
  const meters = useQuery(analyticsQueries.meters(api));

  const tokenMeters = listTokenMeters(meters.data?.items ?? []);

  const preset = toPresetLabel(view);
  // A question in words has none of the filters.
  const words = toPresetWords(view);
  const within = words === undefined || countFilters(view) > 0 ? undefined : `in the last ${words}`;
  const asked = within && `per ${scope.grain} ${within}`;
  const weeks = countWeeksBefore(toLengthMs(view), scope.grain);
  const against =
    weeks !== undefined
      ? t`vs. previous period, same weekdays`
      : preset === undefined
        ? t`vs. previous period`
        : t`vs. previous ${preset}`;
  const isEmpty = figures.data?.totals.requests === 0 && !figures.isPlaceholderData;
  if (isEmpty && countFilters(view) === 0) {
    return (
      <div className="space-y-4">
        <NothingYet view={view} onChange={onChange} />
        {meters.data?.items.some(({ eventType }) => eventType !== undefined) && (
          <MetersCard
            scope={scope}
            isReady={isReady}
            against={against}
            keyNames={keyNames}
            onChange={onChange}
          />
        )}
      </div>
    );
  }

  const narrow = (name: FilterDimension) => ({
    dimension: name,
    keyNames,
    selected: view.filters[name] ?? [],
    onSelect: (value: string) => onChange(toggleFilter(view, name, value)),
  });
  const chart = (name: ChartName) => ({
    grain: scope.grain,
    timeZone: scope.timeZone,
    shown: view.tables.includes(name) ? ("table" as const) : ("chart" as const),
    onShow: (shown: "chart" | "table") => onChange(setChartView(view, name, shown)),
    onSelectRange: (fromMs: number, toMs: number) =>
      onChange({ ...view, range: { fromMs, toMs }, grain: undefined }),
  });
  return (
    <div className="space-y-4">
      {isEmpty && <NothingMatches onClear={() => onChange(clearFilters(view))} />}
      <KpiRow report={figures} against={against} />
      <RequestsCard
        title={t`Requests over time`}
        report={overTime}
        ask={asked && `requests ${asked}`}
        {...chart("requests")}
      />
      <LatencyCard
        report={figures}
        isCompared={view.isCompared}
        ask={asked && `p95 latency ${asked}`}
        {...chart("latency")}
      />
      {/* Lists of similar length share a row, and cards in a row have equal height. */}
      <div className="grid gap-4 lg:grid-cols-2">
        <BreakdownCard
          title={t`Top routes`}
          description={t`Paths, with their variable parts collapsed.`}
          report={routes}
          ask={within && `top 10 routes by requests ${within}`}
          measure="requests"
          nameHeading={t`Route`}
          emptyText={t`No requests in this range.`}
          isMono
          {...narrow("route")}
        />
        <BreakdownCard
          title={t`Requests by status`}
          description={t`The HTTP status each caller received.`}
          report={statuses}
          ask={within && `requests by status ${within}`}
          measure="requests"
          nameHeading={t`Status`}
          emptyText={t`No requests in this range.`}
          isMono
          {...narrow("status")}
        />
        <BreakdownCard
          title={t`Top keys`}
          description={t`Keys with the most calls.`}
          report={keys}
          ask={within && `top 10 keys by requests ${within}`}
          measure="requests"
          nameHeading={t`Key`}
          emptyText={t`No requests in this range.`}
          {...narrow("key")}
        />
        <BreakdownCard
          title={t`Denials by reason`}
          description={t`Why calls were denied.`}
          report={outcomes}
          ask={asked && `denied requests ${asked}`}
          measure="denied"
          nameHeading={t`Reason`}
          emptyText={t`Nothing was denied in this range.`}
          {...narrow("outcome")}
        />
      </div>
      {tokenMeters.length > 0 && (
        <Suspense fallback={null}>
          <ModelsCard
            scope={scope}
            meters={tokenMeters}
            isReady={isReady}
            maySeeCosts={maySeeCosts}
            onSelect={(model) => onChange(toggleFilter(view, "model", model))}
            chart={{
              ...chart("models"),
              onMeasure: (models) => onChange({ ...view, models }),
            }}
          />
        </Suspense>
      )}
      <MetersCard
        scope={scope}
        isReady={isReady}
        against={against}
        asked={asked}
        keyNames={keyNames}
        onChange={onChange}
      />
    </div>
  );
}

function NothingMatches({ onClear }: { onClear: () => void }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-line bg-surface px-4 py-3">
      <p>
        <Trans>No requests in this range match the filters.</Trans>
      </p>
      <Button onClick={onClear}>
        <Trans>Clear filters</Trans>
      </Button>
    </div>
  );
}

function NothingYet({
  view,
  onChange,
}: Pick<AnalyticsReportsProps, "onChange"> & { view: AnalyticsView }) {
  const snippet = useSampleCall();
  const preset = toPresetLabel(view);
  const isLongest = "preset" in view.range && view.range.preset === "90d";
  return (
    <div className="rounded-card border border-line bg-surface">
      <EmptyState
        icon={<ChartNoAxesColumn />}
        title={t`No requests in ${preset === undefined ? t`this range` : t`the last ${preset}`}`}
        action={
          !isLongest && (
            <Button onClick={() => onChange({ ...view, range: { preset: "90d" } })}>
              <Trans>Show 90 days</Trans>
            </Button>
          )
        }
        {...(snippet !== undefined && { snippet })}
      >
        <Trans>
          Calls through the gateway appear here within seconds, by outcome, route, key and latency.
          Send one to any path with a key of this tenant.{" "}
          <DocsLink page="analytics#what-the-numbers-mean">What the numbers mean</DocsLink>
        </Trans>
      </EmptyState>
    </div>
  );
}
