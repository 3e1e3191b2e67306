import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { chooseDatabaseUser } from "#platform/database-user.ts";
import { BackupError } from "./backup-error.ts";
import { type CopiedFile, copyTree } from "./copy-tree.ts";
import { DUMP, runPostgresTool } from "./dump-database.ts";
import { type BackupManifest, verifyBackup } from "./seal.ts";

const run = promisify(execFile);

export type RestoreInput = {
  /** Of the backup. */
  folder: string;
  /** Where the installation goes: does not exist, or is empty. */
  dataFolder: string;
  /** Of one's own server, for a backup that holds a dump. */
  databaseUrl: string | undefined;
  /** The user who runs the embedded database under root; undefined: chosen as by a start. */
  databaseUser: string | undefined;
  signal: AbortSignal;
  onFile(file: CopiedFile): void;
};

/** Parts of a backup that lie elsewhere in a data folder, or not in it at all. */
const ELSEWHERE = /^(configuration|data)(\/|$)|^(backup\.(json|sha256)|database\.dump)$/;

async function assertEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return [];
    }
    throw error;
  });
  if (names.length > 0) {
    throw new BackupError(
      `There is something in ${folder} already: name an empty folder by TURNPIKE_DATA_DIR.`,
    );
  }
}

function assertFits(content: BackupManifest, databaseUrl: string | undefined): void {
  if (content.database === "dump" && databaseUrl === undefined) {
    throw new BackupError(
      "The backup holds a dump of a PostgreSQL of your own: name the one to restore it into by DATABASE_URL.",
    );
  }
  if (content.database === "cluster" && databaseUrl !== undefined) {
    throw new BackupError(
      "The backup holds an embedded PostgreSQL: restore it without DATABASE_URL.",
    );
  }
}

async function makeFolders(root: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders.filter((each) => !ELSEWHERE.test(each))) {
    await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
  }
}

/** Under root the database is another user's. */
async function giveToDatabase(
  folder: string,
  { dataFolder, databaseUser }: RestoreInput,
): Promise<void> {
  const cluster = join(folder, "postgres");
  const user = await chooseDatabaseUser(dataFolder, databaseUser);
  if (user !== undefined && (await stat(cluster).catch(() => undefined)) !== undefined) {
    await run("chown", ["-R", `${String(user.uid)}:${String(user.gid)}`, cluster]);
  }
}

/**
 * Puts a backup into an empty place, after all of it was compared with its seal. The data folder appears when it is complete; the
 * next start recovers the database to the moment of the backup and commits the usage that waited then. What an earlier one that
 * was cut short has left is removed first.
 *
 * @throws {BackupError} when the backup is damaged, does not fit, or the place is taken.
 */
export async function restoreBackup(input: RestoreInput): Promise<BackupManifest> {
  const { folder, dataFolder, signal } = input;
  await assertEmpty(dataFolder);
  const content = await verifyBackup(folder);
  assertFits(content, input.databaseUrl);
  const partial = `${dataFolder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(dirname(dataFolder), { recursive: true });
  await mkdir(partial, { mode: 0o700 });
  await chmod(partial, 0o700);
  try {
    await makeFolders(partial, content.folders);
    const shared = { signal, name: ".", to: partial, onFile: input.onFile };
    await copyTree({ ...shared, from: folder, isLeftOut: (path) => ELSEWHERE.test(path) });
    await copyTree({ ...shared, from: join(folder, "data") });
    await giveToDatabase(partial, input);
    if (input.databaseUrl !== undefined) {
      const options = ["--no-owner", "--exit-on-error", "--single-transaction"];
      await runPostgresTool("pg_restore", input.databaseUrl, [...options, join(folder, DUMP)]);
    }
    await run("sync");
    await rename(partial, dataFolder);
    return content;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}
