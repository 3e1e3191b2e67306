import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { TenantId } from "../tenants.queries.ts";

export type AgentGrant = Awaited<ReturnType<ApiClient["agentGrants"]["list"]>>["items"][number];

const SHOWN = 100;

export function agentGrantsKey(tenantId: TenantId) {
  return ["agent-grants", tenantId];
}

/** The agents that members connected, newest first. */
export function agentGrantsQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: agentGrantsKey(tenantId),
    queryFn: async ({ signal }) =>
      (await api.agentGrants.list({ tenantId, limit: SHOWN }, { signal })).items,
    staleTime: 0,
  });
}
