/** What was stored. */
export type StoredFile = { bytes: number; sha256: Uint8Array };

/** A slice of a file: both ends are counted and belong to it, as in HTTP. */
export type ByteRange = { first: number; last: number };

/**
 * Where the bytes of files are, by id. The database knows everything else about them. Every implementation passes
 * `file-store.suite.ts`.
 */
export interface FileStore {
  /**
   * Stores the content whole or not at all, replacing what was there; when it resolves, the bytes survive a power cut.
   *
   * @throws {FileTooLargeError} Past `bytesMax`; nothing is kept.
   * @throws {StorageFullError} When there is no room; nothing is kept.
   * @throws What `content` throws; nothing is kept.
   */
  put(
    fileId: string,
    content: AsyncIterable<Uint8Array>,
    options: { bytesMax: number },
  ): Promise<StoredFile>;
  /** Reads a file or a slice of it; `undefined` when there is none. */
  open(fileId: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** `undefined` when there is none. */
  stat(fileId: string): Promise<{ bytes: number; storedAt: Date } | undefined>;
  /** Idempotent. */
  delete(fileId: string): Promise<void>;
  /** Ids of all that is stored, in no order. */
  list(): AsyncIterable<string>;
}

/** The content has more bytes than were allowed. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";
}

/** The store has no room left. */
export class StorageFullError extends Error {
  override readonly name = "StorageFullError";
}
