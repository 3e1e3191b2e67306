import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { LockId, TenantId } from "@turnpike/domain/ids/ids";
import type { LockRequest } from "#modules/metering/index.ts";
import type { CallToDecide } from "../decide/call-to-decide.ts";
import type { Admission, DecideCall } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import type { CallTarget, DescribeCall } from "../record-call.ts";

export type LockUnitsDeps = {
  decideCall: DecideCall;
  locks: {
    describe: DescribeCall;
    /** False when the tenant has as many open locks as it may have. */
    hasRoom(tenantId: TenantId): Promise<boolean>;
    reserve(input: LockRequest): Promise<{ lockId: LockId; expiresAt: Date }>;
  };
};

/** An admission whose units a lock holds. Nothing is recorded until the lock is settled. */
export type LockedAdmission = Admission & {
  lock: { lockId: LockId; reserved: number; expiresAt: string };
};

/** @throws {AppError} `INVALID_REQUEST`: a dry run has nothing to reserve. */
function assertLockable(cost: number): void {
  if (cost === 0) {
    const message = "A lock reserves the cost, so that must be 1 or more.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/cost", message }],
    });
  }
}

/**
 * Decides a call and puts its units into a lock, which holds them until it is known what the call came to.
 *
 * What can refuse it is asked before anything is taken: a denied call takes nothing from any limit, also when the database
 * is not there or too many locks are open.
 *
 * @throws {AppError} `INVALID_REQUEST` (a cost of 0), `LIMITS_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `OVERLOADED`.
 */
export async function lockUnits(
  deps: LockUnitsDeps,
  { actor }: Pick<CallContext, "actor">,
  input: { call: CallToDecide; target: CallTarget; ttlSeconds: number },
): Promise<LockedAdmission | Denial> {
  const { call } = input;
  assertLockable(call.cost);
  const decided = await deps.decideCall({ ...call, isDryRun: true });
  if (!decided.allowed) {
    return decided;
  }
  if (!(await deps.locks.hasRoom(decided.tenant.tenantId))) {
    return {
      allowed: false,
      code: "TOO_MANY_LOCKS",
      detail: "Too many calls of this account are under way: their locks must end first.",
      subject: decided,
      limit: undefined,
      limits: decided.limits,
      missingScopes: [],
      retryAfterMs: undefined,
    };
  }
  const admission = await deps.decideCall(call);
  if (!admission.allowed) {
    return admission;
  }
  const { lockId, expiresAt } = await deps.locks.reserve({
    call: deps.locks.describe(admission, input.target),
    reserved: call.cost,
    hold: admission.hold,
    keyHold: admission.keyHold,
    ttlSeconds: input.ttlSeconds,
    createdBy: `${actor.type}:${actor.id}`,
  });
  const lock = { lockId, reserved: call.cost, expiresAt: expiresAt.toISOString() };
  return { ...admission, lock };
}
