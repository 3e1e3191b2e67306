import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { z } from "zod";

const keptPaths = z.object({ url: z.string(), paths: z.array(z.string()) });

function fileOf(folder: string, upstream: string): string {
  return join(folder, `${upstream}.json`);
}

/** Saves the paths of an upstream's document for the next start. When threads write at once, one of their files remains. */
export function keepPaths(
  folder: string,
  upstream: string,
  kept: { url: string; paths: readonly string[] },
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = fileOf(folder, upstream);
  const own = `${file}.${String(process.pid)}-${String(threadId)}`;
  writeFileSync(own, JSON.stringify(kept), { mode: 0o600 });
  renameSync(own, file);
}

/** The saved paths of the document at an address; `undefined` when there are none that can be read. */
export function findKeptPaths(folder: string, upstream: string, url: string): string[] | undefined {
  try {
    const kept = keptPaths.parse(JSON.parse(readFileSync(fileOf(folder, upstream), "utf8")));
    return kept.url === url ? kept.paths : undefined;
  } catch {
    // Routes are learned instead.
    return undefined;
  }
}
