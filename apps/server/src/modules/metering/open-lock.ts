import type { Lock } from "@turnpike/contract/locks";
import type { Tx } from "@turnpike/db/client";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { LeaseId, LockId } from "@turnpike/domain/ids/ids";
import type { LeaseHolder } from "./lease-holder.ts";
import type { BalanceName } from "./leases.store.ts";
import { claimLock, dropLockLeases, type LockRow } from "./locks.store.ts";

export function toLockReply(row: LockRow): Lock {
  return {
    lockId: row.lock_id,
    state: row.state,
    tenantId: row.tenant_id,
    keyId: row.key_id,
    environment: row.environment,
    meter: row.meter_id,
    reserved: row.reserved,
    cost: row.cost,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

function lapsed(): AppError {
  return new AppError({
    code: "LOCK_LAPSED",
    publicMessage: "The time of this lock is over, and what it reserved went back.",
  });
}

/**
 * Claims a lock for whoever ends it.
 *
 * @param isSameEnd - Tells whether it has ended in just the way that is asked for; then there is nothing left to do.
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `LOCK_LAPSED`, `LOCK_ENDED`.
 */
export async function claimOpenLock(
  tx: Tx,
  lockId: LockId,
  isSameEnd: (row: LockRow) => boolean,
): Promise<{ row: LockRow; isEnded: boolean }> {
  const row = await claimLock(tx, lockId);
  if (row === undefined) {
    throw resourceNotFound("lock");
  }
  if (row.state === "lapsed") {
    throw lapsed();
  }
  if (row.state === "open") {
    return { row, isEnded: false };
  }
  if (isSameEnd(row)) {
    return { row, isEnded: true };
  }
  throw new AppError({
    code: "LOCK_ENDED",
    publicMessage:
      row.state === "settled"
        ? `This lock was settled with a cost of ${String(row.cost)}.`
        : "This lock was released.",
    extensions: { state: row.state, cost: row.cost },
  });
}

/** Frees what a lock holds. @throws {AppError} `LOCK_LAPSED` when its time was over a moment ago. */
export async function freeUnits(tx: Tx, row: LockRow): Promise<void> {
  if (!(await dropLockLeases(tx, row))) {
    throw lapsed();
  }
}

/** The balances that a lock may hold units of: its tenant's and its line of keys'. */
export function balancesOf(row: LockRow): { tenant: BalanceName; key: BalanceName } {
  const tenant = {
    tenantId: row.tenant_id,
    keyId: undefined,
    meterId: row.meter_id,
    environment: row.environment,
    periodStart: row.period_start,
    periodEnd: row.period_end,
  };
  return { tenant, key: { ...tenant, keyId: row.origin_key_id } };
}

/**
 * Tells this process at once what went back, or with a negative quantity what was taken on top. Where no hard limit was when
 * the lock was made, it held nothing that could go back: there its cost alone counts.
 */
export function noteEnd(
  leases: LeaseHolder,
  row: LockRow,
  ended: { quantity: number; sinceMs: number },
): void {
  const { tenant, key } = balancesOf(row);
  const changeOf = (leaseId: LeaseId | null) =>
    leaseId === null ? ended.quantity - row.reserved : ended.quantity;
  leases.noteGivenBack(tenant, changeOf(row.lease_id), ended.sinceMs);
  leases.noteGivenBack(key, changeOf(row.key_lease_id), ended.sinceMs);
}
