import { queryOptions } from "@tanstack/react-query";
import type { UsageExport } from "@turnpike/contract/exports";
import type { ApiClient } from "#platform/api-client.ts";
import type { TenantId } from "../analytics.queries.ts";

export type { UsageExport };

const PAGE = 100;
/** Refresh intervals while an export runs, and otherwise: a colleague may have started one. */
const BUSY_REFETCH_MS = 1_000;
const IDLE_REFETCH_MS = 30_000;

export function isUnfinished({ state }: Pick<UsageExport, "state">): boolean {
  return state === "waiting" || state === "running";
}

export const exportsQueries = {
  list: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["exports", tenantId],
      queryFn: async ({ signal }) =>
        (await api.exports.list({ tenantId, limit: PAGE }, { signal })).items,
      refetchInterval: ({ state }) =>
        state.data?.some(isUnfinished) === true ? BUSY_REFETCH_MS : IDLE_REFETCH_MS,
    }),
};
