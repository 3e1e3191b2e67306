import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { joinCommaList } from "#platform/usage-query.ts";
import type { AnalyticsScope, TenantId } from "../analytics.queries.ts";
import { toUsageFilters, toUsageRange } from "../analytics-search.view-model.ts";

const PAGE = 100;

function toRange(scope: AnalyticsScope, nowMs: number): { from: string; to?: string } {
  const range = toUsageRange(scope.view);
  return "lastMs" in range
    ? { from: new Date(nowMs - range.lastMs).toISOString() }
    : { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() };
}

export const callsQueries = {
  search: (api: ApiClient, scope: AnalyticsScope) => {
    const { tenantId, view } = scope;
    const filters = Object.fromEntries(
      Object.entries(toUsageFilters(view)).map(([name, values]) => [name, joinCommaList(values)]),
    );
    return infiniteQueryOptions({
      queryKey: ["calls", tenantId, toUsageRange(view), filters],
      queryFn: ({ pageParam, signal }) =>
        api.calls.list(
          {
            tenantId,
            limit: PAGE,
            ...filters,
            ...toRange(scope, Date.now()),
            ...(pageParam !== null && { cursor: pageParam }),
          },
          { signal },
        ),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    });
  },
  one: (api: ApiClient, tenantId: TenantId, requestId: string) =>
    queryOptions({
      queryKey: ["calls", tenantId, requestId],
      queryFn: ({ signal }) => api.calls.get({ tenantId, requestId }, { signal }),
      // It is over, so it does not change.
      staleTime: Number.POSITIVE_INFINITY,
    }),
};
