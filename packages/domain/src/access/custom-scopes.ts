import { SCOPES } from "./scopes.ts";

/**
 * Scopes of the operator's own API, such as `maps:read`: two to four words joined by colons, each of lower-case letters,
 * digits, dashes and underscores.
 */
export const CUSTOM_SCOPE_PATTERN = /^[a-z][a-z0-9_-]{0,31}(?::[a-z0-9_-]{1,32}){1,3}$/;

const MANAGEMENT_SCOPES: ReadonlySet<string> = new Set(SCOPES);
const RESERVED_NOUNS: ReadonlySet<string> = new Set(
  SCOPES.map((scope) => scope.slice(0, scope.indexOf(":"))),
);

/** True for a name with a noun of Turnpike's own scopes: `keys:read`, and any `keys:…` that may be added. */
export function isReservedScope(name: string): boolean {
  const colon = name.indexOf(":");
  return MANAGEMENT_SCOPES.has(name) || RESERVED_NOUNS.has(name.slice(0, Math.max(0, colon)));
}

/** True for a scope that an operator may define: it matches the pattern, and its noun is not one of Turnpike's. */
export function isCustomScope(name: string): boolean {
  return CUSTOM_SCOPE_PATTERN.test(name) && !isReservedScope(name);
}

/**
 * The scopes that a key has in effect: the management scopes, and the custom ones that the plan allows. When the tenant leaves
 * a plan, its scopes stop working; when it returns, they work again.
 *
 * @param planScopes - What the plan of the tenant allows; undefined for nothing.
 * @returns `keyScopes` itself when all are in effect.
 */
export function effectiveScopes(
  keyScopes: readonly string[],
  planScopes: readonly string[] | undefined,
): readonly string[] {
  const isInEffect = (scope: string) =>
    isReservedScope(scope) || planScopes?.includes(scope) === true;
  return keyScopes.every(isInEffect) ? keyScopes : keyScopes.filter(isInEffect);
}
