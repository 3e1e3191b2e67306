import { createHash, type Hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ImportedPart } from "./imported-history.store.ts";

/** A line of a log. */
export type HistoryLine = {
  /** Bytes as Latin-1, without the line's end. */
  text: string;
  /** True for a last line without an end: perhaps it is still being written. */
  isOpen: boolean;
};

/** Before the first line of every log. */
export const LOG_START = "start";

function begin(startDigest: string): Hash {
  return createHash("sha256").update(`${startDigest}\n`);
}

function addLine(digest: Hash, { text }: HistoryLine): void {
  digest.update(text, "latin1").update("\n");
}

/** The digest of a log up to the end of these lines. */
export function digestLines(startDigest: string, lines: readonly HistoryLine[]): string {
  const digest = begin(startDigest);
  for (const line of lines) {
    addLine(digest, line);
  }
  return digest.digest("hex");
}

const CHECKSUM_BYTES = 4;

/** What each of these lines is known by when a copy of the log ends behind it. */
export function checksumLines(lines: readonly HistoryLine[]): Buffer {
  const checksums = Buffer.alloc(CHECKSUM_BYTES * lines.length);
  for (const [place, { text }] of lines.entries()) {
    checksums.writeUInt32BE(crc32(Buffer.from(text, "latin1")), CHECKSUM_BYTES * place);
  }
  return checksums;
}

/** The digest of a log that ends with a line without an end. */
export function digestOpenLine(startDigest: string, text: string): string {
  return begin(startDigest).update(text, "latin1").digest("hex");
}

/** Finds the longest of the parts that these lines begin with. */
export function findPart(
  parts: readonly ImportedPart[],
  startDigest: string,
  lines: readonly HistoryLine[],
): ImportedPart | undefined {
  const known = new Map(parts.map((part) => [part.endDigest, part]));
  const lengths = new Set(parts.filter((part) => part.openLength === null).map((p) => p.lines));
  const longest = Math.max(0, ...lengths);
  const digest = begin(startDigest);
  let found: ImportedPart | undefined;
  for (const [place, line] of lines.slice(0, longest).entries()) {
    addLine(digest, line);
    if (lengths.has(place + 1)) {
      found = known.get(digest.copy().digest("hex")) ?? found;
    }
  }
  return found ?? findOpenPart(parts, startDigest, lines[0]);
}

/** A line that had no end when it was imported is the start of what it became. */
function findOpenPart(
  parts: readonly ImportedPart[],
  startDigest: string,
  line: HistoryLine | undefined,
): ImportedPart | undefined {
  return parts.find(
    ({ openLength, endDigest }) =>
      openLength !== null &&
      line !== undefined &&
      openLength <= line.text.length &&
      digestOpenLine(startDigest, line.text.slice(0, openLength)) === endDigest,
  );
}
