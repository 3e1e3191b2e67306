import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

/** Tenants asked for at once. */
const TENANTS_PAGE = 20;
/** Mails asked for at once. */
const OUTBOX_PAGE = 10;
/** How often the usage of the chosen tenant is asked for while it is seen, in milliseconds. */
const USAGE_INTERVAL_MS = 3000;

export type Tenant = Awaited<ReturnType<ApiClient["tenants"]["list"]>>["items"][number];
export type TenantId = Tenant["tenantId"];
export type Limits = Awaited<ReturnType<ApiClient["usage"]["limits"]>>;
export type Mail = Awaited<ReturnType<ApiClient["outbox"]["list"]>>["items"][number];
export type Usage = Awaited<ReturnType<ApiClient["usage"]["query"]>>;

/** Everything here belongs to one key: forgetting the key drops it all. */
export const OPERATOR_SCOPE = ["operator"] as const;

export const operatorQueries = {
  tenants: (api: ApiClient) =>
    infiniteQueryOptions({
      queryKey: [...OPERATOR_SCOPE, "tenants"],
      queryFn: ({ pageParam, signal }) =>
        api.tenants.list(
          { limit: TENANTS_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
          { signal },
        ),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    }),
  limits: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: [...OPERATOR_SCOPE, "limits", tenantId],
      queryFn: ({ signal }) => api.usage.limits({ tenantId }, { signal }),
      refetchInterval: USAGE_INTERVAL_MS,
    }),
  usageByStatus: (api: ApiClient, tenantId: TenantId, from: string | undefined) =>
    queryOptions({
      queryKey: [...OPERATOR_SCOPE, "usage", tenantId, from],
      queryFn: ({ signal }) =>
        api.usage.query(
          { tenantId, by: "status", ...(from === undefined ? {} : { from }) },
          { signal },
        ),
      refetchInterval: USAGE_INTERVAL_MS,
    }),
  outbox: (api: ApiClient) =>
    queryOptions({
      queryKey: [...OPERATOR_SCOPE, "outbox"],
      queryFn: ({ signal }) => api.outbox.list({ limit: OUTBOX_PAGE }, { signal }),
    }),
};
