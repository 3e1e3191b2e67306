import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ChartSkeleton } from "#components/usage/lazy-charts.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { TenantId } from "../analytics.queries.ts";
import { findMeterWords, type NamedMeters } from "./alert.view-model.ts";
import { AlertChart } from "./alert-chart.tsx";
import { toAlertTimeline, toFiringSpans } from "./alert-chart.view-model.ts";
import { draftFromAlert, toRule } from "./alert-draft.view-model.ts";
import { type Alert, type AlertHistoryPage, alertsQueries } from "./alerts.queries.ts";

export type AlertPastChartProps = {
  tenantId: TenantId;
  alert: Alert;
  meters: NamedMeters;
  /** Undefined until it is known. */
  history: AlertHistoryPage | undefined;
};

const HEIGHT_PX = 180;

/** The recent values of an alert against its threshold, and when it was firing. */
export function AlertPastChart({ tenantId, alert, meters, history }: AlertPastChartProps) {
  const rule = toRule(draftFromAlert(alert));
  return (
    rule !== undefined && (
      <Past
        // Each alert starts as a chart with its own scale.
        key={alert.alertId}
        {...{ tenantId, alert, meters, history, rule }}
      />
    )
  );
}

type PastProps = AlertPastChartProps & { rule: NonNullable<ReturnType<typeof toRule>> };

function Past({ tenantId, alert, meters, history, rule }: PastProps) {
  const { api } = usePlatform();
  const [view, setView] = useState<"chart" | "table">("chart");
  const past = useQuery(alertsQueries.past(api, tenantId, rule));
  if (past.data === undefined) {
    return past.isError ? (
      <p role="alert" className="rounded-control bg-warning-soft px-3 py-2">
        <Trans>Its recent history cannot be shown: {toErrorMessage(past.error)}</Trans>
      </p>
    ) : (
      <ChartSkeleton />
    );
  }
  const { from, to } = past.data;
  const oldest = history?.items.at(-1);
  // While more pages of history exist, nothing is known before the oldest loaded entry.
  const sinceMs =
    history?.nextCursor === null || oldest === undefined ? Date.parse(from) : Date.parse(oldest.at);
  const spans = toFiringSpans(alert, history?.items ?? [], { sinceMs, nowMs: Date.parse(to) });
  const { measure } = alert.query;
  return (
    <AlertChart
      label={t`What ${alert.name} measured`}
      measure={measure}
      meter={findMeterWords(measure, meters)}
      timeline={toAlertTimeline(past.data, rule.condition, spans)}
      heightPx={HEIGHT_PX}
      view={view}
      onViewChange={setView}
    />
  );
}
