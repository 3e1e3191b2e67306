import { ROLE_SCOPES, type Role, type TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import type { KeyScope } from "./key-draft.view-model.ts";

type TenantKeyScope = (typeof TENANT_KEY_SCOPES)[number];

/** What a program with the scope can do, in plain words. */
export const SCOPE_TEXTS: Readonly<Record<TenantKeyScope, string>> = {
  "keys:read": "List keys, never their secret part",
  "keys:write": "Create, change, roll and revoke keys",
  "usage:read": "Read usage and what is left of limits",
  "catalog:read": "Read plans and meters",
  "tenants:read": "Read the tenant’s name, plan and settings",
  "members:read": "List members and their roles",
  "audit:read": "Read the audit trail",
  "documents:read": "Read stored documents",
  "documents:write": "Write and delete documents",
  "notifications:read": "Read notifications",
  "notifications:write": "Send and mark notifications",
  "files:read": "Download files",
  "files:write": "Upload and delete files",
};

export type ScopeChoice = { scope: KeyScope; text: string; isHeld: boolean };

/**
 * The scopes that a key may carry, the likeliest first.
 *
 * @param role - Of who gives them: nobody gives what they do not hold.
 */
export function listScopeChoices(role: Role): ScopeChoice[] {
  const held: readonly string[] = ROLE_SCOPES[role];
  const scopes = Object.keys(SCOPE_TEXTS) as TenantKeyScope[];
  return scopes.map((scope) => ({ scope, text: SCOPE_TEXTS[scope], isHeld: held.includes(scope) }));
}
