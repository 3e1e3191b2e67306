import { readTextFile } from "./read-text-file.ts";

/** The longest terms of large companies are a fifth of it. */
const LEGAL_BYTES_MAX = 512 * 1024;

/** @throws {Error} When it cannot be read or is larger than a legal text may be; the message is a sentence. */
export function readLegalFile(path: string): { text: string; changedAt: Date } {
  return readTextFile(path, LEGAL_BYTES_MAX);
}

/** Says what is wrong with a legal text before anything starts; `undefined` when nothing is. */
export function checkLegalFile(path: string): string | undefined {
  try {
    readLegalFile(path);
    return;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
