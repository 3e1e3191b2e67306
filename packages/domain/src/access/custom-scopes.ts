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

/** True for a name whose noun Turnpike's own scopes use: `keys:read`, and `keys:anything` that may come one day. */
export function isReservedScope(name: string): boolean {
  const colon = name.indexOf(":");
  return MANAGEMENT_SCOPES.has(name) || RESERVED_NOUNS.has(name.slice(0, Math.max(0, colon)));
}

/** True for a scope that an operator may sell: of the pattern, and with a noun that Turnpike does not use itself. */
export function isCustomScope(name: string): boolean {
  return CUSTOM_SCOPE_PATTERN.test(name) && !isReservedScope(name);
}

/**
 * The scopes that a key has in effect: those for managing its tenant, and of the others those that the plan allows. So a
 * plan that is left takes its scopes along, and gives them back when it is returned to.
 *
 * @param planScopes - What the plan of the tenant allows; undefined: nothing.
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
