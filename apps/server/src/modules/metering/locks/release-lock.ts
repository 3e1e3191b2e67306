import type { Lock } from "@turnpike/contract/locks";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { LockId } from "@turnpike/domain/ids/ids";
import { endLock } from "./locks.store.ts";
import { claimOpenLock, countEndedLock, freeUnits, toLockReply } from "./open-lock.ts";
import type { EndLockDeps } from "./settle-lock.ts";

/**
 * Gives back everything that a lock reserved. Nothing is metered. Idempotent.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `RESOURCE_NOT_FOUND`, `LOCK_LAPSED`, `LOCK_ENDED` (it was settled).
 */
export async function releaseLock(
  deps: EndLockDeps,
  context: CallContext,
  { lockId }: { lockId: LockId },
): Promise<Lock> {
  assertMay(context.actor, "keys:verify");
  const sinceMs = deps.clock.monotonicMs();
  const { row, isEnded } = await deps.transact.asMeter(async (tx) => {
    const claimed = await claimOpenLock(tx, lockId, (ended) => ended.state === "released");
    if (claimed.isEnded) {
      return claimed;
    }
    await freeUnits(tx, claimed.row);
    return { row: await endLock(tx, lockId, { state: "released" }), isEnded: false };
  });
  if (!isEnded) {
    countEndedLock(deps.metering.leases, row, { quantity: row.reserved, sinceMs });
  }
  return toLockReply(row);
}
