import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import type { AppServices } from "#platform/app-services.ts";
import { FILE_TRANSFERS } from "#platform/transact.ts";
import { createContentMeter, toChunks } from "./cut-content.ts";
import {
  addChunk,
  type ContentRow,
  deleteSomeChunks,
  findContent,
  finishContent,
  giveUpContent,
  insertContent,
  listStoredFiles,
  markContentsDeleted,
  readChunk,
  takeLeftContents,
} from "./file-contents.store.ts";
import {
  assertFileId,
  type ByteRange,
  type FileStore,
  StorageFullError,
  type StoredFile,
} from "./file-store.ts";

/** In memory for each reader and writer, several times: the driver sends bytes as hexadecimal digits. */
const CHUNK_BYTES = 256 * 1024;
/** Of 16 MiB together: well below the limit of a statement. */
const CHUNKS_DELETED_AT_ONCE = 64;
const PAGE = 500;
/** SQLSTATE of a full disk of the database. */
const DISK_FULL = "53100";

type Deps = Pick<AppServices, "transact" | "clock">;

/**
 * Stores files in the database, in chunks, so that any process serves any of them. Each chunk is a transaction of its own: neither
 * a slow sender nor a slow reader holds a connection.
 */
export function createPostgresFileStore(deps: Deps): FileStore {
  const { clock } = deps;
  const run = <Result>(work: (tx: Tx) => Promise<Result>) =>
    deps.transact.asOperator(work, FILE_TRANSFERS);

  async function deleteContent(contentId: bigint): Promise<void> {
    const some = { contentId, limit: CHUNKS_DELETED_AT_ONCE };
    while (!(await run((tx) => deleteSomeChunks(tx, some)))) {
      // One statement for all would take as long as the file is large.
    }
  }

  function assertKept(isKept: boolean): void {
    if (!isKept) {
      throw new Error("The upload took so long that it was given up.");
    }
  }

  async function write(
    fileId: string,
    contentId: bigint,
    input: { content: AsyncIterable<Uint8Array>; bytesMax: number },
  ): Promise<StoredFile> {
    const meter = createContentMeter(input.bytesMax);
    let position = 0;
    for await (const bytes of toChunks(meter.pass(input.content), CHUNK_BYTES)) {
      const chunk = { contentId, position, bytes, now: clock.now() };
      assertKept(await run((tx) => addChunk(tx, chunk)));
      position += 1;
    }
    const stored = meter.result();
    const end = { contentId, fileId, bytes: stored.bytes, now: clock.now() };
    await run(async (tx) => assertKept(await finishContent(tx, end)));
    return stored;
  }

  async function* read(
    { content_id: contentId, bytes, chunk_bytes: chunkBytes }: ContentRow,
    { first, last }: ByteRange = { first: 0, last: Number(bytes) - 1 },
  ): AsyncGenerator<Uint8Array> {
    const end = Math.min(last, Number(bytes) - 1);
    for (let at = first; at <= end; ) {
      const position = Math.floor(at / chunkBytes);
      const from = at % chunkBytes;
      const length = Math.min(chunkBytes - from, end - at + 1);
      const slice = await run((tx) => readChunk(tx, { contentId, position, from, length }));
      if (slice?.byteLength !== length) {
        throw new Error("The file was deleted while it was read.");
      }
      yield slice;
      at += length;
    }
  }

  return {
    async put(fileId, content, { bytesMax }) {
      assertFileId(fileId);
      const begun = { fileId, chunkBytes: CHUNK_BYTES, now: clock.now() };
      const contentId = await run((tx) => insertContent(tx, begun));
      try {
        return await write(fileId, contentId, { content, bytesMax });
      } catch (error) {
        // If this fails too, the sweep deletes what is left.
        await run((tx) => giveUpContent(tx, { contentId, now: clock.now() }))
          .then(() => deleteContent(contentId))
          .catch(() => undefined);
        if (databaseErrorCode(error) === DISK_FULL) {
          throw new StorageFullError("The disk of the database is full.", { cause: error });
        }
        throw error;
      }
    },
    async open(fileId, range) {
      assertFileId(fileId);
      const found = await run((tx) => findContent(tx, fileId));
      return found === undefined ? undefined : read(found, range);
    },
    async stat(fileId) {
      assertFileId(fileId);
      const found = await run((tx) => findContent(tx, fileId));
      return found && { bytes: Number(found.bytes), storedAt: found.touched_at };
    },
    async delete(fileId) {
      assertFileId(fileId);
      const marked = { fileId, now: clock.now() };
      for (const contentId of await run((tx) => markContentsDeleted(tx, marked))) {
        await deleteContent(contentId);
      }
    },
    async deleteAbandoned(before) {
      let deleted = 0;
      for (let isMore = true; isMore; ) {
        const left = await run((tx) => takeLeftContents(tx, { before, limit: PAGE }));
        for (const contentId of left) {
          await deleteContent(contentId);
        }
        deleted += left.length;
        isMore = left.length === PAGE;
      }
      return deleted;
    },
    async *list() {
      let afterId = "";
      for (let isMore = true; isMore; ) {
        const page = { afterId, limit: PAGE };
        const fileIds = await run((tx) => listStoredFiles(tx, page));
        yield* fileIds;
        afterId = fileIds.at(-1) ?? afterId;
        isMore = fileIds.length === PAGE;
      }
    },
  };
}
