import { t } from "@lingui/core/macro";
import {
  BASIC_SCOPES,
  CUSTOM_ROLE_SCOPES,
  ROLE_SCOPES,
  type Scope,
} from "@turnpike/domain/access/scopes";

/** What a scope lets a member do, in plain words. */
export type Ability = { scope: Scope; text: string };

const TEXTS: Partial<Record<Scope, string>> = {
  "keys:read": t`See keys, never their secret part`,
  "keys:write": t`Create, change, roll and revoke keys`,
  "keys:verify": t`Check whether a key is valid`,
  "usage:read": t`See usage, limits and insights`,
  "alerts:read": t`See alerts`,
  "alerts:write": t`Create, change and delete alerts, and rate insights`,
  "billing:read": t`See the subscription and invoices`,
  "billing:write": t`Change the plan, pay, and set the spend cap`,
  "proposals:read": t`See what agents propose`,
  "proposals:write": t`Confirm or decline what agents propose`,
  "members:read": t`See members and roles`,
  "members:write": t`Invite, change and remove members, and make roles`,
  "tenants:write": t`Change the tenant’s name and address`,
  "audit:read": t`Read the audit log`,
  "webhooks:read": t`See webhooks and what they sent`,
  "webhooks:write": t`Create, change and delete webhooks`,
  "files:read": t`Download files`,
  "files:write": t`Upload and delete files`,
  "sso:read": t`See the single sign-on of the tenant`,
  "sso:write": t`Set up single sign-on`,
  "tenants:delete": t`Delete the tenant`,
};

const BASIC: ReadonlySet<Scope> = new Set(BASIC_SCOPES);

/** What roles differ in, in the order of the screens. What every role has is not among it. */
export const ABILITIES: readonly Ability[] = Object.entries(TEXTS).map(([scope, text]) => ({
  scope: scope as Scope,
  text,
}));

/** What a role of one's own may be made of, by a person with these scopes. */
export function listOffered(held: readonly Scope[]): readonly Ability[] {
  return ABILITIES.filter(
    ({ scope }) => CUSTOM_ROLE_SCOPES.includes(scope) && held.includes(scope),
  );
}

/** Scopes of built-in roles without words; empty, or a member would not read what a role may do. */
export function listWithoutWords(): readonly Scope[] {
  return ROLE_SCOPES.owner.filter((scope) => !BASIC.has(scope) && TEXTS[scope] === undefined);
}
