import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { joinCommaList, toInstants } from "#platform/usage-query.ts";
import type { AnalyticsScope, TenantId } from "../analytics.queries.ts";
import {
  type AnalyticsView,
  toUsageFilters,
  toUsageRange,
} from "../analytics-search.view-model.ts";

const PAGE = 100;

function toFilters(view: AnalyticsView): Record<string, string> {
  return Object.fromEntries(
    Object.entries(toUsageFilters(view)).map(([name, values]) => [name, joinCommaList(values)]),
  );
}

/** Calls of all tenants, narrowed to those of some. */
export type AllCallsScope = { view: AnalyticsView; tenants: readonly string[] };

export const callsQueries = {
  search: (api: ApiClient, scope: AnalyticsScope) => {
    const { tenantId, view } = scope;
    const filters = toFilters(view);
    return infiniteQueryOptions({
      queryKey: ["calls", tenantId, toUsageRange(view), filters],
      queryFn: ({ pageParam, signal }) =>
        api.calls.list(
          {
            tenantId,
            limit: PAGE,
            ...filters,
            ...toInstants(toUsageRange(view), Date.now()),
            ...(pageParam !== null && { cursor: pageParam }),
          },
          { signal },
        ),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    });
  },
  searchAll: (api: ApiClient, { view, tenants }: AllCallsScope) => {
    const filters = {
      ...toFilters(view),
      ...(tenants.length > 0 && { tenant: joinCommaList(tenants) }),
    };
    return infiniteQueryOptions({
      queryKey: ["calls", "all", toUsageRange(view), filters],
      queryFn: ({ pageParam, signal }) =>
        api.calls.listAll(
          {
            limit: PAGE,
            ...filters,
            ...toInstants(toUsageRange(view), Date.now()),
            ...(pageParam !== null && { cursor: pageParam }),
          },
          { signal },
        ),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    });
  },
  oneOfAll: (api: ApiClient, requestId: string) =>
    queryOptions({
      queryKey: ["calls", "all", requestId],
      queryFn: async ({ signal }) =>
        (await api.calls.listAll({ requestId, limit: 1 }, { signal })).items[0] ?? null,
    }),
  /** The newest tenants, by whose calls a search can be narrowed. */
  tenants: (api: ApiClient) =>
    queryOptions({
      queryKey: ["tenants", "all", "newest", PAGE],
      queryFn: ({ signal }) => api.tenants.list({ limit: PAGE }, { signal }),
      staleTime: 60_000,
    }),
  tenant: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "of-call"],
      queryFn: ({ signal }) => api.tenants.get({ tenantId }, { signal }),
      // A deleted one is not found.
      retry: false,
      staleTime: 60_000,
    }),
  one: (api: ApiClient, tenantId: TenantId, requestId: string) =>
    queryOptions({
      queryKey: ["calls", tenantId, requestId],
      queryFn: ({ signal }) => api.calls.get({ tenantId, requestId }, { signal }),
      // It is over, so it does not change.
      staleTime: Number.POSITIVE_INFINITY,
    }),
};
