import type { Lock } from "@turnpike/contract/locks";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { LockId } from "@turnpike/domain/ids/ids";
import type { Transact } from "#platform/transact.ts";
import { findLock } from "./locks.store.ts";
import { toLockReply } from "./open-lock.ts";

/** @throws {AppError} `INSUFFICIENT_SCOPE`, `RESOURCE_NOT_FOUND`. */
export async function getLock(
  deps: { transact: Transact },
  context: CallContext,
  { lockId }: { lockId: LockId },
): Promise<Lock> {
  assertMay(context.actor, "keys:verify");
  const row = await deps.transact.asOperator((tx) => findLock(tx, lockId));
  if (row === undefined) {
    throw resourceNotFound("lock");
  }
  return toLockReply(row);
}
