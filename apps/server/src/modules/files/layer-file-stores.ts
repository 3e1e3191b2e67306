import type { Logger } from "#platform/logger.ts";
import type { FileStore } from "./file-store.ts";

export type FileStores = {
  /** Where files are kept. */
  chosen: FileStore;
  /** Where they may have been kept before the settings were changed. */
  former: readonly FileStore[];
};

/** One store over several: writes go to the chosen one, and what is still in a former one is read from there. */
export function layerFileStores({ chosen, former }: FileStores): FileStore {
  const all = [chosen, ...former];
  // A file that moves between two looks is found by the third: files move to the chosen store only.
  const places = former.length === 0 ? all : [...all, chosen];

  async function findIn<Result>(
    look: (store: FileStore) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    for (const store of places) {
      const found = await look(store);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }

  return {
    put: chosen.put,
    direct: chosen.direct,
    open: (fileId, range) => findIn((store) => store.open(fileId, range)),
    stat: (fileId) => findIn((store) => store.stat(fileId)),
    async delete(fileId) {
      for (const store of all) {
        await store.delete(fileId);
      }
    },
    async deleteAbandoned(before) {
      let deleted = 0;
      for (const store of all) {
        deleted += await store.deleteAbandoned(before);
      }
      return deleted;
    },
    async *list() {
      for (const store of all) {
        yield* store.list();
      }
    },
  };
}

/** Opens the file when it is read: a writer that fails before leaves nothing open. */
async function* readFrom(store: FileStore, fileId: string): AsyncGenerator<Uint8Array> {
  const content = await store.open(fileId);
  if (content === undefined) {
    throw new Error("It was moved or deleted meanwhile.");
  }
  yield* content;
}

async function moveFile(
  from: FileStore,
  { fileId, chosen }: { fileId: string; chosen: FileStore },
): Promise<void> {
  // What the chosen store has is newer.
  if ((await chosen.stat(fileId)) === undefined) {
    await chosen.put(fileId, readFrom(from, fileId), { bytesMax: Number.MAX_SAFE_INTEGER });
  }
  await from.delete(fileId);
}

/**
 * Moves files from former stores to the chosen one, one after the other. May be stopped or killed anywhere, and run by several
 * processes at once: a file leaves its old place after it has arrived in the new one. A file that cannot be moved stays where it
 * is, where it can be read.
 *
 * @returns How many were moved.
 */
export async function moveFormerFiles(
  { chosen, former }: FileStores,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<number> {
  let moved = 0;
  let failed = 0;
  for (const from of former) {
    for await (const fileId of from.list()) {
      if (signal.aborted) {
        return moved;
      }
      try {
        await moveFile(from, { fileId, chosen });
        moved += 1;
      } catch (error) {
        failed += 1;
        logger.debug({ err: error, fileId }, "a file was not moved");
      }
    }
  }
  if (moved > 0) {
    logger.info({ moved }, "files were moved to the store that the settings name");
  }
  if (failed > 0) {
    logger.warn(
      { failed },
      "files were not moved and are read where they are until the next start",
    );
  }
  return moved;
}
