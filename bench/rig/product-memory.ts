import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nextMessage, type PinnedProcess } from "./pinned-process.ts";

const TIMEOUT_MS = 60_000;

/** What a program must be started with to answer {@link readUsedBytes}. */
export const MEMORY_NODE_ARGS = [
  "--expose-gc",
  "--import",
  join(import.meta.dirname, "../programs/report-memory.ts"),
];

/** Bytes in use in the heap and outside of it, after a collection. */
export async function readUsedBytes({ child }: PinnedProcess): Promise<number> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answered = nextMessage(child, { who: "The product", signal });
  child.send("memory");
  const answer = await answered;
  if (typeof answer !== "object" || answer === null || !("usedBytes" in answer)) {
    throw new Error("The product did not say what memory it uses.");
  }
  return Number(answer.usedBytes);
}

/** Resident bytes of one process as the system counts them; `NaN` where /proc does not tell. */
export function readResidentBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${String(pid)}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
