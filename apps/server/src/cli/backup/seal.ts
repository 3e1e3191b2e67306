import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { BackupError } from "./backup-error.ts";

const MANIFEST = "backup.json";
const SEAL = "backup.sha256";

const manifest = z.object({
  format: z.literal(1),
  /** Of the product that made it. */
  version: z.string(),
  /** When it was begun. */
  madeAt: z.string(),
  /** What was committed by then is in it: of a cluster, whose copying may take long, the end counts. */
  dataUntil: z.string().optional(),
  /** `cluster`: the files of an embedded PostgreSQL; `dump`: a dump of a server of one's own, by pg_dump. */
  database: z.enum(["cluster", "dump"]),
  withSecrets: z.boolean(),
  /** Folders that the product needs and that may be empty. */
  folders: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});

export type BackupManifest = z.infer<typeof manifest>;

const hashText = (text: string) => createHash("sha256").update(text).digest("hex");

/** Writes what a backup holds, and last the hash of that: without it a backup is none. */
export async function sealBackup(folder: string, content: BackupManifest): Promise<void> {
  const text = `${JSON.stringify(content, null, 1)}\n`;
  await writeFile(join(folder, MANIFEST), text, { mode: 0o600 });
  await writeFile(join(folder, SEAL), `${hashText(text)}  ${MANIFEST}\n`, { mode: 0o600 });
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

async function readManifest(folder: string): Promise<BackupManifest> {
  const [text, seal] = await Promise.all(
    [MANIFEST, SEAL].map((name) => readFile(join(folder, name), "utf8").catch(() => undefined)),
  );
  if (text === undefined || seal === undefined) {
    throw new BackupError(
      `${folder} holds no complete backup: it has no ${text === undefined ? MANIFEST : SEAL}.`,
    );
  }
  if (!seal.startsWith(hashText(text))) {
    throw new BackupError(`The list of ${folder} was changed: its seal does not fit it.`);
  }
  const read = manifest.safeParse(JSON.parse(text));
  if (!read.success) {
    throw new BackupError(`${folder} was made by a newer version: restore it with that one.`);
  }
  return read.data;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/**
 * Reads every file of a backup and compares it with what was sealed.
 *
 * @throws {BackupError} naming the first file that is missing, more than there was, or different.
 */
export async function verifyBackup(folder: string): Promise<BackupManifest> {
  const content = await readManifest(folder);
  const known = new Set([MANIFEST, SEAL, ...content.files.map(({ path }) => path)]);
  const foreign = (await listFiles(folder)).find((path) => !known.has(path));
  if (foreign !== undefined) {
    throw new BackupError(`${join(folder, foreign)} is not part of the backup: take it away.`);
  }
  for (const { path, sha256 } of content.files) {
    const found = await hashFile(join(folder, path)).catch(() => undefined);
    if (found !== sha256) {
      const fault = found === undefined ? "cannot be read" : "is not as it was sealed";
      throw new BackupError(`The backup is damaged: ${join(folder, path)} ${fault}.`);
    }
  }
  return content;
}
