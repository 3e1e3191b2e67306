import { effectiveScopes } from "@turnpike/domain/access/custom-scopes";
import { findMissingScopes } from "@turnpike/domain/access/scope-query";
import {
  findTenantRefusal,
  type TenantRefusal,
} from "@turnpike/domain/entitlements/find-tenant-refusal";
import type { CallToDecide, Subject } from "./call-to-decide.ts";
import { type Denial, deny } from "./denial.ts";

const REFUSALS: Readonly<Record<TenantRefusal, string>> = {
  TENANT_SUSPENDED: "The account of this API key is suspended.",
  PAYMENT_REQUIRED:
    "An invoice of the account of this API key is overdue. Calls pass again once it is paid.",
  SPEND_CAP_REACHED: "The account of this API key has reached its spend cap for this period.",
};

/** Refuses a key that is dead, and every call of a tenant that may make none. */
function checkState(subject: Subject, nowMs: number): Denial | undefined {
  const { key, tenant } = subject;
  if (key.revoked) {
    return deny("REVOKED", "This API key was revoked.", { subject });
  }
  if (key.expiresAtMs <= nowMs) {
    return deny("EXPIRED", "This API key has expired.", { subject });
  }
  if (key.disabled) {
    return deny("DISABLED", "This API key is disabled.", { subject });
  }
  const refusal = findTenantRefusal(tenant);
  return refusal === undefined ? undefined : deny(refusal, REFUSALS[refusal], { subject });
}

function checkNetwork(subject: Subject, findAddress: () => string | undefined): Denial | undefined {
  const { networks } = subject.key;
  if (networks === undefined) {
    return;
  }
  const address = findAddress();
  if (address === undefined) {
    return deny(
      "FORBIDDEN_NETWORK",
      "This API key may be used from certain networks only: say the address that the call came from.",
      { subject },
    );
  }
  return networks.has(address)
    ? undefined
    : deny("FORBIDDEN_NETWORK", "This API key may not be used from the network of this call.", {
        subject,
      });
}

function checkScopes(subject: Subject, call: RightsToCheck): Denial | undefined {
  if (call.scopeQuery === undefined) {
    return;
  }
  const { key, tenant } = subject;
  const held = effectiveScopes(key.scopes, tenant.terms.scopes);
  const missingScopes = findMissingScopes(call.scopeQuery, held);
  return missingScopes.length === 0
    ? undefined
    : deny("INSUFFICIENT_SCOPE", `This API key lacks ${missingScopes.join(", ")}.`, {
        subject,
        missingScopes,
      });
}

/** What the rights of a call depend on, besides its key and its tenant. */
export type RightsToCheck = Pick<CallToDecide, "findAddress" | "scopeQuery">;

/** Says no more than that: a key of another environment and one that was never made look alike. */
export function denyUnknown(): Denial {
  return deny("INVALID_KEY", "This API key is not known.");
}

/**
 * Decides whether a key may make a call at all, before its limits are asked: its own state, its tenant's, where the call
 * comes from, and the scopes that it needs.
 */
export function checkRights(
  subject: Subject,
  call: RightsToCheck,
  nowMs: number,
): Denial | undefined {
  return (
    checkState(subject, nowMs) ??
    checkNetwork(subject, call.findAddress) ??
    checkScopes(subject, call)
  );
}
