import { t } from "@lingui/core/macro";
import {
  canGrantRole,
  type HeldRole,
  MEMBERS_OWN,
  ROLES,
  type Role,
  type Scope,
  scopesOf,
} from "@turnpike/domain/access/scopes";
import { mayInTenant, type NamedRole, nameRole, toHeldRole } from "#platform/may-in-tenant.ts";

/** What a person may decide in a tenant. A visiting operator may only read. */
export type Standing = NamedRole & { isOperator: boolean; isVisited?: true; isActed?: true };

/** What each role may do, in one line. */
export const ROLE_NOTES: Readonly<Record<Role, string>> = {
  owner: t`Full access, including who is an owner.`,
  admin: t`Keys, members, settings and the audit log, but not who is an owner.`,
  developer: t`Creates, rolls and revokes keys; views usage.`,
  billing: t`Chooses and changes plans; views usage and billings.`,
  viewer: t`Views keys, usage and members; cannot change anything.`,
};

/** True when the person has the scope in the tenant. An operator's own role there adds what it allows. */
export function mayDo(standing: Standing, scope: Scope): boolean {
  return mayInTenant(standing, scope) || (standing.isOperator && !MEMBERS_OWN.includes(scope));
}

/** The roles that the person may grant, in their order. @param roles - Left out: the built-in ones, strongest first. */
export function listGrantableRoles(
  standing: Standing,
  roles: readonly HeldRole[] = ROLES,
): readonly HeldRole[] {
  return roles.filter((role) => isGrantable(standing, role));
}

export function isGrantable(standing: Standing, other: HeldRole): boolean {
  return standing.isOperator
    ? scopesOf(other).every((scope) => mayDo(standing, scope))
    : canGrantRole(toHeldRole(standing), other);
}

export type MemberQuestion = {
  /** The role of the person who asks. */
  standing: Standing;
  /** The role of the member in question. */
  role: HeldRole;
  isSelf: boolean;
  /** The number of owners; undefined when only some of the members are loaded. */
  ownerCount: number | undefined;
};

const LAST_OWNER = t`The only owner. Make someone else an owner first.`;
const OWNERS_DECIDE = t`Only an owner can change owners.`;
const ABOVE_OWN = t`This role may do more than yours.`;

/** Why a member's role cannot be changed, as a sentence; undefined when it can. */
export function findRoleRefusal(question: MemberQuestion): string | undefined {
  const { standing, role, ownerCount } = question;
  if (!mayDo(standing, "members:write")) {
    return toMissingScope(standing, t`change members`);
  }
  if (!isGrantable(standing, role)) {
    return role === "owner" ? OWNERS_DECIDE : ABOVE_OWN;
  }
  return role === "owner" && ownerCount === 1 ? LAST_OWNER : undefined;
}

/** Why a member cannot be removed or cannot leave, as a sentence; undefined when they can. */
export function findRemovalRefusal(question: MemberQuestion): string | undefined {
  const { role, isSelf, ownerCount } = question;
  if (isSelf) {
    return role === "owner" && ownerCount === 1 ? LAST_OWNER : undefined;
  }
  return findRoleRefusal(question);
}

/** Says that a role or a visit is not enough, and who can. */
export function toMissingScope(
  { isVisited, ...named }: NamedRole & { isVisited?: true },
  what: string,
): string {
  if (isVisited === true) {
    return t`You are viewing this tenant as operator, read-only: its owners and admins can ${what}, and so can you once you act in it.`;
  }
  return t`Your role, ${nameRole(named)}, cannot ${what}: ask an owner or an admin.`;
}

/** The number of owners; undefined when more members follow and fewer than two owners were seen. */
export function countOwners(page: {
  items: readonly NamedRole[];
  nextCursor: string | null;
}): number | undefined {
  const count = page.items.filter(({ role }) => role === "owner").length;
  return page.nextCursor === null || count > 1 ? count : undefined;
}
