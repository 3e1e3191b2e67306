import {
  type HeldRole,
  NEVER_ACTED,
  ROLES,
  type RoleName,
  type Scope,
  scopesOf,
  titleOfRole,
} from "@turnpike/domain/access/scopes";
import type { CustomRoleId } from "@turnpike/domain/ids/ids";

/** A role as the API names it, with what it may do where the tenant made it. */
export type NamedRole = {
  role: RoleName;
  customRole?: { name: string; scopes: readonly Scope[] } | undefined;
};

/** A role of the tenant's own of which nothing is known may do nothing. */
export function toHeldRole({ role, customRole }: NamedRole): HeldRole {
  const builtIn = ROLES.find((one) => one === role);
  return (
    builtIn ?? {
      roleId: role as CustomRoleId,
      name: customRole?.name ?? role,
      scopes: customRole?.scopes ?? [],
    }
  );
}

/** What a role is called within a sentence: `developer`, or the name that the tenant gave it. */
export function nameRole(named: NamedRole): string {
  return titleOfRole(toHeldRole(named));
}

/**
 * True when the person may do what the scope allows in the current tenant. A visit as operator is read-only,
 * although the service would allow more, until the operator acts there with a reason.
 */
export function mayInTenant(
  { isVisited, isActed, ...named }: NamedRole & { isVisited?: true; isActed?: true },
  scope: Scope,
): boolean {
  if (isVisited === true) {
    return scope.endsWith(":read");
  }
  const isHeld = scopesOf(toHeldRole(named)).includes(scope);
  return isHeld && !(isActed === true && NEVER_ACTED.includes(scope));
}
