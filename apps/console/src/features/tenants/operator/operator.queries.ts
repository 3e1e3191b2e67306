import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

/** Tenants asked for at once. */
const TENANTS_PAGE = 20;
/** Mails asked for at once. */
const OUTBOX_PAGE = 10;

export type Tenant = Awaited<ReturnType<ApiClient["tenants"]["list"]>>["items"][number];
export type TenantId = Tenant["tenantId"];
export type Mail = Awaited<ReturnType<ApiClient["outbox"]["list"]>>["items"][number];

export const operatorQueries = {
  tenants: (api: ApiClient) =>
    infiniteQueryOptions({
      queryKey: ["operator", "tenants"],
      queryFn: ({ pageParam, signal }) =>
        api.tenants.list(
          { limit: TENANTS_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
          { signal },
        ),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    }),
  outbox: (api: ApiClient) =>
    queryOptions({
      queryKey: ["operator", "outbox"],
      queryFn: ({ signal }) => api.outbox.list({ limit: OUTBOX_PAGE }, { signal }),
    }),
};
