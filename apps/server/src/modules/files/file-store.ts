import { isId } from "@turnpike/domain/ids/ids";

/** The metadata of a stored file. */
export type StoredFile = { bytes: number; sha256: Uint8Array };

/** A slice of a file, including both ends, as in HTTP. */
export type ByteRange = { first: number; last: number };

/**
 * Stores the bytes of files by id. Everything else about files is in the database. Every implementation passes
 * `file-store.suite.ts`.
 */
export interface FileStore {
  /**
   * Stores the content completely or not at all, replacing any previous content. Once it resolves, the bytes survive a power cut.
   *
   * @throws {FileTooLargeError} Beyond `bytesMax`; nothing is kept.
   * @throws {StorageFullError} If there is no room; nothing is kept.
   * @throws the error of `content`; nothing is kept.
   */
  put(
    fileId: string,
    content: AsyncIterable<Uint8Array>,
    options: {
      bytesMax: number;
      /** For stores that keep one with the content. */
      mediaType?: string;
    },
  ): Promise<StoredFile>;
  /** Reads a file or a slice of it; `undefined` if there is none. */
  open(fileId: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** `undefined` if there is none. */
  stat(fileId: string): Promise<{ bytes: number; storedAt: Date } | undefined>;
  /** Idempotent. */
  delete(fileId: string): Promise<void>;
  /** Deletes what uploads that ended without an end left before a time. @returns How many. */
  deleteAbandoned(before: Date): Promise<number>;
  /** The ids of all stored files, unordered. */
  list(): AsyncIterable<string>;
  /** Left out by stores that only this process reaches. */
  readonly direct?: DirectTransfers | undefined;
}

/** Signed addresses, by which browsers send and fetch files past this process. */
export interface DirectTransfers {
  /**
   * Signs an address that takes one content, once.
   *
   * @param allowed.sha256 - The store refuses any other content.
   * @returns The address, and the headers that must be sent with it. Undefined for a store that knows no conditions: it would take
   *   another content at the same address after the first one was checked.
   */
  signUpload(
    fileId: string,
    allowed: { bytes: number; mediaType: string; sha256: Uint8Array; expiresInSeconds: number },
  ): Promise<{ url: string; headers: Record<string, string> } | undefined>;
  /** @returns Undefined where the file is not there. */
  signDownload(
    fileId: string,
    answer: { mediaType: string; disposition: string; expiresInSeconds: number },
  ): Promise<string | undefined>;
}

/** The content is longer than allowed. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";
}

/** The store has no room left. */
export class StorageFullError extends Error {
  override readonly name = "StorageFullError";
}

/** @throws {TypeError} for what is not the id of a file: only ids become paths and keys. */
export function assertFileId(fileId: string): void {
  if (!isId("file", fileId)) {
    throw new TypeError("Not the id of a file.");
  }
}
