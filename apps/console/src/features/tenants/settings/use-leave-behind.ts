import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type OwnTenant, rememberTenant } from "#platform/current-tenant.ts";
import { useRefreshVerifiedUser, useVerifiedUser } from "#platform/verified-user.ts";

/**
 * What follows when a person has no place in a tenant any more: the console goes on with another one of theirs, or where one
 * is created, and forgets what it knew.
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
