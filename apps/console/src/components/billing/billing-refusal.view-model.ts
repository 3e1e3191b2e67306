import { t } from "@lingui/core/macro";
import { mayInTenant, type NamedRole, nameRole } from "#platform/may-in-tenant.ts";

/**
 * Why the person cannot change the subscription of a tenant, and who can.
 *
 * @param what - "change the plan"
 * @returns Undefined when they can.
 */
export function findBillingRefusal(
  tenant: NamedRole & { isVisited?: true },
  what: string,
): string | undefined {
  if (mayInTenant(tenant, "billing:write")) {
    return;
  }
  return tenant.isVisited === true
    ? t`You are viewing this tenant as operator, read-only: its owners, admins and billing members can ${what}.`
    : t`Your role, ${nameRole(tenant)}, cannot ${what}: ask an owner, an admin or a billing member.`;
}
