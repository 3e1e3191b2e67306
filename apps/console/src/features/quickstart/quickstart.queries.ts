import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

type TenantId = OwnTenant["tenantId"];

/** How often it is looked whether the first call has arrived, in milliseconds. */
export const WATCH_MS = 1_500;

export const quickstartQueries = {
  /** The tenant's newest key, if it has one. */
  newestKey: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "newest"],
      queryFn: async ({ signal }) => {
        const { items } = await api.keys.list({ tenantId, state: "active", limit: 1 }, { signal });
        return items[0] ?? null;
      },
    }),

  /** The calls of the last hour, newest first, and how many there were ever. Watched until there is one. */
  firstCalls: (api: ApiClient, tenantId: TenantId, isWatching: boolean) =>
    queryOptions({
      queryKey: ["usage", tenantId, "first-calls"],
      queryFn: async ({ signal }) => {
        const ever = await api.usage.query({ tenantId, measures: "requests" }, { signal });
        if ((ever.totals.requests ?? 0) === 0) {
          return { total: 0, rows: [] };
        }
        const { rows } = await api.usage.query(
          {
            tenantId,
            measures: "requests,latency_avg",
            dimensions: "method,route,status",
            grain: "minute",
            from: new Date(Date.now() - 3_600_000).toISOString(),
            order: "-time",
            limit: 5,
          },
          { signal },
        );
        return { total: ever.totals.requests ?? 0, rows };
      },
      staleTime: 0,
      refetchInterval: isWatching ? WATCH_MS : false,
    }),

  members: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "members", "count"],
      queryFn: async ({ signal }) =>
        (await api.tenants.listMembers({ tenantId, limit: 2 }, { signal })).items.length,
    }),
};
