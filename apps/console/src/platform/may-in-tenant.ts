import { ROLE_SCOPES, type Role, type Scope } from "@turnpike/domain/access/scopes";

/**
 * True when the person may do what the scope allows in the current tenant. A visit as operator is read-only,
 * although the service would allow more: only members act for a tenant.
 */
export function mayInTenant(
  { role, isVisited }: { role: Role; isVisited?: true },
  scope: Scope,
): boolean {
  return isVisited === true ? scope.endsWith(":read") : ROLE_SCOPES[role].includes(scope);
}
