import type { AppServices } from "#platform/app-services.ts";
import type { FileStore } from "./file-store.ts";
import type { FileOwner } from "./files.ports.ts";
import { filesWithRow } from "./files.store.ts";

export type SweepFilesDeps = Pick<AppServices, "transact" | "clock" | "logger"> & {
  fileStore: FileStore;
  /** Modules above that store bytes here under ids of their own. */
  fileOwners: readonly FileOwner[];
};

/** Bytes are stored before their row, so younger ones may still be waiting for it. */
const YOUNGEST_MS = 60 * 60 * 1_000;
const BATCH_SIZE = 500;
/** Ids in the log, of files that are missing. */
const NAMED_MAX = 20;

export type SweepResult = {
  /** Files without an owner, and uploads that were cut short. */
  deleted: number;
  /** Files that an owner has and the store has not. */
  missing: number;
};

/** Which of the files have an owner. Deleted tenants keep theirs: they may come back. */
async function findOwned(deps: SweepFilesDeps, fileIds: readonly string[]): Promise<Set<string>> {
  return await deps.transact.asOperatorWithDeleted(async (tx) => {
    const owned = new Set<string>();
    for (const owner of [filesWithRow, ...deps.fileOwners]) {
      for (const fileId of await owner.findOwned(tx, fileIds)) {
        owned.add(fileId);
      }
    }
    return owned;
  });
}

async function deleteOrphans(deps: SweepFilesDeps, fileIds: readonly string[]): Promise<number> {
  const owned = await findOwned(deps, fileIds);
  const oldest = deps.clock.now().getTime() - YOUNGEST_MS;
  let deleted = 0;
  for (const fileId of fileIds.filter((id) => !owned.has(id))) {
    const found = await deps.fileStore.stat(fileId);
    if (found !== undefined && found.storedAt.getTime() < oldest) {
      await deps.fileStore.delete(fileId);
      deleted += 1;
    }
  }
  return deleted;
}

async function deleteAllOrphans(deps: SweepFilesDeps, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  let batch: string[] = [];
  for await (const fileId of deps.fileStore.list()) {
    if (signal.aborted) {
      return deleted;
    }
    batch.push(fileId);
    if (batch.length === BATCH_SIZE) {
      deleted += await deleteOrphans(deps, batch);
      batch = [];
      deps.logger.debug({ deleted }, "files are being swept");
    }
  }
  return deleted + (await deleteOrphans(deps, batch));
}

/** Which of the files the store has not, although they still have an owner after it was asked. */
async function findMissing(deps: SweepFilesDeps, fileIds: readonly string[]): Promise<string[]> {
  const absent: string[] = [];
  for (const fileId of fileIds) {
    if ((await deps.fileStore.stat(fileId)) === undefined) {
      absent.push(fileId);
    }
  }
  if (absent.length === 0) {
    return [];
  }
  const owned = await findOwned(deps, absent);
  return absent.filter((fileId) => owned.has(fileId));
}

async function findAllMissing(deps: SweepFilesDeps, signal: AbortSignal): Promise<string[]> {
  const missing: string[] = [];
  for (const owner of [filesWithRow, ...deps.fileOwners]) {
    let afterId = "";
    for (let isMore = true; isMore && !signal.aborted; ) {
      const page = { afterId, limit: BATCH_SIZE };
      const fileIds = await deps.transact.asOperatorWithDeleted((tx) => owner.listOwned(tx, page));
      missing.push(...(await findMissing(deps, fileIds)));
      afterId = fileIds.at(-1) ?? afterId;
      isMore = fileIds.length === BATCH_SIZE;
    }
  }
  return missing;
}

/**
 * Deletes bytes without an owner: of uploads that a crash cut short, and of files, logos, exports and tenants that are gone. It
 * says in the log which files an owner has and the store has not. Each file is a step of its own: it may be stopped or killed
 * anywhere, and the next run does the rest.
 */
export async function sweepFiles(
  deps: SweepFilesDeps,
  { signal }: { signal: AbortSignal },
): Promise<SweepResult> {
  const before = new Date(deps.clock.now().getTime() - YOUNGEST_MS);
  const deleted =
    (await deps.fileStore.deleteAbandoned(before)) + (await deleteAllOrphans(deps, signal));
  const missing = await findAllMissing(deps, signal);
  if (deleted > 0) {
    deps.logger.info({ deleted }, "files without an owner were deleted");
  }
  if (missing.length > 0) {
    deps.logger.error(
      { missing: missing.length, fileIds: missing.slice(0, NAMED_MAX) },
      "files are missing from the data folder: restore them from a backup",
    );
  }
  return { deleted, missing: missing.length };
}
