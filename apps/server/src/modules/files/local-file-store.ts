import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isId } from "@turnpike/domain/ids/ids";
import { assertFileId, type FileStore, FileTooLargeError, StorageFullError } from "./file-store.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Refuses symbolic links: the data folder is private, and none of the links in it are ours. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW;
const CREATE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const INCOMING = ".incoming";
/** Longer than any upload may take. */
const ABANDONED_AFTER_MS = 60 * 60 * 1_000;
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ELOOP";
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function write(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<{ bytes: number; sha256: Uint8Array }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      throw new FileTooLargeError(`More than ${String(bytesMax)} bytes.`);
    }
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  // Synced before the rename: a crash must not leave a name with half of its bytes.
  await file.sync();
  return { bytes, sha256: hash.digest() };
}

async function removeAbandoned(incoming: string, olderThanMs: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < olderThanMs) {
      await rm(path, { force: true });
      removed += 1;
    }
  }
  return removed;
}

/**
 * Stores files in a folder, each under its id. Only names in the form of an id become paths, so none leads elsewhere.
 *
 * @param folder - Created if missing, for this user only. Leftovers of killed uploads in it are removed.
 */
export async function openLocalFileStore(folder: string, now: Date): Promise<FileStore> {
  const incoming = join(folder, INCOMING);
  await mkdir(incoming, { recursive: true, mode: FOLDER_MODE });
  await removeAbandoned(incoming, now.getTime() - ABANDONED_AFTER_MS);

  function pathOf(fileId: string): string {
    assertFileId(fileId);
    // The end of an id is random, so this gives at most 256 evenly filled folders.
    return join(folder, fileId.slice(-2), fileId);
  }

  return {
    async put(fileId, content, { bytesMax }) {
      const path = pathOf(fileId);
      const partial = join(incoming, `${fileId}.${randomBytes(8).toString("hex")}`);
      try {
        const file = await open(partial, CREATE_FLAGS, FILE_MODE);
        let stored: { bytes: number; sha256: Uint8Array };
        try {
          stored = await write(file, content, bytesMax);
        } finally {
          await file.close();
        }
        await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
        await rename(partial, path);
        await syncFolder(dirname(path));
        await syncFolder(folder);
        return stored;
      } catch (error) {
        await rm(partial, { force: true });
        if (FULL.has(errorCode(error) ?? "")) {
          throw new StorageFullError("The disk of the data folder is full.", { cause: error });
        }
        throw error;
      }
    },
    async open(fileId, range) {
      try {
        const file = await open(pathOf(fileId), READ_FLAGS);
        return file.createReadStream(
          range === undefined ? {} : { start: range.first, end: range.last },
        );
      } catch (error) {
        if (isMissing(error)) {
          return undefined;
        }
        throw error;
      }
    },
    async stat(fileId) {
      try {
        const found = await lstat(pathOf(fileId));
        return { bytes: found.size, storedAt: found.mtime };
      } catch (error) {
        if (isMissing(error)) {
          return undefined;
        }
        throw error;
      }
    },
    delete: (fileId) => rm(pathOf(fileId), { force: true }),
    deleteAbandoned: (before) => removeAbandoned(incoming, before.getTime()),
    async *list() {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && entry.name !== INCOMING) {
          for (const name of await readdir(join(folder, entry.name))) {
            if (isId("file", name)) {
              yield name;
            }
          }
        }
      }
    },
  };
}
