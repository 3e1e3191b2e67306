import { ROLE_SCOPES, type Role, type Scope } from "@turnpike/domain/access/scopes";

/** What an operator who acts in a tenant leaves to its owners. */
const NEVER_ACTED: readonly Scope[] = ["billing:write", "tenants:delete"];

/**
 * True when the person may do what the scope allows in the current tenant. A visit as operator is read-only,
 * although the service would allow more, until the operator acts there with a reason.
 */
export function mayInTenant(
  { role, isVisited, isActed }: { role: Role; isVisited?: true; isActed?: true },
  scope: Scope,
): boolean {
  if (isVisited === true) {
    return scope.endsWith(":read");
  }
  return ROLE_SCOPES[role].includes(scope) && !(isActed === true && NEVER_ACTED.includes(scope));
}
