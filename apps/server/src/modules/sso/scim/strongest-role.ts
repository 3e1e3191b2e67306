import { type HeldRole, nameOfRole, type RoleName, scopesOf } from "@turnpike/domain/access/scopes";

/**
 * The role of a person in several groups: the one that may do the most, among equals the first of the list.
 *
 * @param names - The roles of the groups.
 * @param roles - Every role of the tenant.
 * @returns Undefined without a group.
 */
export function strongestRole(
  names: readonly RoleName[],
  roles: readonly HeldRole[],
): RoleName | undefined {
  const [strongest] = roles
    .filter((role) => names.includes(nameOfRole(role)))
    .toSorted((one, other) => scopesOf(other).length - scopesOf(one).length);
  return strongest === undefined ? undefined : nameOfRole(strongest);
}
