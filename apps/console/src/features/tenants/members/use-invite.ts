import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Role } from "@turnpike/domain/access/scopes";
import { usePlatform } from "#platform/platform.tsx";
import { type TenantId, tenantsQueries } from "../tenants.queries.ts";

/** Invites by mail. An address with an open invitation gets a new link, and the previous one stops working. */
export function useInvite(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["invitations", "create"],
    mutationFn: (input: { email: string; role: Role }) =>
      api.invitations.create({ tenantId, ...input }),
    onSuccess: async () => {
      await client.invalidateQueries({
        queryKey: tenantsQueries.invitations(api, tenantId).queryKey,
      });
      await client.invalidateQueries({ queryKey: ["outbox"] });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
    },
  });
}
