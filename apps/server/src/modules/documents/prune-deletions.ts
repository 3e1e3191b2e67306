import type { AppServices } from "#platform/app-services.ts";
import { deleteTombstonesBefore } from "./documents.store.ts";

/** A reader that was away for longer is reset. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** Prunes documents that were deleted more than 30 days ago. @returns How many. */
export async function pruneDeletions(
  deps: Pick<AppServices, "transact" | "clock">,
): Promise<number> {
  const before = new Date(deps.clock.now().getTime() - RETENTION_MS);
  return await deps.transact.asOperator((tx) => deleteTombstonesBefore(tx, before));
}
