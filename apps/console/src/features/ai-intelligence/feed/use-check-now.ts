import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  type InsightList,
  insightsKey,
  insightsQueries,
} from "#components/insights/insights.queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";

/** Looks for insights now, and shows what was found. */
export function useCheckNow({ tenantId }: Pick<OwnTenant, "tenantId">) {
  const { api } = usePlatform();
  const client = useQueryClient();
  return useMutation<InsightList>({
    mutationKey: ["insights", "refresh"],
    mutationFn: () => api.insights.refresh({ tenantId }),
    onSuccess: (list) => client.setQueryData(insightsQueries.open(api, tenantId).queryKey, list),
    onSettled: () => client.invalidateQueries({ queryKey: insightsKey(tenantId) }),
  });
}
