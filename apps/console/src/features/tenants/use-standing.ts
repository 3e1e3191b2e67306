import type { OwnTenant } from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import type { Standing } from "./standing.view-model.ts";

/** What the signed-in person may decide in one of their tenants, or in one that they visit as operator. */
export function useStanding(tenant: OwnTenant): Standing {
  const { user } = useVerifiedUser();
  const { role, customRole } = tenant;
  if (tenant.isActed === true) {
    return { role, customRole, isOperator: false, isActed: true };
  }
  return tenant.isVisited === true
    ? { role, customRole, isOperator: false, isVisited: true }
    : { role, customRole, isOperator: user.isOperator };
}
