import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { LeaseId, LockId, NewId, TenantId } from "@turnpike/domain/ids/ids";
import { lockCountOf } from "#platform/count-lock.store.ts";
import type { Transact } from "#platform/transact.ts";
import type { LeaseHold } from "../leases/lease-entry.ts";
import type { MeteredCall } from "../ledger/usage-group.ts";
import type { Metering } from "../metering.ts";
import { countOpenLocks, insertLock, moveToLockLease } from "./locks.store.ts";

/** Locks of one tenant that may be open at once. The tenant's limits are summed over all of their rows. */
export const OPEN_LOCKS_MAX = 10_000;

/** From so many open ones on, each is counted again while the others wait: more than are ever being made at once. */
const COUNTED_AGAIN_FROM = OPEN_LOCKS_MAX - 1_000;

/** False when a tenant has as many open locks as it may. Of those asked for at the same moment, {@link reserveLock} refuses the last. */
export async function hasRoomForLock(
  deps: Pick<LocksDeps, "transact">,
  tenantId: TenantId,
): Promise<boolean> {
  const open = await deps.transact.asMeter((tx) => countOpenLocks(tx, tenantId, OPEN_LOCKS_MAX));
  return open < OPEN_LOCKS_MAX;
}

export type LocksDeps = {
  transact: Transact;
  newId: NewId;
  metering: Pick<Metering, "leases" | "processId">;
};

/** An admitted call whose cost is not known yet. */
export type LockRequest = {
  call: Pick<
    MeteredCall,
    | "tenantId"
    | "keyId"
    | "originKeyId"
    | "environment"
    | "meterId"
    | "route"
    | "periodStartMs"
    | "periodEndMs"
  >;
  /** Whole units, 1 or more. */
  reserved: number;
  /** The units taken from this process's leases, for the tenant's hard limit and for the key's own. */
  hold: LeaseHold | undefined;
  keyHold: LeaseHold | undefined;
  ttlSeconds: number;
  /** Kind and id of the caller. */
  createdBy: string;
};

type Held = { hold: LeaseHold; lease: "leaseId" | "keyLeaseId" };

/**
 * Makes a lock. In one transaction, the units that a call took in memory move from their leases to a lease of the lock. What is
 * held of the limits stays the same, so nothing can be overspent, and the lock no longer depends on this process. Ends the holds
 * whether it succeeds or not.
 *
 * @throws {AppError} `LIMITS_UNAVAILABLE`, also for a lock more than a tenant may have open. @throws the error of the database. Then the units go back by themselves.
 */
export async function reserveLock(
  deps: LocksDeps,
  input: LockRequest,
): Promise<{ lockId: LockId; expiresAt: Date }> {
  const { hold, keyHold } = input;
  const { leases } = deps.metering;
  const held: Held[] = [];
  if (hold !== undefined) {
    held.push({ hold, lease: "leaseId" });
  }
  if (keyHold !== undefined) {
    held.push({ hold: keyHold, lease: "keyLeaseId" });
  }
  try {
    const made = await deps.transact.asMeter((tx) => makeLock(tx, deps, { ...input, held }));
    for (const each of held) {
      leases.settle(each.hold);
    }
    return made;
  } catch (error) {
    for (const each of held) {
      leases.markInDoubt(each.hold);
    }
    throw error;
  }
}

async function makeLock(
  tx: Tx,
  deps: LocksDeps,
  input: LockRequest & { held: readonly Held[] },
): Promise<{ lockId: LockId; expiresAt: Date }> {
  const { call, reserved, ttlSeconds } = input;
  const lockId = deps.newId("lock");
  const own: { leaseId?: LeaseId; keyLeaseId?: LeaseId } = {};
  // In the order of their ids, in which every writer locks leases.
  for (const { hold, lease } of input.held.toSorted(byLease)) {
    const to = deps.newId("lease");
    own[lease] = to;
    const isMoved = await moveToLockLease(tx, {
      tenantId: call.tenantId,
      from: hold.lease.leaseId,
      to,
      quantity: reserved,
      processId: deps.metering.processId,
      ttlSeconds,
    });
    if (!isMoved) {
      throw new AppError({
        code: "LIMITS_UNAVAILABLE",
        publicMessage: "The units of this call cannot be held right now. Try again in a moment.",
        headers: { "retry-after": "1" },
      });
    }
  }
  const row = {
    ...call,
    lockId,
    originKeyId: call.originKeyId ?? call.keyId,
    periodStart: new Date(call.periodStartMs),
    periodEnd: new Date(call.periodEndMs),
    reserved,
    leaseId: own.leaseId,
    keyLeaseId: own.keyLeaseId,
    createdBy: input.createdBy,
    ttlSeconds,
  };
  const { expires_at, open_before } = await insertLock(tx, row, OPEN_LOCKS_MAX);
  if (open_before >= COUNTED_AGAIN_FROM) {
    await assertRoomForLast(tx, call.tenantId);
  }
  return { lockId, expiresAt: expires_at };
}

/** Counts the lock that was just added as well. */
async function assertRoomForLast(tx: Tx, tenantId: TenantId): Promise<void> {
  await lockCountOf(tx, "locks", tenantId);
  if ((await countOpenLocks(tx, tenantId, OPEN_LOCKS_MAX + 1)) > OPEN_LOCKS_MAX) {
    throw new AppError({
      code: "LIMITS_UNAVAILABLE",
      publicMessage: "Too many calls of this account are under way: their locks must end first.",
      headers: { "retry-after": "1" },
    });
  }
}

function byLease(a: Held, b: Held): number {
  return a.hold.lease.leaseId < b.hold.lease.leaseId ? -1 : 1;
}
