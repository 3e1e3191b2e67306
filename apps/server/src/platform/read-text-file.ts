import { readFileSync, statSync } from "node:fs";

/**
 * Reads a file that the configuration names.
 *
 * @throws {Error} When it cannot be read or is larger; the message is a sentence.
 */
export function readTextFile(path: string, bytesMax: number): { text: string; changedAt: Date } {
  let bytes: number;
  try {
    const { size, mtime } = statSync(path);
    bytes = size;
    if (bytes <= bytesMax) {
      return { text: readFileSync(path, "utf8"), changedAt: mtime };
    }
  } catch (cause) {
    throw new Error(`The file ${path} cannot be read.`, { cause });
  }
  throw new Error(`The file ${path} has more than ${String(bytesMax)} bytes.`);
}
