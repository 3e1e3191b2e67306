import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useWidth } from "@turnpike/ui/charts/use-width";
import { StatusDot } from "@turnpike/ui/status-dot";
import { Tabs } from "@turnpike/ui/tabs";
import Bookmark from "lucide-react/icons/bookmark";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import { lazy } from "react";
import { LateContent } from "#components/late-content.tsx";
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
import { FilterBar } from "./filters/filter-bar.tsx";
import { OutdatedNotice } from "./views/outdated-notice.tsx";
import { useSavedViews } from "./views/use-saved-views.ts";
import { ViewsMenu } from "./views/views-menu.tsx";

const LivePanel = lazy(async () => ({
  default: (await import("./live/live-panel.tsx")).LivePanel,
}));
const CallsPanel = lazy(async () => ({
  default: (await import("./calls/calls-panel.tsx")).CallsPanel,
}));
const ExportsPanel = lazy(async () => ({
  default: (await import("./exports/exports-panel.tsx")).ExportsPanel,
}));
const AlertsTab = lazy(async () => ({
  default: (await import("./alerts/alerts-tab.tsx")).AlertsTab,
}));

export type AnalyticsPageProps = {
  tenantId: TenantId;
  userId: string;
  /** The person's scopes in the tenant; operators may do everything. */
  mayChangeAlerts: boolean;
  mayEndExportsOfOthers: boolean;
  maySaveViews: boolean;
  maySeeCosts: boolean;
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
            {saved === undefined && props.maySaveViews && (
              // Without it the other buttons would move when the views arrive.
              <Button disabled>
                <Bookmark className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
                <Trans>Views</Trans>
              </Button>
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
        label={t`Analytics`}
        value={tab}
        onValueChange={(next) => showAlerts(next === "usage" ? {} : { tab: next })}
        tabs={[
          {
            value: "usage",
            label: t`Usage`,
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
                    maySeeCosts={props.maySeeCosts}
                    onChange={change}
                  />
                </div>
              </>
            ),
          },
          {
            value: "live",
            label: t`Live calls`,
            content: (
              <LateContent>
                <LivePanel
                  scope={scope}
                  keyNames={keyNames}
                  onChange={(next) => onSearchChange({ ...toAnalyticsSearch(next), tab: "live" })}
                />
              </LateContent>
            ),
          },
          {
            value: "calls",
            label: t`Recent calls`,
            content: (
              <LateContent>
                <CallsPanel
                  scope={scope}
                  keyNames={keyNames}
                  nowMs={nowMs}
                  requestId={parseAlertsSearch(search).request}
                  onChange={(next) => onSearchChange({ ...toAnalyticsSearch(next), tab: "calls" })}
                  onOpen={(request) =>
                    showAlerts({ tab: "calls", ...(request !== undefined && { request }) })
                  }
                />
              </LateContent>
            ),
          },
          {
            value: "exports",
            label: t`Exports`,
            content: (
              <LateContent>
                <ExportsPanel
                  scope={scope}
                  userId={userId}
                  mayEndOthers={props.mayEndExportsOfOthers}
                />
              </LateContent>
            ),
          },
          {
            value: "alerts",
            label: t`Alerts`,
            ...(firing > 0 && { count: firing }),
            content: (
              <LateContent>
                <AlertsTab
                  tenantId={tenantId}
                  mayChange={mayChangeAlerts}
                  keyNames={keyNames}
                  search={search}
                  onSearchChange={showAlerts}
                  onShowUsage={onSearchChange}
                />
              </LateContent>
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
      aria-label={isPaused ? t`Paused: resume live updates` : t`Live: pause updates`}
      onClick={() => onChange(!isPaused)}
    >
      <StatusDot
        tone={isPaused ? "neutral" : "ok"}
        label={isPaused ? t`Paused` : t`Live`}
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
