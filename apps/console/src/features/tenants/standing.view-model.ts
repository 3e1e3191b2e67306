import { canGrantRole, ROLES, type Role, type Scope } from "@turnpike/domain/access/scopes";
import { mayInTenant } from "#platform/may-in-tenant.ts";

/** What a person may decide in a tenant. A visiting operator may only read. */
export type Standing = { role: Role; isOperator: boolean; isVisited?: true; isActed?: true };

/** What each role may do, in one line. */
export const ROLE_NOTES: Readonly<Record<Role, string>> = {
  owner: "Full access, including who is an owner.",
  admin: "Keys, members, settings and the audit log, but not who is an owner.",
  developer: "Creates, rolls and revokes keys; views usage.",
  billing: "Chooses and changes plans; views usage and billings.",
  viewer: "Views keys, usage and members; cannot change anything.",
};

/** True when the person has the scope in the tenant. */
export function mayDo(standing: Standing, scope: Scope): boolean {
  return standing.isOperator || mayInTenant(standing, scope);
}

/** The roles that the person may grant, strongest first. */
export function listGrantableRoles(standing: Standing): readonly Role[] {
  return ROLES.filter((role) => isGrantable(standing, role));
}

function isGrantable({ role, isOperator }: Standing, other: Role): boolean {
  return isOperator || canGrantRole(role, other);
}

export type MemberQuestion = {
  /** The role of the person who asks. */
  standing: Standing;
  /** The role of the member in question. */
  role: Role;
  isSelf: boolean;
  /** The number of owners; undefined when only some of the members are loaded. */
  ownerCount: number | undefined;
};

const LAST_OWNER = "The only owner. Make someone else an owner first.";
const OWNERS_DECIDE = "Only an owner can change owners.";

/** Why a member's role cannot be changed, as a sentence; undefined when it can. */
export function findRoleRefusal(question: MemberQuestion): string | undefined {
  const { standing, role, ownerCount } = question;
  if (!mayDo(standing, "members:write")) {
    return toMissingScope(standing, "change members");
  }
  if (!isGrantable(standing, role)) {
    return OWNERS_DECIDE;
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
  { role, isVisited }: Pick<Standing, "role" | "isVisited">,
  what: string,
): string {
  if (isVisited === true) {
    return `You are viewing this tenant as operator, read-only: its owners and admins can ${what}, and so can you once you act in it.`;
  }
  return `Your role, ${role}, cannot ${what}: ask an owner or an admin.`;
}

/** The number of owners; undefined when more members follow and fewer than two owners were seen. */
export function countOwners(page: {
  items: readonly { role: Role }[];
  nextCursor: string | null;
}): number | undefined {
  const count = page.items.filter(({ role }) => role === "owner").length;
  return page.nextCursor === null || count > 1 ? count : undefined;
}
