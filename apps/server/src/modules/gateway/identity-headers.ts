import { effectiveScopes } from "@turnpike/domain/access/custom-scopes";
import type { Admission } from "./decide/decide-call.ts";
import type { HeaderPair } from "./proxy/forward-headers.ts";

/** Says to the upstream whose call it is. Every header always has a value. */
export function toIdentityHeaders({
  key,
  tenant,
}: Pick<Admission, "key" | "tenant">): HeaderPair[] {
  const scopes = effectiveScopes(key.scopes, tenant.terms.scopes);
  return [
    ["X-Turnpike-Tenant", tenant.tenantId],
    ["X-Turnpike-Key", key.keyId],
    ["X-Turnpike-Environment", key.environment],
    ["X-Turnpike-Plan", tenant.planId],
    ["X-Turnpike-Scopes", scopes.length === 0 ? "-" : scopes.join(" ")],
  ];
}

/** The identity of a call without a key (a preflight): every name is set, so that a caller cannot forge one. */
export const NO_IDENTITY: readonly HeaderPair[] = [
  ["X-Turnpike-Tenant", "-"],
  ["X-Turnpike-Key", "-"],
  ["X-Turnpike-Environment", "-"],
  ["X-Turnpike-Plan", "-"],
  ["X-Turnpike-Scopes", "-"],
];
