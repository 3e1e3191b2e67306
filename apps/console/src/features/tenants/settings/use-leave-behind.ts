import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type OwnTenant, rememberTenant } from "#platform/current-tenant.ts";
import { useRefreshVerifiedUser, useVerifiedUser } from "#platform/verified-user.ts";

/**
 * Runs after a person has lost access to a tenant: the console continues with another of their tenants, or with creating
 * one, and forgets the lost tenant's data.
 */
export function useLeaveBehind({ tenantId }: OwnTenant): () => Promise<void> {
  const { tenants } = useVerifiedUser();
  const refresh = useRefreshVerifiedUser();
  const navigate = useNavigate();
  const client = useQueryClient();
  return async () => {
    const next = tenants.find((one) => one.tenantId !== tenantId);
    if (next !== undefined) {
      rememberTenant(next.slug);
    }
    await navigate({ to: "/tenants", search: { tenant: next?.slug } });
    await refresh();
    client.removeQueries({ queryKey: ["tenants", tenantId] });
  };
}
