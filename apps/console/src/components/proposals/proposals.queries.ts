import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

type TenantId = OwnTenant["tenantId"];
export type Proposal = Awaited<ReturnType<ApiClient["proposals"]["list"]>>["items"][number];

/** More than can wait. */
const SHOWN = 50;
/** Agents propose at any time, milliseconds. */
const REFRESH_MS = 15_000;

export function proposalsKey(tenantId: TenantId) {
  return ["proposals", tenantId];
}

/** The newest proposals, decided ones too. */
export function proposalsQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: proposalsKey(tenantId),
    queryFn: async ({ signal }) =>
      (await api.proposals.list({ tenantId, state: "all", limit: SHOWN }, { signal })).items,
    staleTime: 0,
    refetchInterval: askAgainIn(REFRESH_MS),
  });
}
