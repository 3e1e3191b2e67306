import type { Tx } from "@turnpike/db/client";

/** One stored content of a file. */
export type ContentRow = {
  content_id: bigint;
  bytes: bigint;
  /** Of every chunk but the last. */
  chunk_bytes: number;
  touched_at: Date;
};

/** Begins a content, which cannot be opened until it is finished. */
export async function insertContent(
  tx: Tx,
  input: { fileId: string; chunkBytes: number; now: Date },
): Promise<bigint> {
  const [row] = await tx<{ content_id: bigint }[]>`
    insert into file_contents (file_id, state, chunk_bytes, touched_at)
    values (${input.fileId}, 'incoming', ${input.chunkBytes}, ${input.now})
    returning content_id`;
  if (row === undefined) {
    throw new Error("A content was not begun.");
  }
  return row.content_id;
}

/** @returns False, and adds nothing, when the content was given up meanwhile. */
export async function addChunk(
  tx: Tx,
  input: { contentId: bigint; position: number; bytes: Uint8Array; now: Date },
): Promise<boolean> {
  const rows = await tx`
    with touched as (
      update file_contents set touched_at = ${input.now}
      where content_id = ${input.contentId} and state = 'incoming'
      returning content_id)
    insert into file_chunks (content_id, position, bytes)
    select content_id, ${input.position}::int, ${input.bytes}::bytea from touched
    returning 1`;
  return rows.length === 1;
}

/** Puts a content in place of the one that the file had. @returns False when it was given up meanwhile. */
export async function finishContent(
  tx: Tx,
  input: { contentId: bigint; fileId: string; bytes: number; now: Date },
): Promise<boolean> {
  // Two writers of one file take turns, so that the later one finds what the other has stored.
  await tx`select pg_advisory_xact_lock(hashtextextended(${`file ${input.fileId}`}, 0))`;
  await tx`
    update file_contents set state = 'replaced', touched_at = ${input.now}
    where file_id = ${input.fileId} and state = 'stored'`;
  const rows = await tx`
    update file_contents set state = 'stored', bytes = ${input.bytes}::bigint, touched_at = ${input.now}
    where content_id = ${input.contentId} and state = 'incoming'
    returning 1`;
  return rows.length === 1;
}

export async function findContent(tx: Tx, fileId: string): Promise<ContentRow | undefined> {
  const [row] = await tx<ContentRow[]>`
    select content_id, bytes, chunk_bytes, touched_at from file_contents
    where file_id = ${fileId} and state = 'stored'`;
  return row;
}

/**
 * Reads a slice of a chunk.
 *
 * @param input.from - The first byte, from 0.
 * @returns Undefined when the chunk is not there.
 */
export async function readChunk(
  tx: Tx,
  input: { contentId: bigint; position: number; from: number; length: number },
): Promise<Uint8Array | undefined> {
  const [row] = await tx<{ bytes: Uint8Array }[]>`
    select substring(bytes from ${input.from + 1}::int for ${input.length}::int) as bytes from file_chunks
    where content_id = ${input.contentId} and position = ${input.position}`;
  return row?.bytes;
}

/** Takes a file away from readers. @returns Its contents, whose chunks are still to be deleted. */
export async function markContentsDeleted(
  tx: Tx,
  input: { fileId: string; now: Date },
): Promise<bigint[]> {
  const rows = await tx<{ content_id: bigint }[]>`
    update file_contents set state = 'deleted', touched_at = ${input.now}
    where file_id = ${input.fileId} and state = 'stored'
    returning content_id`;
  return rows.map((row) => row.content_id);
}

/** Gives up a content that is being written. */
export async function giveUpContent(
  tx: Tx,
  input: { contentId: bigint; now: Date },
): Promise<void> {
  await tx`
    update file_contents set state = 'deleted', touched_at = ${input.now}
    where content_id = ${input.contentId} and state = 'incoming'`;
}

/** The contents that cannot be opened and were not written to since. */
export async function takeLeftContents(
  tx: Tx,
  input: { before: Date; limit: number },
): Promise<bigint[]> {
  const rows = await tx<{ content_id: bigint }[]>`
    update file_contents set state = 'deleted'
    where content_id in (
      select content_id from file_contents
      where state <> 'stored' and touched_at < ${input.before}
      order by touched_at limit ${input.limit})
    and state <> 'stored'
    returning content_id`;
  return rows.map((row) => row.content_id);
}

/** Deletes some chunks of a deleted content, and its row with the last. @returns True when nothing is left of it. */
export async function deleteSomeChunks(
  tx: Tx,
  input: { contentId: bigint; limit: number },
): Promise<boolean> {
  const rows = await tx`
    delete from file_chunks where (content_id, position) in (
      select content_id, position from file_chunks where content_id = ${input.contentId} limit ${input.limit})
    returning 1`;
  if (rows.length === input.limit) {
    return false;
  }
  await tx`delete from file_contents where content_id = ${input.contentId} and state = 'deleted'`;
  return true;
}

export async function listStoredFiles(
  tx: Tx,
  page: { afterId: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ file_id: string }[]>`
    select file_id from file_contents
    where state = 'stored' and file_id > ${page.afterId} order by file_id limit ${page.limit}`;
  return rows.map((row) => row.file_id);
}
