import type { Role } from "@turnpike/domain/access/scopes";
import { mayInTenant } from "#platform/may-in-tenant.ts";

/**
 * Why the person cannot change the subscription of a tenant, and who can.
 *
 * @param what - "change the plan"
 * @returns Undefined when they can.
 */
export function findBillingRefusal(
  tenant: { role: Role; isVisited?: true },
  what: string,
): string | undefined {
  if (mayInTenant(tenant, "billing:write")) {
    return;
  }
  return tenant.isVisited === true
    ? `You are viewing this tenant as operator, read-only: its owners, admins and billing members can ${what}.`
    : `Your role, ${tenant.role}, cannot ${what}: ask an owner, an admin or a billing member.`;
}
