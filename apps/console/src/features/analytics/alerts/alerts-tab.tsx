import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { joinClasses } from "@turnpike/ui/join-classes";
import { RelativeTime } from "@turnpike/ui/relative-time";
import BellRing from "lucide-react/icons/bell-ring";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toAlertProposal } from "#components/insights/alert-proposal.view-model.ts";
import { InsightNotes } from "#components/insights/insight-notes.tsx";
import { type Insight, insightsQueries } from "#components/insights/insights.queries.ts";
import { useOnceKnown } from "#components/use-once-known.ts";
import { usePlatform } from "#platform/platform.tsx";
import { alertsQuery, quotaAlertsQuery } from "#platform/shared-queries.ts";
import { analyticsQueries, type TenantId } from "../analytics.queries.ts";
import type { AnalyticsSearch } from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { type NamedMeters, toAlertState, toLastValueText, toRuleText } from "./alert.view-model.ts";
import { AlertDialogs, type AlertTask } from "./alert-dialogs.tsx";
import { draftFromProposal, draftFromView, listFilterTexts } from "./alert-draft.view-model.ts";
import { AlertMenu } from "./alert-menu.tsx";
import { AlertSheet } from "./alert-sheet.tsx";
import type { Alert } from "./alerts.queries.ts";
import type { AlertsSearch } from "./alerts-search.view-model.ts";
import { QuotaAlertsCard } from "./quota-alerts-card.tsx";
import { RunOutAlertsCard } from "./run-out-alerts-card.tsx";
import { useAlertActions } from "./use-alert-actions.ts";

export type AlertsTabProps = {
  tenantId: TenantId;
  /** False for viewers, who may not change alerts. */
  mayChange: boolean;
  keyNames: ReadonlyMap<string, KeyName>;
  search: AlertsSearch;
  onSearchChange: (search: AlertsSearch) => void;
  /** Opens the usage that an alert watches. */
  onShowUsage: (search: AnalyticsSearch) => void;
};

const NOTHING = draftFromView({ filters: {} });

function listColumns(
  keyNames: ReadonlyMap<string, KeyName>,
  meters: NamedMeters,
): readonly Column<Alert>[] {
  const nameKey = (keyId: string) => keyNames.get(keyId)?.name;
  return [
    {
      id: "name",
      header: t`Alert`,
      phone: "title",
      cell: (alert) => (
        <div className="min-w-0">
          <p className="font-medium [overflow-wrap:anywhere]">{alert.name}</p>
          <p className="font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
            {[toRuleText(alert, meters), ...listFilterTexts(alert.query.filters, nameKey)].join(
              " · ",
            )}
          </p>
        </div>
      ),
    },
    {
      id: "state",
      header: t`State`,
      className: "md:w-44",
      cell: (alert) => {
        const { tone, label } = toAlertState(alert);
        return (
          <div className="flex flex-col items-end gap-0.5 md:items-start">
            <Badge tone={tone}>{label}</Badge>
            {alert.pausedUntil !== null ? (
              <p className="text-ink-muted text-xs">
                <Trans>resumes</Trans> <RelativeTime at={alert.pausedUntil} isFocusable={false} />
              </p>
            ) : (
              alert.phase === "firing" &&
              alert.phaseSince !== null && (
                <p className="text-ink-muted text-xs">
                  <Trans>since</Trans> <RelativeTime at={alert.phaseSince} isFocusable={false} />
                </p>
              )
            )}
          </div>
        );
      },
    },
    {
      id: "value",
      header: t`Last value`,
      className: "md:w-40",
      cell: (alert) => (
        <div className="max-md:text-right">
          <p className="tabular-nums">{toLastValueText(alert, meters)}</p>
          {alert.evaluatedTo !== null && (
            <p className="text-ink-muted text-xs">
              <RelativeTime at={alert.evaluatedTo} isFocusable={false} />
            </p>
          )}
        </div>
      ),
    },
  ];
}

/** All alerts of the tenant, and its quota notifications. */
export function AlertsTab(props: AlertsTabProps) {
  const { tenantId, mayChange, keyNames, search, onSearchChange } = props;
  const { api } = usePlatform();
  const [task, setTask] = useState<AlertTask>();
  const actions = useAlertActions(tenantId);
  const meters = useQuery(analyticsQueries.meters(api)).data?.items ?? [];
  const alerts = useQuery(alertsQuery(api, tenantId));
  const isShown = useOnceKnown([
    alerts,
    useQuery(insightsQueries.open(api, tenantId)),
    useQuery(quotaAlertsQuery(api, tenantId)),
  ]);
  const open = alerts.data?.find(({ alertId }) => alertId === search.alert);
  const show = ({ alertId }: Alert) => onSearchChange({ tab: "alerts", alert: alertId });
  const add = () => setTask({ kind: "add", draft: NOTHING });
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          <Trans>
            Rules about usage, checked once a minute. They notify members in the console and by
            e-mail, and programs through webhooks.{" "}
            <a href="/docs/alerts" className="underline underline-offset-4">
              When an alert fires
            </a>
          </Trans>
        </p>
        {mayChange && (
          <Button look="primary" onClick={add}>
            <Trans>Create alert</Trans>
          </Button>
        )}
      </div>
      {alerts.isError && alerts.data === undefined ? (
        <FailureNotice
          what={t`The alerts could not be loaded.`}
          cause={alerts.error}
          onRetry={() => void alerts.refetch()}
        />
      ) : (
        <DataTable
          label={t`Alerts`}
          columns={listColumns(keyNames, meters)}
          rows={alerts.data}
          getRowId={({ alertId }) => alertId}
          getRowName={({ name }) => name}
          openRowId={search.alert}
          onRowOpen={show}
          {...(mayChange && {
            getRowActions: (alert: Alert) => (
              <AlertMenu
                alert={alert}
                actions={actions}
                onTask={setTask}
                onShow={() => show(alert)}
              />
            ),
          })}
          empty={
            <EmptyState icon={<BellRing />} title={t`No alerts yet`}>
              {mayChange
                ? t`Filter usage to what matters and choose “Alert me”, or create an alert on all usage here.`
                : t`Owners, admins and developers create alerts. Your role can view them.`}
            </EmptyState>
          }
        />
      )}
      <div className={joinClasses("space-y-4", !isShown && "hidden")}>
        <InsightNotes
          tenant={{ tenantId }}
          title={t`Unusual lately`}
          isShown={({ evidence }) => evidence !== null}
          {...(mayChange && {
            renderAction: (insight: Insight) => {
              const proposal = toAlertProposal(insight);
              return (
                proposal !== undefined && (
                  <button
                    type="button"
                    className="cursor-pointer font-medium text-ink underline underline-offset-4"
                    onClick={() => setTask({ kind: "add", draft: draftFromProposal(proposal) })}
                  >
                    <Trans>Make an alert of this</Trans>
                  </button>
                )
              );
            },
          })}
        />
        <QuotaAlertsCard tenantId={tenantId} mayChange={mayChange} />
        <RunOutAlertsCard tenantId={tenantId} mayChange={mayChange} />
      </div>
      <AlertSheet
        tenantId={tenantId}
        alert={open}
        keyNames={keyNames}
        actions={mayChange ? actions : undefined}
        onTask={setTask}
        onShowUsage={props.onShowUsage}
        onClose={() => onSearchChange({ tab: "alerts" })}
      >
        <AlertDialogs
          tenantId={tenantId}
          keyNames={keyNames}
          task={task}
          onTask={setTask}
          onSaved={() => undefined}
        />
      </AlertSheet>
    </div>
  );
}
