import { t } from "@lingui/core/macro";
import { SCOPES, type Scope } from "@turnpike/domain/access/scopes";

export type ScopeGroup = {
  /** "Service keys". */
  noun: string;
  scopes: readonly { scope: Scope; verb: string }[];
};

/** Resources whose name in the API is no word. */
const NAMES: Readonly<Record<string, string>> = { sso: t`Single sign-on` };

/** Every scope grouped by resource, in the order of the API. */
export const SCOPE_GROUPS: readonly ScopeGroup[] = [
  ...Map.groupBy(SCOPES, (scope) => scope.slice(0, scope.indexOf(":"))),
].map(([noun, scopes]) => ({
  noun: NAMES[noun] ?? toLabel(noun),
  scopes: scopes.map((scope) => ({ scope, verb: toLabel(scope.slice(noun.length + 1)) })),
}));

function toLabel(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll("_", " ");
}
