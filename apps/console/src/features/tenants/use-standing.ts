import type { OwnTenant } from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import type { Standing } from "./standing.view-model.ts";

/** What the person who is signed in may decide in a tenant of theirs. */
export function useStanding(tenant: OwnTenant): Standing {
  const { user } = useVerifiedUser();
  return { role: tenant.role, isOperator: user.isOperator };
}
