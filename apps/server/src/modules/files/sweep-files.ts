import type { AppServices } from "#platform/app-services.ts";
import type { FileStore } from "./file-store.ts";
import type { FindOwned } from "./files.ports.ts";
import { findKnownFileIds } from "./files.store.ts";

export type SweepFilesDeps = Pick<AppServices, "transact" | "clock" | "logger"> & {
  fileStore: FileStore;
  /** Modules above that store bytes here under ids of their own. */
  fileOwners: readonly FindOwned[];
};

/** Bytes are stored before their row, so younger ones may still be waiting for it. */
const YOUNGEST_MS = 60 * 60 * 1_000;
const BATCH_SIZE = 500;

async function sweepBatch(deps: SweepFilesDeps, fileIds: readonly string[]): Promise<number> {
  const known = await deps.transact.asOperatorWithDeleted(async (tx) => {
    const owned = await findKnownFileIds(tx, fileIds);
    for (const findOwned of deps.fileOwners) {
      for (const fileId of await findOwned(tx, fileIds)) {
        owned.add(fileId);
      }
    }
    return owned;
  });
  const oldest = deps.clock.now().getTime() - YOUNGEST_MS;
  let deleted = 0;
  for (const fileId of fileIds.filter((id) => !known.has(id))) {
    const found = await deps.fileStore.stat(fileId);
    if (found !== undefined && found.storedAt.getTime() < oldest) {
      await deps.fileStore.delete(fileId);
      deleted += 1;
    }
  }
  return deleted;
}

/**
 * Deletes bytes without a row: of uploads that a crash cut short, and of deleted files and tenants.
 *
 * @returns How many files.
 */
export async function sweepFiles(deps: SweepFilesDeps): Promise<number> {
  let deleted = 0;
  let batch: string[] = [];
  for await (const fileId of deps.fileStore.list()) {
    batch.push(fileId);
    if (batch.length === BATCH_SIZE) {
      deleted += await sweepBatch(deps, batch);
      batch = [];
    }
  }
  deleted += await sweepBatch(deps, batch);
  if (deleted > 0) {
    deps.logger.info({ deleted }, "files without a row were deleted");
  }
  return deleted;
}
