import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlatform } from "#platform/platform.tsx";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import type { TenantId } from "../tenants.queries.ts";

/** Restores a deleted tenant; it may be one of the operator's own. */
export function useRestoreTenant() {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  return useMutation({
    mutationKey: ["tenants", "restore"],
    mutationFn: (tenantId: TenantId) => api.tenants.restore({ tenantId }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["tenants"] });
      await refresh();
    },
  });
}
