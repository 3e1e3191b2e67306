import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

export type InsightList = Awaited<ReturnType<ApiClient["insights"]["list"]>>;
export type Insight = InsightList["items"][number];
export type RaisedConfidence = Awaited<
  ReturnType<ApiClient["insightFeedback"]["list"]>
>["items"][number];
export type Evidence = NonNullable<Insight["evidence"]>;
export type InsightPart = Evidence["parts"][number];

type TenantId = OwnTenant["tenantId"];
type KeyId = Awaited<ReturnType<ApiClient["keys"]["get"]>>["keyId"];

/** Insights are looked for each hour; a screen that stays open notices within this time, in milliseconds. */
const REFRESH_MS = 5 * 60_000;
/** Names change rarely, in milliseconds. */
const NAMES_STALE_MS = 5 * 60_000;

export const insightsKey = (tenantId: TenantId) => ["insights", tenantId] as const;

/** More keys than these are not asked for by name; their ids are shown. */
const NAMED_KEYS_MAX = 30;

export const insightsQueries = {
  open: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: [...insightsKey(tenantId), "open"],
      queryFn: ({ signal }): Promise<InsightList> => api.insights.list({ tenantId }, { signal }),
      refetchInterval: askAgainIn(REFRESH_MS),
    }),

  /** With what is dismissed or over. */
  all: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: [...insightsKey(tenantId), "all"],
      queryFn: ({ signal }): Promise<InsightList> =>
        api.insights.list({ tenantId, state: "all" }, { signal }),
    }),

  /** Which anomalies are shown less often because of feedback. */
  feedback: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: [...insightsKey(tenantId), "feedback"],
      queryFn: async ({ signal }): Promise<readonly RaisedConfidence[]> =>
        (await api.insightFeedback.list({ tenantId }, { signal })).items,
    }),

  /** Names of keys by their id. A key that cannot be read has none. */
  keyNames: (api: ApiClient, tenantId: TenantId, keyIds: readonly string[]) => {
    const asked = [...new Set(keyIds)].sort().slice(0, NAMED_KEYS_MAX);
    return queryOptions({
      queryKey: ["keys", tenantId, "names", asked],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
        const keys = await Promise.all(
          asked.map((keyId) =>
            api.keys.get({ tenantId, keyId: keyId as KeyId }, { signal }).catch(() => undefined),
          ),
        );
        return new Map(
          keys.flatMap((key) => (key === undefined ? [] : [[String(key.keyId), key.name]])),
        );
      },
      enabled: asked.length > 0,
      staleTime: NAMES_STALE_MS,
    });
  },
};
