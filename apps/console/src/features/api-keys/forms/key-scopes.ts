import { t } from "@lingui/core/macro";
import { ROLE_SCOPES, scopesOf, type TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { type NamedRole, toHeldRole } from "#platform/may-in-tenant.ts";

type TenantKeyScope = (typeof TENANT_KEY_SCOPES)[number];

/** What each scope permits, in plain words. */
export const SCOPE_TEXTS: Readonly<Record<TenantKeyScope, string>> = {
  "keys:read": t`List keys, never their secret part`,
  "keys:write": t`Create, change, roll and revoke keys`,
  "billing:read": t`Read the subscription, invoices and what is due`,
  "usage:read": t`Read usage and remaining limits`,
  "alerts:read": t`Read alerts and their history`,
  "alerts:write": t`Create, change, pause and delete alerts`,
  "proposals:read": t`Read changes that agents proposed`,
  "proposals:write": t`Propose changes that a person confirms`,
  "events:write": t`Report the tenant’s usage as events`,
  "catalog:read": t`Read plans and meters`,
  "tenants:read": t`Read the tenant’s name, plan and settings`,
  "members:read": t`List members and their roles`,
  "audit:read": t`Read the audit trail`,
  "webhooks:read": t`Read webhook endpoints and their deliveries`,
  "webhooks:write": t`Create, change and delete webhook endpoints`,
  "documents:read": t`Read stored documents`,
  "documents:write": t`Write and delete documents`,
  "notifications:read": t`Read notifications`,
  "notifications:write": t`Send and mark notifications`,
  "files:read": t`Download files`,
  "files:write": t`Upload and delete files`,
};

/** `isOffered` is false for a scope that is listed but cannot be changed. */
export type ScopeChoice = { scope: string; text: string; isOffered: boolean };

/**
 * The management scopes that a key may carry, the most likely first.
 *
 * @param role - The role of the person who grants them: no one can grant a scope that they do not have.
 * @param granted - Scopes that the key already has; they stay available.
 */
export function listManagementScopes(role: NamedRole, granted: readonly string[]): ScopeChoice[] {
  const held: readonly string[] = scopesOf(toHeldRole(role));
  const heldBySome: readonly string[] = Object.values(ROLE_SCOPES).flat();
  const toReason = (scope: string) =>
    heldBySome.includes(scope)
      ? t`Your role does not include it.`
      : t`Only the operator can grant it.`;
  return Object.entries(SCOPE_TEXTS).map(([scope, text]) => ({
    scope,
    text: held.includes(scope) ? text : `${text}. ${toReason(scope)}`,
    isOffered: held.includes(scope) || granted.includes(scope),
  }));
}

/**
 * The API scopes that a key may carry: those that the plan allows, and those that the key has from an earlier plan.
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
      text: t`Your plan does not allow it: it has no effect.`,
      isOffered: true,
    })),
  ];
}

/** True for a scope of Turnpike itself. */
export function isManagementScope(scope: string): boolean {
  return scope in SCOPE_TEXTS;
}
