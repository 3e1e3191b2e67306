import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { TenantId } from "../tenants.queries.ts";

export type Scim = Awaited<ReturnType<ApiClient["scim"]["get"]>>;
export type ScimToken = Scim["tokens"][number];
export type ScimRequest = Scim["requests"][number];

export function scimKey(tenantId: TenantId) {
  return ["scim", tenantId];
}

/** How the directory of a tenant keeps its members. */
export function scimQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: scimKey(tenantId),
    queryFn: ({ signal }) => api.scim.get({ tenantId }, { signal }),
    staleTime: 0,
  });
}
