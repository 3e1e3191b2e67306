import type { Transact } from "#platform/transact.ts";
import { deleteOldLeases, deleteSilentProcesses, forfeitLeases } from "./leases.store.ts";
import { deleteOldGroups } from "./ledger.store.ts";
import { deleteOldLocks, lapseLocks } from "./locks.store.ts";

/** A process that has not been heard of for this long is forgotten. */
const SILENT_SECONDS = 7 * 24 * 3600;

/**
 * Claimed groups are remembered this long. A journal that was left behind longer ago is not replayed but set aside, because
 * it could no longer be told what of it is in the ledger already.
 */
export const GROUPS_KEPT_DAYS = 7;
const GROUPS_A_RUN_MAX = 200_000;

/**
 * How long a lock that has ended still answers as it did. Less than groups are remembered, so that a settled lock can be held
 * against the ledger for as long as it is there.
 */
export const LOCKS_KEPT_DAYS = 3;
const LOCKS_A_RUN_MAX = 50_000;

/**
 * Keeps the ledger's helpers in order: what a dead process left past its deadline is forfeited, locks past their time
 * lapse, what belongs to periods long over is deleted, and so are groups that no journal can hold any more. Idempotent; every process may run it.
 */
export async function keepMeteringHouse(deps: {
  transact: Transact;
}): Promise<{ forfeited: number; deleted: number; groups: number; lapsed: number; locks: number }> {
  return await deps.transact.asMeter(async (tx) => {
    const forfeited = await forfeitLeases(tx, null);
    const deleted = await deleteOldLeases(tx);
    await deleteSilentProcesses(tx, SILENT_SECONDS);
    const groups = await deleteOldGroups(tx, GROUPS_KEPT_DAYS, GROUPS_A_RUN_MAX);
    const lapsed = await lapseLocks(tx, LOCKS_A_RUN_MAX);
    const locks = await deleteOldLocks(tx, LOCKS_KEPT_DAYS, LOCKS_A_RUN_MAX);
    return { forfeited, deleted, groups, lapsed, locks };
  });
}
