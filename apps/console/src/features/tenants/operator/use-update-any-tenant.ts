import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlatform } from "#platform/platform.tsx";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import type { TenantId } from "../tenants.queries.ts";

/** Changes the plan or suspension of any tenant. Every process follows within a second. */
export function useUpdateAnyTenant(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  return useMutation({
    mutationKey: ["tenants", "operate"],
    mutationFn: (change: { planId?: string; suspended?: boolean; suspensionReason?: string }) =>
      api.tenants.update({ tenantId, ...change }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["tenants"] });
      await client.invalidateQueries({ queryKey: ["limits", tenantId] });
      // The plan decides what keys may carry.
      await client.invalidateQueries({ queryKey: ["key-scopes", tenantId] });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
      await refresh();
    },
  });
}
