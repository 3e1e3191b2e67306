import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type TenantId, tenantsQueries } from "../tenants.queries.ts";

type Terms = Omit<Parameters<ApiClient["invitations"]["createMany"]>[0], "tenantId">;
export type Outcome = Awaited<ReturnType<ApiClient["invitations"]["createMany"]>>["items"][number];

/** Invites by mail, each address on its own. One with an open invitation gets a new link, and the previous one stops working. */
export function useInvite(tenantId: TenantId) {
  const { api } = usePlatform();
  const refresh = useRefreshInvitations(tenantId);
  return useMutation({
    mutationKey: ["invitations", "create"],
    mutationFn: (terms: Terms) => api.invitations.createMany({ tenantId, ...terms }),
    onSettled: refresh,
  });
}

/** Sends an invitation again: with a new link, the same role and as much time. */
export function useResend(tenantId: TenantId) {
  const { api } = usePlatform();
  const refresh = useRefreshInvitations(tenantId);
  return useMutation({
    mutationKey: ["invitations", "resend"],
    mutationFn: (invitationId: string) => api.invitations.resend({ tenantId, invitationId }),
    onSettled: refresh,
  });
}

function useRefreshInvitations(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({
      queryKey: tenantsQueries.invitations(api, tenantId).queryKey,
    });
    await client.invalidateQueries({ queryKey: ["outbox"] });
    await client.invalidateQueries({ queryKey: ["audit", tenantId] });
  };
}
