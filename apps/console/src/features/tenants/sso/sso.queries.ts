import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { TenantId } from "../tenants.queries.ts";

export type Sso = Awaited<ReturnType<ApiClient["sso"]["get"]>>;
export type SsoDomain = Sso["domains"][number];
export type SsoConnection = NonNullable<Sso["connection"]>;
export type SsoConnectionInput = Parameters<ApiClient["sso"]["put"]>[0]["connection"];

export function ssoKey(tenantId: TenantId) {
  return ["sso", tenantId];
}

/** How the people of a tenant sign in at its own identity provider. */
export function ssoQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ssoKey(tenantId),
    queryFn: ({ signal }) => api.sso.get({ tenantId }, { signal }),
    staleTime: 0,
  });
}
