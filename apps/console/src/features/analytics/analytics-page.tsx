import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useWidth } from "@turnpike/ui/charts/use-width";
import { StatusDot } from "@turnpike/ui/status-dot";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import { Page } from "#components/page.tsx";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type AnalyticsScope, analyticsQueries, type TenantId } from "./analytics.queries.ts";
import { ANALYTICS_PAGE } from "./analytics-heading.ts";
import { AnalyticsReports } from "./analytics-reports.tsx";
import {
  type AnalyticsSearch,
  type AnalyticsView,
  chooseGrain,
  isLiveRange,
  toAnalyticsSearch,
  toAnalyticsView,
} from "./analytics-search.view-model.ts";
import { toKeyNames } from "./breakdown.view-model.ts";
import { ExportMenu } from "./export-menu.tsx";
import { FilterBar } from "./filters/filter-bar.tsx";

export type AnalyticsPageProps = {
  tenantId: TenantId;
  search: AnalyticsSearch;
  onSearchChange: (search: AnalyticsSearch) => void;
};

/** Beside the plot of a chart, in a card: padding and the labels of its axis, in pixels. */
const CHART_MARGINS_PX = 110;

/** `/analytics` */
export function AnalyticsPage({ tenantId, search, onSearchChange }: AnalyticsPageProps) {
  const { api } = usePlatform();
  const [ref, widthPx] = useWidth();
  const view = toAnalyticsView(search);
  const nowMs = Date.now();
  const scope: AnalyticsScope = {
    tenantId,
    view,
    grain: chooseGrain(view, widthPx - CHART_MARGINS_PX),
    timeZone: view.timeZone ?? readOwnTimeZone(),
    isLive: isLiveRange(view, nowMs) && !view.isPaused,
  };
  const keys = useQuery({
    ...analyticsQueries.keys(api, tenantId),
    placeholderData: keepPreviousData,
  });
  const keyNames = toKeyNames(keys.data?.items ?? []);
  const change = (next: AnalyticsView) => onSearchChange(toAnalyticsSearch(next));
  return (
    <Page
      {...ANALYTICS_PAGE}
      action={
        <div className="flex flex-wrap gap-2">
          {isLiveRange(view, nowMs) && (
            <LiveSwitch
              isPaused={view.isPaused}
              onChange={(isPaused) => change({ ...view, isPaused })}
            />
          )}
          <ExportMenu scope={scope} keyNames={keyNames} />
        </div>
      }
    >
      <FilterBar scope={scope} keyNames={keyNames} nowMs={nowMs} onChange={change} />
      {/* The grain depends on the width, so nothing is asked before it is known. */}
      <div ref={ref} className="mt-4">
        <AnalyticsReports
          scope={scope}
          keyNames={keyNames}
          isReady={widthPx > 0}
          onChange={change}
        />
      </div>
    </Page>
  );
}

type LiveSwitchProps = { isPaused: boolean; onChange: (isPaused: boolean) => void };

function LiveSwitch({ isPaused, onChange }: LiveSwitchProps) {
  return (
    <Button
      aria-label={isPaused ? "Paused: resume live updates" : "Live: pause updates"}
      onClick={() => onChange(!isPaused)}
    >
      <StatusDot
        tone={isPaused ? "neutral" : "ok"}
        label={isPaused ? "Paused" : "Live"}
        isLive={!isPaused}
      />
      {isPaused ? (
        <Play className="size-3.5 text-ink-faint" aria-hidden="true" />
      ) : (
        <Pause className="size-3.5 text-ink-faint" aria-hidden="true" />
      )}
    </Button>
  );
}
