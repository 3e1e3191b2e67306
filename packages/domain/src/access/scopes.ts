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

/** True when `role` may give the role `other`, which must not have scopes that `role` lacks. */
export function canGrantRole(role: Role, other: Role): boolean {
  if (role === "owner") {
    return true;
  }
  return role === "admin" && other !== "owner";
}
