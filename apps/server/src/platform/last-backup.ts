import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const FILE = "last-backup.json";

const lastBackup = z.object({
  madeAt: z.iso.datetime(),
  /** Where it was made; it may have been moved since. */
  folder: z.string(),
});

/** The newest complete backup that this installation knows of. */
export type LastBackup = z.infer<typeof lastBackup>;

export async function writeLastBackup(dataFolder: string, value: LastBackup): Promise<void> {
  const path = join(dataFolder, FILE);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** @returns Undefined when there was none, or what is noted of it cannot be read. */
export async function readLastBackup(dataFolder: string): Promise<LastBackup | undefined> {
  try {
    return lastBackup.parse(JSON.parse(await readFile(join(dataFolder, FILE), "utf8")));
  } catch {
    return;
  }
}
