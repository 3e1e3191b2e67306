import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { TenantId } from "../analytics.queries.ts";

export type Alert = Awaited<ReturnType<ApiClient["alerts"]["list"]>>["items"][number];
export type AlertHistoryPage = Awaited<ReturnType<ApiClient["alerts"]["history"]>>;
export type AlertEvent = AlertHistoryPage["items"][number];
export type AlertPreview = Awaited<ReturnType<ApiClient["alerts"]["preview"]>>;
export type AlertRuleInput = Omit<Parameters<ApiClient["alerts"]["preview"]>[0], "tenantId">;
export type RunOutAlerts = Awaited<ReturnType<ApiClient["alerts"]["getRunOutAlerts"]>>;
export type QuotaAlerts = Awaited<ReturnType<ApiClient["alerts"]["getQuotaAlerts"]>>;

/** Refresh interval of alerts, in milliseconds. The server evaluates them once a minute. */
const REFRESH_MS = 15_000;
export const HISTORY_PAGE = 100;
/** A window ends at most once a minute. */
const CHART_REFRESH_MS = 60_000;

export const alertsQueries = {
  history: (api: ApiClient, tenantId: TenantId, alertId: string) =>
    queryOptions({
      queryKey: ["alerts", tenantId, alertId, "history"],
      queryFn: ({ signal }) =>
        api.alerts.history({ tenantId, alertId, limit: HISTORY_PAGE }, { signal }),
      staleTime: 0,
      refetchInterval: askAgainIn(REFRESH_MS),
    }),
  /** The recent past of an alert; like {@link preview}, refreshed as windows end. */
  past: (api: ApiClient, tenantId: TenantId, rule: AlertRuleInput) =>
    queryOptions({
      queryKey: ["alerts", tenantId, "past", rule],
      queryFn: ({ signal }) => api.alerts.preview({ tenantId, ...rule }, { signal }),
      staleTime: 0,
      refetchInterval: askAgainIn(CHART_REFRESH_MS),
      retry: false,
    }),
  preview: (api: ApiClient, tenantId: TenantId, rule: AlertRuleInput | undefined) =>
    queryOptions({
      queryKey: ["alerts", tenantId, "preview", rule ?? null],
      queryFn: ({ signal }) =>
        rule === undefined ? null : api.alerts.preview({ tenantId, ...rule }, { signal }),
      staleTime: 60_000,
      retry: false,
    }),
};
