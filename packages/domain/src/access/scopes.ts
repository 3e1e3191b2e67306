import type { CustomRoleId } from "../ids/ids.ts";

/** What an actor may do. A scope is a noun of the API and a verb; `write` does not include `read`. */
export const SCOPES = [
  "tenants:read",
  "tenants:write",
  "tenants:delete",
  "members:read",
  "members:write",
  "users:write",
  "sso:read",
  "sso:write",
  "keys:read",
  "keys:write",
  "keys:verify",
  "service_keys:read",
  "service_keys:write",
  "catalog:read",
  "catalog:write",
  "usage:read",
  "billing:read",
  "billing:write",
  "invoices:read",
  "invoices:write",
  "alerts:read",
  "alerts:write",
  "proposals:read",
  "proposals:write",
  "events:write",
  "audit:read",
  "documents:read",
  "documents:write",
  "notifications:read",
  "notifications:write",
  "files:read",
  "files:write",
  "outbox:read",
  "outbox:write",
  "webhooks:read",
  "webhooks:write",
] as const;
export type Scope = (typeof SCOPES)[number];

export const ROLES = ["owner", "admin", "developer", "billing", "viewer"] as const;
export type Role = (typeof ROLES)[number];

const VIEWER: readonly Scope[] = [
  "tenants:read",
  "members:read",
  "keys:read",
  "catalog:read",
  "usage:read",
  "billing:read",
  "alerts:read",
  "proposals:read",
  "documents:read",
  "documents:write",
  "notifications:read",
  "notifications:write",
  "files:read",
];
const DEVELOPER: readonly Scope[] = [
  ...VIEWER,
  "keys:write",
  "keys:verify",
  "alerts:write",
  "proposals:write",
  "files:write",
];
const ADMIN: readonly Scope[] = [
  ...DEVELOPER,
  "billing:write",
  "tenants:write",
  "members:write",
  "sso:read",
  "audit:read",
  "webhooks:read",
  "webhooks:write",
];

/** What each role of a tenant may do inside that tenant. The operator's own scopes are in no role. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  // A provider that a tenant trusts can name its owners: only they choose one.
  owner: [...ADMIN, "tenants:delete", "sso:write"],
  admin: ADMIN,
  developer: DEVELOPER,
  billing: [...VIEWER, "billing:write", "proposals:write"],
  viewer: VIEWER,
};

/** A role that a tenant made itself. */
export type CustomRole = { roleId: CustomRoleId; name: string; scopes: readonly Scope[] };

/** How a role is stored and named in the API: a built-in one by its name, one of the tenant's own by its id. */
export type RoleName = Role | CustomRoleId;

/** A role with what it takes to say what it may do. */
export type HeldRole = Role | CustomRole;

/** What a role may do inside its tenant. All that depends on a role asks here. */
export function scopesOf(role: HeldRole): readonly Scope[] {
  return typeof role === "string" ? ROLE_SCOPES[role] : role.scopes;
}

export function nameOfRole(role: HeldRole): RoleName {
  return typeof role === "string" ? role : role.roleId;
}

/** What people read: the name of a built-in role, or the one that its tenant gave it. */
export function titleOfRole(role: HeldRole): string {
  return typeof role === "string" ? role : role.name;
}

/** What every role of a tenant includes, so that its members can open the console. */
export const BASIC_SCOPES = [
  "tenants:read",
  "catalog:read",
  "documents:read",
  "documents:write",
  "notifications:read",
  "notifications:write",
] as const satisfies readonly Scope[];

/** What a tenant may put into a role of its own: all that admins have. What owners alone may do stays theirs. */
export const CUSTOM_ROLE_SCOPES: readonly Scope[] = ADMIN;

/** Scopes that a tenant's API key may carry, so that a program can manage its own tenant. */
export const TENANT_KEY_SCOPES = [
  "tenants:read",
  "members:read",
  "keys:read",
  "keys:write",
  "catalog:read",
  "usage:read",
  "billing:read",
  "alerts:read",
  "alerts:write",
  "proposals:read",
  // Of a change that a person confirms, or declines.
  "proposals:write",
  // In no role: the operator decides key by key whether a tenant may report its own usage.
  "events:write",
  "audit:read",
  "documents:read",
  "documents:write",
  "notifications:read",
  "notifications:write",
  "files:read",
  "files:write",
  "webhooks:read",
  "webhooks:write",
] as const satisfies readonly Scope[];

/** True when `role` may give the role `other`: it writes members, and lacks none of the scopes of `other`. */
export function canGrantRole(role: HeldRole, other: HeldRole): boolean {
  const held = scopesOf(role);
  return held.includes("members:write") && scopesOf(other).every((scope) => held.includes(scope));
}

/** What an operator does not do while acting in a tenant: its money, its owners and its end are not theirs. */
export const NEVER_ACTED: readonly Scope[] = ["billing:write", "tenants:delete", "sso:write"];

/** What belongs to a tenant's members: operators do it as one of them, with a reason, or not at all. */
export const MEMBERS_OWN: readonly Scope[] = [
  "keys:write",
  "alerts:write",
  "files:write",
  "webhooks:write",
  "sso:write",
];
