import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

export type InsightList = Awaited<ReturnType<ApiClient["insights"]["list"]>>;
export type Insight = InsightList["items"][number];
export type Evidence = NonNullable<Insight["evidence"]>;
export type InsightPart = Evidence["parts"][number];

type TenantId = OwnTenant["tenantId"];

/** Insights are looked for each hour; a screen that stays open notices within this time, in milliseconds. */
const REFRESH_MS = 5 * 60_000;

export const insightsKey = (tenantId: TenantId) => ["insights", tenantId] as const;

export const insightsQueries = {
  open: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: [...insightsKey(tenantId), "open"],
      queryFn: ({ signal }): Promise<InsightList> => api.insights.list({ tenantId }, { signal }),
      refetchInterval: REFRESH_MS,
    }),

  /** Names of keys by their id, for those that explain a change. */
  keyNames: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "names"],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
        const { items } = await api.keys.list({ tenantId, limit: 100 }, { signal });
        return new Map(items.map(({ keyId, name }) => [String(keyId), name]));
      },
    }),
};
