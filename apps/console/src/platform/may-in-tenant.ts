import { ROLE_SCOPES, type Role, type Scope } from "@turnpike/domain/access/scopes";

/**
 * True when somebody may do what the scope is for in the tenant that they look at. A visit as operator is for reading,
 * although the service would let them do more: what a tenant does is done by its members.
 */
export function mayInTenant(
  { role, isVisited }: { role: Role; isVisited?: true },
  scope: Scope,
): boolean {
  return isVisited === true ? scope.endsWith(":read") : ROLE_SCOPES[role].includes(scope);
}
