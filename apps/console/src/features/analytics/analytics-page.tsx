import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useWidth } from "@turnpike/ui/charts/use-width";
import { StatusDot } from "@turnpike/ui/status-dot";
import { Tabs } from "@turnpike/ui/tabs";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import { Page } from "#components/page.tsx";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { usePlatform } from "#platform/platform.tsx";
import { alertsQuery } from "#platform/shared-queries.ts";
import { countFiring } from "./alerts/alert.view-model.ts";
import { AlertMe } from "./alerts/alert-me.tsx";
import {
  type AlertsSearch,
  type AnalyticsTab,
  parseAlertsSearch,
} from "./alerts/alerts-search.view-model.ts";
import { AlertsTab } from "./alerts/alerts-tab.tsx";
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
import { ExportButton } from "./exports/export-dialog.tsx";
import { ExportsPanel } from "./exports/exports-panel.tsx";
import { FilterBar } from "./filters/filter-bar.tsx";
import { LivePanel } from "./live/live-panel.tsx";
import { OutdatedNotice } from "./views/outdated-notice.tsx";
import { useSavedViews } from "./views/use-saved-views.ts";
import { ViewsMenu } from "./views/views-menu.tsx";

export type AnalyticsPageProps = {
  tenantId: TenantId;
  userId: string;
  /** The person's scopes in the tenant; operators may do everything. */
  mayChangeAlerts: boolean;
  mayEndExportsOfOthers: boolean;
  maySaveViews: boolean;
  search: AnalyticsSearch & AlertsSearch;
  onSearchChange: (search: AnalyticsSearch & AlertsSearch) => void;
};

/** Space next to the plot of a chart in a card: padding and axis labels, in pixels. */
const CHART_MARGINS_PX = 110;

/** `/analytics` */
export function AnalyticsPage(props: AnalyticsPageProps) {
  const { tenantId, userId, mayChangeAlerts, search, onSearchChange } = props;
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
  const alerts = useQuery(alertsQuery(api, tenantId));
  const firing = countFiring(alerts.data ?? []);
  // The router passes the raw search parameters along with the parsed ones.
  const tab = parseAlertsSearch(search).tab ?? "usage";
  const owner = { tenantId, userId };
  const saved = useSavedViews(owner, search, onSearchChange);
  const change = (next: AnalyticsView) => onSearchChange(toAnalyticsSearch(next));
  // The usage view stays in the address while alerts are shown.
  const showAlerts = (next: AlertsSearch) =>
    onSearchChange({ ...toAnalyticsSearch(view), ...next });
  return (
    <Page
      {...ANALYTICS_PAGE}
      {...(tab === "usage" && {
        action: (
          <div className="flex flex-wrap gap-2">
            {isLiveRange(view, nowMs) && (
              <LiveSwitch
                isPaused={view.isPaused}
                onChange={(isPaused) => change({ ...view, isPaused })}
              />
            )}
            {saved !== undefined && (props.maySaveViews || saved.views.length > 0) && (
              <ViewsMenu
                owner={owner}
                saved={saved}
                view={view}
                maySave={props.maySaveViews}
                onSearchChange={onSearchChange}
              />
            )}
            {mayChangeAlerts && (
              <AlertMe
                tenantId={tenantId}
                view={view}
                keyNames={keyNames}
                onSaved={() => showAlerts({ tab: "alerts" })}
              />
            )}
            <ExportButton scope={scope} onBegun={() => showAlerts({ tab: "exports" })} />
          </div>
        ),
      })}
    >
      <Tabs<AnalyticsTab>
        label="Analytics"
        value={tab}
        onValueChange={(next) => showAlerts(next === "usage" ? {} : { tab: next })}
        tabs={[
          {
            value: "usage",
            label: "Usage",
            content: (
              <>
                {saved !== undefined && <OutdatedNotice saved={saved} savedView={view.savedView} />}
                <FilterBar scope={scope} keyNames={keyNames} nowMs={nowMs} onChange={change} />
                {/* The grain depends on the width, so nothing is requested until the width is known. */}
                <div ref={ref} className="mt-4">
                  <AnalyticsReports
                    scope={scope}
                    keyNames={keyNames}
                    isReady={widthPx > 0}
                    onChange={change}
                  />
                </div>
              </>
            ),
          },
          {
            value: "live",
            label: "Live calls",
            content: (
              <LivePanel
                scope={scope}
                keyNames={keyNames}
                onChange={(next) => onSearchChange({ ...toAnalyticsSearch(next), tab: "live" })}
              />
            ),
          },
          {
            value: "exports",
            label: "Exports",
            content: (
              <ExportsPanel
                scope={scope}
                userId={userId}
                mayEndOthers={props.mayEndExportsOfOthers}
              />
            ),
          },
          {
            value: "alerts",
            label: "Alerts",
            ...(firing > 0 && { count: firing }),
            content: (
              <AlertsTab
                tenantId={tenantId}
                mayChange={mayChangeAlerts}
                keyNames={keyNames}
                search={search}
                onSearchChange={showAlerts}
                onShowUsage={onSearchChange}
              />
            ),
          },
        ]}
      />
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
