import { SCOPES, type Scope } from "@turnpike/domain/access/scopes";

export type ScopeGroup = {
  /** "Service keys". */
  noun: string;
  scopes: readonly { scope: Scope; verb: string }[];
};

/** Every scope grouped by resource, in the order of the API. */
export const SCOPE_GROUPS: readonly ScopeGroup[] = [
  ...Map.groupBy(SCOPES, (scope) => scope.slice(0, scope.indexOf(":"))),
].map(([noun, scopes]) => ({
  noun: toLabel(noun),
  scopes: scopes.map((scope) => ({ scope, verb: toLabel(scope.slice(noun.length + 1)) })),
}));

function toLabel(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll("_", " ");
}
