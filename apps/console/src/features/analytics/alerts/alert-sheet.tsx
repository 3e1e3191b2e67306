import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button, toButtonClasses } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Sheet } from "@turnpike/ui/sheet";
import type { ReactNode } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { analyticsQueries, type TenantId } from "../analytics.queries.ts";
import type { AnalyticsSearch } from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import {
  type NamedMeters,
  toAlertState,
  toLastValueText,
  toMeasuredText,
  toNotifiedText,
  toRuleFacts,
  toRuleText,
} from "./alert.view-model.ts";
import type { AlertTask } from "./alert-dialogs.tsx";
import { listFilterTexts } from "./alert-draft.view-model.ts";
import { AlertHistory } from "./alert-history.tsx";
import { PauseMenu } from "./alert-menu.tsx";
import { AlertPastChart } from "./alert-past-chart.tsx";
import { toQuestionSearch } from "./alert-question.view-model.ts";
import { type Alert, alertsQueries } from "./alerts.queries.ts";
import type { useAlertActions } from "./use-alert-actions.ts";

export type AlertSheetProps = {
  tenantId: TenantId;
  /** Undefined: closed. */
  alert: Alert | undefined;
  keyNames: ReadonlyMap<string, KeyName>;
  /** Undefined for viewers, who may not change alerts. */
  actions: ReturnType<typeof useAlertActions> | undefined;
  onTask: (task: AlertTask) => void;
  onShowUsage: (search: AnalyticsSearch) => void;
  onClose: () => void;
  /** Dialogs that open above the sheet. */
  children: ReactNode;
};

/** One alert: its recent values, its rule, its history and its actions. */
export function AlertSheet({ alert, children, ...props }: AlertSheetProps) {
  return alert === undefined ? (
    children
  ) : (
    <OpenSheet {...props} alert={alert}>
      {children}
    </OpenSheet>
  );
}

function OpenSheet(props: AlertSheetProps & { alert: Alert }) {
  const { tenantId, alert, actions, onTask, onShowUsage } = props;
  const { api } = usePlatform();
  const meters = useQuery(analyticsQueries.meters(api)).data?.items ?? [];
  const history = useQuery(alertsQueries.history(api, tenantId, alert.alertId));
  const { tone, label } = toAlertState(alert);
  return (
    <Sheet
      isOpen
      onClose={props.onClose}
      title={alert.name}
      description={
        <span className="mt-1 flex flex-wrap items-center gap-2">
          <Badge tone={tone}>{label}</Badge>
          <span className="[overflow-wrap:anywhere]">{toRuleText(alert, meters)}</span>
        </span>
      }
      footer={
        <>
          <Button
            className="mr-auto max-sm:w-full"
            onClick={() => onShowUsage(toQuestionSearch(alert))}
          >
            <Trans>Show in Analytics</Trans>
          </Button>
          {actions !== undefined && (
            <>
              <Button look="quiet" onClick={() => onTask({ kind: "delete", alert })}>
                <Trans>Delete</Trans>
              </Button>
              {alert.isPaused ? (
                <Button onClick={() => actions.resume.mutate(alert)}>
                  <Trans>Resume</Trans>
                </Button>
              ) : (
                <PauseMenu
                  alert={alert}
                  actions={actions}
                  trigger={
                    <button type="button" className={toButtonClasses("secondary")}>
                      <Trans>Pause</Trans>
                    </button>
                  }
                />
              )}
              <Button look="primary" onClick={() => onTask({ kind: "edit", alert })}>
                <Trans>Edit</Trans>
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="space-y-5">
        <AlertPastChart tenantId={tenantId} alert={alert} meters={meters} history={history.data} />
        <Facts alert={alert} meters={meters} keyNames={props.keyNames} />
        <AlertHistory alert={alert} meters={meters} history={history} />
      </div>
      {props.children}
    </Sheet>
  );
}

type FactsProps = {
  alert: Alert;
  meters: NamedMeters;
  keyNames: ReadonlyMap<string, KeyName>;
};

/** How it is measured and decided, in words. */
function Facts({ alert, meters, keyNames }: FactsProps) {
  const { window, fires, recovers } = toRuleFacts(alert, meters);
  const filters = listFilterTexts(alert.query.filters, (keyId) => keyNames.get(keyId)?.name);
  return (
    <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      <Fact name={t`Last looked at`}>
        {alert.evaluatedTo === null ? (
          t`Not yet: its first window is not over.`
        ) : (
          <>
            {toLastValueText(alert, meters)}
            {alert.condition.kind === "change" &&
              t`, ${toMeasuredText(alert, alert.lastPrevious, meters)} before`}{" "}
            <span className="text-ink-muted">
              <Trans>in the window that ended</Trans> <RelativeTime at={alert.evaluatedTo} />
            </span>
          </>
        )}
      </Fact>
      <Fact name={t`Window`}>{window}</Fact>
      <Fact name={t`Fires`}>{fires}</Fact>
      <Fact name={t`Recovers`}>{recovers}</Fact>
      <Fact name={t`Counts`}>
        {filters.length === 0 ? t`All usage of the tenant` : t`Only ${filters.join("; ")}`}
      </Fact>
      <Fact name={t`Notifies`}>{toNotifiedText(alert)}</Fact>
      {alert.pausedUntil !== null && (
        <Fact name={t`Paused`}>
          <Trans>Until</Trans> <RelativeTime at={alert.pausedUntil} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
