import type { Transact } from "#platform/transact.ts";
import { deleteOldLeases, deleteSilentProcesses, forfeitLeases } from "./leases.store.ts";
import { deleteOldGroups } from "./ledger.store.ts";

/** A process that has not been heard of for this long is forgotten. */
const SILENT_SECONDS = 7 * 24 * 3600;

/**
 * Claimed groups are remembered this long. A journal that was left behind longer ago is not replayed but set aside, because
 * it could no longer be told what of it is in the ledger already.
 */
export const GROUPS_KEPT_DAYS = 7;
const GROUPS_A_RUN_MAX = 200_000;

/**
 * Keeps the ledger's helpers in order: what a dead process left past its deadline is forfeited, what belongs to periods long
 * over is deleted, and so are groups that no journal can hold any more. Idempotent; every process may run it.
 */
export async function keepMeteringHouse(deps: {
  transact: Transact;
}): Promise<{ forfeited: number; deleted: number; groups: number }> {
  return await deps.transact.asMeter(async (tx) => {
    const forfeited = await forfeitLeases(tx, null);
    const deleted = await deleteOldLeases(tx);
    await deleteSilentProcesses(tx, SILENT_SECONDS);
    const groups = await deleteOldGroups(tx, GROUPS_KEPT_DAYS, GROUPS_A_RUN_MAX);
    return { forfeited, deleted, groups };
  });
}
