import { copyFile, open, stat, truncate } from "node:fs/promises";

/** Days of a healthy server, minutes of one that fails in a loop; the same again is kept as `.1`. */
const LOG_BYTES_MAX = 8 * 1024 * 1024;
const CHECK_INTERVAL_MS = 60_000;
const TAIL_BYTES = 16 * 1024;

/** The length of a log in bytes, 0 when there is none. */
export async function logLength(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
}

/** The last lines that were written after `fromByte`, at most `linesMax`; empty when there are none. */
export async function readLastLines(
  path: string,
  fromByte: number,
  linesMax: number,
): Promise<string[]> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) {
    return [];
  }
  try {
    const { size } = await file.stat();
    const position = Math.max(Math.min(fromByte, size), size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(TAIL_BYTES),
      position,
    });
    const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
    return lines.filter((line) => line.trim() !== "").slice(-linesMax);
  } finally {
    await file.close();
  }
}

/** Keeps the older half and empties the file in place: the server holds it open and writes at its end. */
export async function trimLog(path: string, bytesMax = LOG_BYTES_MAX): Promise<void> {
  if ((await logLength(path)) > bytesMax) {
    await copyFile(path, `${path}.1`);
    await truncate(path);
  }
}

/** Checks the length of the log each minute. Returns what ends that. */
export function boundLog(path: string, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    trimLog(path).catch(onError);
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
