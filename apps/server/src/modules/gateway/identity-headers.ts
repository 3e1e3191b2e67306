import { effectiveScopes } from "@turnpike/domain/access/custom-scopes";
import type { Admission } from "./decide/decide-call.ts";
import type { HeaderPair } from "./proxy/forward-headers.ts";

/** Whose call it is, for the upstream. Every header always has a value. */
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

/** What the upstream gets on a call without a key (a preflight): every name, so that none can be forged past us. */
export const NO_IDENTITY: readonly HeaderPair[] = [
  ["X-Turnpike-Tenant", "-"],
  ["X-Turnpike-Key", "-"],
  ["X-Turnpike-Environment", "-"],
  ["X-Turnpike-Plan", "-"],
  ["X-Turnpike-Scopes", "-"],
];
