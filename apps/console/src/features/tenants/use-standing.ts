import type { OwnTenant } from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import type { Standing } from "./standing.view-model.ts";

/** What the signed-in person may decide in one of their tenants, or in one that they visit as operator. */
export function useStanding(tenant: OwnTenant): Standing {
  const { user } = useVerifiedUser();
  if (tenant.isActed === true) {
    return { role: tenant.role, isOperator: false, isActed: true };
  }
  return tenant.isVisited === true
    ? { role: tenant.role, isOperator: false, isVisited: true }
    : { role: tenant.role, isOperator: user.isOperator };
}
