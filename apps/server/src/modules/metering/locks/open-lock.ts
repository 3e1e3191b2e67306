import type { Lock } from "@turnpike/contract/locks";
import type { Tx } from "@turnpike/db/client";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { LeaseId, LockId } from "@turnpike/domain/ids/ids";
import type { LeaseHolder } from "../leases/lease-holder.ts";
import type { BalanceName } from "../leases/leases.store.ts";
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
    publicMessage: "This lock has expired, and the units it reserved went back.",
  });
}

/**
 * Claims a lock to end it.
 *
 * @param isSameEnd - True for a lock that ended exactly as asked, so that nothing is left to do.
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

/** Frees the units of a lock. @throws {AppError} `LOCK_LAPSED` when it has just expired. */
export async function freeUnits(tx: Tx, row: LockRow): Promise<void> {
  if (!(await dropLockLeases(tx, row))) {
    throw lapsed();
  }
}

/** The balances that a lock may hold units of: the tenant's and that of the line of keys. */
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
 * Counts at once, in the leases of this process, the units that went back when a lock ended, or with a negative quantity those
 * taken on top. A lock made without a hard limit held nothing that could go back, so only its cost counts.
 */
export function countEndedLock(
  leases: LeaseHolder,
  row: LockRow,
  ended: { quantity: number; sinceMs: number },
): void {
  const { tenant, key } = balancesOf(row);
  const changeOf = (leaseId: LeaseId | null) =>
    leaseId === null ? ended.quantity - row.reserved : ended.quantity;
  leases.applyChange(tenant, changeOf(row.lease_id), ended.sinceMs);
  leases.applyChange(key, changeOf(row.key_lease_id), ended.sinceMs);
}
