import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { periodAt } from "@turnpike/domain/time/period";
import type { EntitlementDirectory } from "#modules/entitlements/index.ts";
import type { KeyDirectory, KeyRecord } from "#modules/keys/index.ts";
import type { Clock } from "#platform/clock.ts";
import type { CallToDecide, Subject } from "./call-to-decide.ts";
import { checkRights, denyUnknown, type RightsToCheck } from "./check-rights.ts";
import type { Denial } from "./denial.ts";

export type RecheckDeps = {
  directory: Pick<KeyDirectory, "loadKey">;
  entitlements: Pick<EntitlementDirectory, "load">;
  clock: Clock;
};

/** An earlier call, as far as its rights depend on it. */
export type CallToRecheck = { keyHash: string } & RightsToCheck & Pick<CallToDecide, "environment">;

/** Why an earlier call would be refused now; or, while it may go on, when its key expires, epoch milliseconds. */
export type RightsNow = { refusal: Denial } | { refusal: undefined; expiresAtMs: number };

/**
 * Decides the rights of an earlier call again; its limits stay as they were decided then.
 *
 * @returns Rejects when the database cannot say.
 */
export type RecheckRights = (call: CallToRecheck) => Promise<RightsNow>;

function subjectAt(key: KeyRecord, tenant: Entitlement, nowMs: number): Subject {
  const { start, end } = periodAt(tenant.periodAnchor, tenant.periodUnit, new Date(nowMs));
  return { key, tenant, periodStartMs: start.getTime(), periodEndMs: end.getTime() };
}

export function createRightsRecheck(deps: RecheckDeps): RecheckRights {
  return async (call) => {
    const key = await deps.directory.loadKey(call.keyHash);
    const tenant = key === null ? null : await deps.entitlements.load(key.tenantId);
    if (key === null || tenant === null) {
      return { refusal: denyUnknown() };
    }
    if (call.environment !== undefined && call.environment !== key.environment) {
      return { refusal: denyUnknown() };
    }
    const nowMs = deps.clock.now().getTime();
    const refusal = checkRights(subjectAt(key, tenant, nowMs), call, nowMs);
    return refusal === undefined ? { refusal, expiresAtMs: key.expiresAtMs } : { refusal };
  };
}
