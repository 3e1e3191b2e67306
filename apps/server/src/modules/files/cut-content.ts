import { createHash } from "node:crypto";
import { FileTooLargeError, type StoredFile } from "./file-store.ts";

/** Cuts content into chunks of one length; the last may be shorter, and empty content has none. */
export async function* toChunks(
  content: AsyncIterable<Uint8Array>,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let filled = 0;
  for await (const part of content) {
    for (let from = 0; from < part.byteLength; ) {
      const taken = part.subarray(from, from + chunkBytes - filled);
      parts.push(taken);
      filled += taken.byteLength;
      from += taken.byteLength;
      if (filled === chunkBytes) {
        yield Buffer.concat(parts);
        parts = [];
        filled = 0;
      }
    }
  }
  if (filled > 0) {
    yield Buffer.concat(parts);
  }
}

/** Counts and hashes content while it passes. */
export function createContentMeter(bytesMax: number): {
  /** @throws {FileTooLargeError} Beyond `bytesMax`. */
  pass(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Of all that has passed. */
  result(): StoredFile;
} {
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    async *pass(content) {
      for await (const part of content) {
        bytes += part.byteLength;
        if (bytes > bytesMax) {
          throw new FileTooLargeError(`More than ${String(bytesMax)} bytes.`);
        }
        hash.update(part);
        yield part;
      }
    },
    result: () => ({ bytes, sha256: hash.digest() }),
  };
}
