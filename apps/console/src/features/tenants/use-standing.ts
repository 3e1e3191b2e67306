import type { OwnTenant } from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import type { Standing } from "./standing.view-model.ts";

/** What the person who is signed in may decide in a tenant of theirs, or in one that they look at as operator. */
export function useStanding(tenant: OwnTenant): Standing {
  const { user } = useVerifiedUser();
  return tenant.isVisited === true
    ? { role: tenant.role, isOperator: false, isVisited: true }
    : { role: tenant.role, isOperator: user.isOperator };
}
