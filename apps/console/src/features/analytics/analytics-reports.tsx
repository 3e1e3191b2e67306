import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import { toCodeSamples } from "#components/code-samples.view-model.ts";
import { KpiRow } from "#components/usage/kpi-row.tsx";
import { RequestsCard } from "#components/usage/requests-card.tsx";
import { pageContentQuery } from "#platform/page-content.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { UsageReport } from "#platform/usage-query.ts";
import { type AnalyticsScope, analyticsQueries } from "./analytics.queries.ts";
import {
  type AnalyticsView,
  type ChartName,
  clearFilters,
  countFilters,
  type FilterDimension,
  setChartView,
  toggleFilter,
  toPresetLabel,
} from "./analytics-search.view-model.ts";
import type { KeyName } from "./breakdown.view-model.ts";
import { BreakdownCard } from "./cards/breakdown-card.tsx";
import { LatencyCard } from "./cards/latency-card.tsx";
import { MetersCard } from "./cards/meters-card.tsx";

export type AnalyticsReportsProps = {
  scope: AnalyticsScope;
  keyNames: ReadonlyMap<string, KeyName>;
  /** False until the width is known, which decides the grain. */
  isReady: boolean;
  onChange: (view: AnalyticsView) => void;
};

/** All that is shown of the usage that the filters leave. */
export function AnalyticsReports({ scope, keyNames, isReady, onChange }: AnalyticsReportsProps) {
  const { api } = usePlatform();
  const { view } = scope;
  const settings = { placeholderData: keepPreviousData<UsageReport>, enabled: isReady };
  const figures = useQuery({ ...analyticsQueries.figures(api, scope), ...settings });
  const overTime = useQuery({ ...analyticsQueries.outcomesOverTime(api, scope), ...settings });
  const statuses = useQuery({ ...analyticsQueries.statuses(api, scope), ...settings });
  const outcomes = useQuery({ ...analyticsQueries.outcomes(api, scope), ...settings });
  const routes = useQuery({ ...analyticsQueries.top(api, scope, "route"), ...settings });
  const keys = useQuery({ ...analyticsQueries.top(api, scope, "key"), ...settings });

  const preset = toPresetLabel(view);
  const against = preset === undefined ? "vs. period before" : `vs. ${preset} before`;
  const isEmpty = figures.data?.totals.requests === 0 && !figures.isPlaceholderData;
  if (isEmpty && countFilters(view) === 0) {
    return <NothingYet view={view} onChange={onChange} />;
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
      <RequestsCard title="Requests over time" report={overTime} {...chart("requests")} />
      {/* Columns of their own: a long list leaves no hole beside it. */}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <LatencyCard report={figures} isCompared={view.isCompared} {...chart("latency")} />
          <BreakdownCard
            title="Top routes"
            description="Paths with their variable parts left out."
            report={routes}
            measure="requests"
            nameHeading="Route"
            emptyText="No requests in this range."
            isMono
            {...narrow("route")}
          />
          <BreakdownCard
            title="Denials by reason"
            description="Calls that were not let through, and why."
            report={outcomes}
            measure="denied"
            nameHeading="Reason"
            emptyText="Nothing was denied in this range."
            {...narrow("outcome")}
          />
        </div>
        <div className="grid min-w-0 gap-4">
          <BreakdownCard
            title="Requests by status"
            description="The HTTP status that each caller got."
            report={statuses}
            measure="requests"
            nameHeading="Status"
            emptyText="No requests in this range."
            isMono
            {...narrow("status")}
          />
          <BreakdownCard
            title="Top keys"
            description="Who calls most."
            report={keys}
            measure="requests"
            nameHeading="Key"
            emptyText="No requests in this range."
            {...narrow("key")}
          />
          <MetersCard scope={scope} isReady={isReady} against={against} />
        </div>
      </div>
    </div>
  );
}

function NothingMatches({ onClear }: { onClear: () => void }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-line bg-surface px-4 py-3">
      <p>No requests in this range match the filters.</p>
      <Button onClick={onClear}>Clear filters</Button>
    </div>
  );
}

function NothingYet({
  view,
  onChange,
}: Pick<AnalyticsReportsProps, "onChange"> & { view: AnalyticsView }) {
  const { config } = usePlatform();
  const content = useQuery(pageContentQuery("landing"));
  const [curl] = toCodeSamples(config.urls.gateway, content.data?.samplePath ?? "/");
  const preset = toPresetLabel(view);
  const isLongest = preset === "90 days";
  return (
    <div className="rounded-card border border-line bg-surface">
      <EmptyState
        icon={<ChartNoAxesColumn />}
        title={`No requests in ${preset === undefined ? "this range" : `the last ${preset}`}`}
        action={
          !isLongest && (
            <Button onClick={() => onChange({ ...view, range: { preset: "90d" } })}>
              Show 90 days
            </Button>
          )
        }
        {...(curl !== undefined && {
          snippet: { subject: "A call through the gateway", code: curl.code },
        })}
      >
        Calls through the gateway appear here within seconds, by outcome, route, key and latency.
        Send one with a key of this tenant, whatever the path: every call is counted.
      </EmptyState>
    </div>
  );
}
