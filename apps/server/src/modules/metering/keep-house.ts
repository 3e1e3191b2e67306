import type { Transact } from "#platform/transact.ts";
import { deleteOldLeases, deleteSilentProcesses, forfeitLeases } from "./leases.store.ts";

/** A process that has not been heard of for this long is forgotten. */
const SILENT_SECONDS = 7 * 24 * 3600;

/**
 * Keeps leases in order: what a dead process left past its deadline is forfeited, what belongs to periods long over is
 * deleted. Idempotent; every process may run it.
 */
export async function keepMeteringHouse(deps: {
  transact: Transact;
}): Promise<{ forfeited: number; deleted: number }> {
  return await deps.transact.asMeter(async (tx) => {
    const forfeited = await forfeitLeases(tx, null);
    const deleted = await deleteOldLeases(tx);
    await deleteSilentProcesses(tx, SILENT_SECONDS);
    return { forfeited, deleted };
  });
}
