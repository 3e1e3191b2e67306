import type { Transact } from "#platform/transact.ts";
import { deleteOldLeases, deleteSilentProcesses, forfeitLeases } from "./leases/leases.store.ts";
import { deleteOldGroups } from "./ledger/ledger.store.ts";
import { deleteOldLocks, lapseLocks } from "./locks/locks.store.ts";

/** A process without a heartbeat for this long is deleted. */
const SILENT_SECONDS = 7 * 24 * 3600;

/**
 * Ids of committed groups are kept for this long. An older journal is set aside and not replayed, because the ledger can no
 * longer show which of its groups were committed.
 */
export const GROUPS_KEPT_DAYS = 7;
const GROUPS_A_RUN_MAX = 200_000;

/** An ended lock answers for this long. Shorter than groups are kept, so that every settled lock can be compared with the ledger. */
export const LOCKS_KEPT_DAYS = 3;
const LOCKS_A_RUN_MAX = 50_000;

/**
 * Forfeits leases that dead processes left past their deadline, lets expired locks lapse, and deletes leases of past periods,
 * silent processes, old locks, and ids of groups that no journal can hold any more. Idempotent; every process may run it.
 */
export async function pruneMetering(deps: {
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
