import { t } from "@lingui/core/macro";
import {
  type HeldRole,
  NEVER_ACTED,
  ROLES,
  type Role,
  type RoleName,
  type Scope,
  scopesOf,
} from "@turnpike/domain/access/scopes";
import type { CustomRoleId } from "@turnpike/domain/ids/ids";
import { inSentence } from "@turnpike/ui/language";

/** What each built-in role is called. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: t`Owner`,
  admin: t`Admin`,
  developer: t`Developer`,
  billing: t`Billing`,
  viewer: t`Viewer`,
};

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

/** What a role is called on its own: `Developer`, or the name that the tenant gave it. */
export function titleRole(named: NamedRole): string {
  const role = toHeldRole(named);
  return typeof role === "string" ? ROLE_NAMES[role] : role.name;
}

/** What a role is called within a sentence: `developer`, or the name that the tenant gave it. */
export function nameRole(named: NamedRole): string {
  const role = toHeldRole(named);
  return typeof role === "string" ? inSentence(ROLE_NAMES[role]) : role.name;
}

/** The same of a role of which only the name is known, as answers and the audit trail have it. */
export function nameRoleByText(text: string): string {
  const builtIn = ROLES.find((role) => role === text);
  return builtIn === undefined ? text : inSentence(ROLE_NAMES[builtIn]);
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
