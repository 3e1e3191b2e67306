import { ROLE_SCOPES, type Role, type TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";

type TenantKeyScope = (typeof TENANT_KEY_SCOPES)[number];

/** What a program with the scope can do, in plain words. */
export const SCOPE_TEXTS: Readonly<Record<TenantKeyScope, string>> = {
  "keys:read": "List keys, never their secret part",
  "keys:write": "Create, change, roll and revoke keys",
  "usage:read": "Read usage and remaining limits",
  "alerts:read": "Read alerts and their history",
  "alerts:write": "Create, change, pause and delete alerts",
  "events:write": "Report the tenant’s usage as events",
  "catalog:read": "Read plans and meters",
  "tenants:read": "Read the tenant’s name, plan and settings",
  "members:read": "List members and their roles",
  "audit:read": "Read the audit trail",
  "webhooks:read": "Read webhook endpoints and their deliveries",
  "webhooks:write": "Create, change and delete webhook endpoints",
  "documents:read": "Read stored documents",
  "documents:write": "Write and delete documents",
  "notifications:read": "Read notifications",
  "notifications:write": "Send and mark notifications",
  "files:read": "Download files",
  "files:write": "Upload and delete files",
};

/** `isOffered` is false for what stands there and cannot be changed. */
export type ScopeChoice = { scope: string; text: string; isOffered: boolean };

/**
 * The scopes for managing the tenant that a key may carry, the likeliest first.
 *
 * @param role - Of who gives them: nobody gives what they do not hold.
 * @param granted - What the key has already stays possible.
 */
export function listManagementScopes(role: Role, granted: readonly string[]): ScopeChoice[] {
  const held: readonly string[] = ROLE_SCOPES[role];
  const heldBySome: readonly string[] = Object.values(ROLE_SCOPES).flat();
  const toReason = (scope: string) =>
    heldBySome.includes(scope)
      ? "Your role does not include it."
      : "Only the operator can grant it.";
  return Object.entries(SCOPE_TEXTS).map(([scope, text]) => ({
    scope,
    text: held.includes(scope) ? text : `${text}. ${toReason(scope)}`,
    isOffered: held.includes(scope) || granted.includes(scope),
  }));
}

/**
 * The scopes of the operator's own API that a key may carry: what the plan allows, and what the key has from another plan.
 * Empty when there is nothing to choose.
 */
export function listApiScopes(
  allowed: readonly string[],
  granted: readonly string[],
): ScopeChoice[] {
  const left = granted.filter((scope) => !(isManagementScope(scope) || allowed.includes(scope)));
  return [
    ...allowed.map((scope) => ({ scope, text: "", isOffered: true })),
    ...left.map((scope) => ({
      scope,
      text: "Your plan does not allow it: it has no effect.",
      isOffered: true,
    })),
  ];
}

/** True for a scope of Turnpike itself. */
export function isManagementScope(scope: string): boolean {
  return scope in SCOPE_TEXTS;
}
