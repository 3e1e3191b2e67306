import { createHash, type Hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ImportedBatch } from "./imported-history.store.ts";

/** A line of a log. */
export type HistoryLine = {
  /** Bytes as Latin-1, without the line's end. */
  text: string;
  /** True for a last line without a line end, which may still be written. */
  isOpen: boolean;
};

/** The digest before the first line of every log. */
export const LOG_START = "start";

function begin(startDigest: string): Hash {
  return createHash("sha256").update(`${startDigest}\n`);
}

function addLine(digest: Hash, { text }: HistoryLine): void {
  digest.update(text, "latin1").update("\n");
}

/** Computes the digest of a log up to the end of these lines. */
export function digestLines(startDigest: string, lines: readonly HistoryLine[]): string {
  const digest = begin(startDigest);
  for (const line of lines) {
    addLine(digest, line);
  }
  return digest.digest("hex");
}

const CHECKSUM_BYTES = 4;

/** Computes a checksum of each line, by which a shorter copy of the log is recognised. */
export function checksumLines(lines: readonly HistoryLine[]): Buffer {
  const checksums = Buffer.alloc(CHECKSUM_BYTES * lines.length);
  for (const [index, { text }] of lines.entries()) {
    checksums.writeUInt32BE(crc32(Buffer.from(text, "latin1")), CHECKSUM_BYTES * index);
  }
  return checksums;
}

/** Computes the digest of a log whose last line has no line end. */
export function digestOpenLine(startDigest: string, text: string): string {
  return begin(startDigest).update(text, "latin1").digest("hex");
}

/** Finds the longest batch that these lines begin with. */
export function findBatch(
  batches: readonly ImportedBatch[],
  startDigest: string,
  lines: readonly HistoryLine[],
): ImportedBatch | undefined {
  const known = new Map(batches.map((batch) => [batch.endDigest, batch]));
  const lengths = new Set(
    batches.filter((batch) => batch.openLength === null).map((batch) => batch.lines),
  );
  const longest = Math.max(0, ...lengths);
  const digest = begin(startDigest);
  let found: ImportedBatch | undefined;
  for (const [index, line] of lines.slice(0, longest).entries()) {
    addLine(digest, line);
    if (lengths.has(index + 1)) {
      found = known.get(digest.copy().digest("hex")) ?? found;
    }
  }
  return found ?? findOpenBatch(batches, startDigest, lines[0]);
}

/** Finds a batch of a line that had no line end when it was imported: it is the start of this line. */
function findOpenBatch(
  batches: readonly ImportedBatch[],
  startDigest: string,
  line: HistoryLine | undefined,
): ImportedBatch | undefined {
  return batches.find(
    ({ openLength, endDigest }) =>
      openLength !== null &&
      line !== undefined &&
      openLength <= line.text.length &&
      digestOpenLine(startDigest, line.text.slice(0, openLength)) === endDigest,
  );
}
