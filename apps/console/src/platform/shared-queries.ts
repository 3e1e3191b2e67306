import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "./api-client.ts";
import { askAgainIn } from "./ask-again-in.ts";
import type { OwnTenant } from "./current-tenant.ts";

type TenantId = OwnTenant["tenantId"];

export type Limits = Awaited<ReturnType<ApiClient["usage"]["limits"]>>;
export type Plan = Awaited<ReturnType<ApiClient["catalog"]["listPlans"]>>["items"][number];
export type Meter = Awaited<ReturnType<ApiClient["catalog"]["listMeters"]>>["items"][number];

/** From this part on a quota is tight. */
export const TIGHT_SHARE = 0.8;

/** The newest version of every plan, and what their limits count. */
export function catalogQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ["catalog"],
    queryFn: async ({ signal }): Promise<{ plans: Plan[]; meters: Meter[] }> => {
      const [plans, meters] = await Promise.all([
        api.catalog.listPlans({}, { signal }),
        api.catalog.listMeters({}, { signal }),
      ]);
      return { plans: plans.items, meters: meters.items };
    },
  });
}

/**
 * What a tenant has used of each limit in the running period.
 *
 * @param options.refetchMs - Asks again in so many milliseconds. Left out: not by itself.
 */
export function limitsQuery(
  api: ApiClient,
  tenantId: TenantId,
  options: { refetchMs?: number } = {},
) {
  return queryOptions({
    queryKey: ["limits", tenantId],
    queryFn: ({ signal }): Promise<Limits> => api.usage.limits({ tenantId }, { signal }),
    refetchInterval: askAgainIn(options.refetchMs ?? false),
  });
}

/** Alerts are looked at once a minute; the list is asked for again more often than that, in milliseconds. */
const ALERTS_REFRESH_MS = 15_000;

export function alertsQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["alerts", tenantId, "list"],
    queryFn: async ({ signal }) => (await api.alerts.list({ tenantId }, { signal })).items,
    staleTime: 0,
    refetchInterval: askAgainIn(ALERTS_REFRESH_MS),
  });
}

export function webhooksQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["webhooks", tenantId, "list"],
    queryFn: async ({ signal }) => (await api.webhooks.list({ tenantId }, { signal })).items,
    staleTime: 0,
  });
}

/** Which shares of quotas send notifications, and to whom. */
export function quotaAlertsQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["quota-alerts", tenantId],
    queryFn: ({ signal }) => api.alerts.getQuotaAlerts({ tenantId }, { signal }),
  });
}

/** How long before something is forecast to run out notifications are sent, and to whom. */
export function runOutAlertsQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["run-out-alerts", tenantId],
    queryFn: ({ signal }) => api.alerts.getRunOutAlerts({ tenantId }, { signal }),
  });
}
