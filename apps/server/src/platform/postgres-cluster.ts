import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFile,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import { StartupError } from "./startup-error.ts";
import type { UnixUser } from "./unix-user.ts";

const run = promisify(execFile);

/** The superuser that `initdb` makes, and the database of the product. */
export const BOOTSTRAP_USER = "turnpike";
export const PRODUCT_DATABASE = "turnpike";
/** Owns the product's database and is no superuser: what the product connects as. */
export const PRODUCT_USER = "turnpike_owner";

/** A slow disk needs seconds, a broken one for ever. */
const INITDB_TIMEOUT_MS = 120_000;
const PASSWORD_BYTES = 32;

/** The names below the data folder. Only `cluster` and the socket belong to the database's user. */
export function clusterPaths(folder: string) {
  return {
    cluster: join(folder, "postgres"),
    log: join(folder, "postgres.log"),
    password: join(folder, "postgres.password"),
    binaries: join(folder, "postgres-bin"),
    socket: join(folder, "socket"),
  };
}

/** The major version that made the database, or undefined where there is none yet. */
export async function findClusterVersion(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, "PG_VERSION"), "utf8").catch(ignoreMissing);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/** Whether there is a database in a data folder. What this user may not look into counts as one: opening it says what is wrong. */
export async function isInstalled(folder: string): Promise<boolean> {
  const version = await findClusterVersion(clusterPaths(folder).cluster).catch(() => null);
  return version !== undefined;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") {
    return undefined;
  }
  throw error;
}

/**
 * Makes the database's folder where there is none, complete or not at all, and checks the version of one that exists.
 *
 * @param user - Owner of the folder; undefined for the user of this process.
 * @returns The password of the bootstrap user.
 * @throws {StartupError} `DATABASE_VERSION_MISMATCH`, `DATABASE_PASSWORD_UNUSABLE`, `DATABASE_START_FAILED`.
 */
export async function ensureCluster(input: {
  folder: string;
  binaries: PostgresBinaries;
  user: UnixUser | undefined;
}): Promise<string> {
  const paths = clusterPaths(input.folder);
  const version = await findClusterVersion(paths.cluster);
  if (version !== undefined) {
    assertSameVersion({ cluster: paths.cluster, version, ours: input.binaries.majorVersion });
    return await readPassword(input.folder);
  }
  await assertNothingThere(paths.cluster);
  const password = await ensurePassword(input.folder);
  await removeUnfinished(input.folder);
  const unfinished = join(input.folder, `postgres.new-${randomBytes(6).toString("hex")}`);
  await initialise({ ...input, cluster: unfinished, password });
  await rm(paths.cluster, { recursive: true, force: true });
  await rename(unfinished, paths.cluster);
  return password;
}

function assertSameVersion(input: { cluster: string; version: number; ours: number }): void {
  if (input.version !== input.ours) {
    throw new StartupError({
      code: "DATABASE_VERSION_MISMATCH",
      message: `The database in ${input.cluster} was made by PostgreSQL ${input.version}, and this version of Turnpike brings PostgreSQL ${input.ours}`,
      hint: `Start the version of Turnpike that brings PostgreSQL ${input.version}, save the database with pg_dump ${input.version}, and restore it into a new data folder`,
    });
  }
}

/** A folder with files but no version is half a database, which may still be worth rescuing. */
async function assertNothingThere(cluster: string): Promise<void> {
  const names = (await readdir(cluster).catch(ignoreMissing)) ?? [];
  if (names.length > 0) {
    throw new StartupError({
      code: "DATABASE_START_FAILED",
      message: `${cluster} holds files but no database`,
      hint: "Restore it from a backup, or move it away to start with an empty database",
    });
  }
}

async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((candidate) => candidate.startsWith("postgres.new-"))) {
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

async function ensurePassword(folder: string): Promise<string> {
  const path = clusterPaths(folder).password;
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  // A first start that was cut short has left one; it is as good as a new one.
  await writeFile(path, `${password}\n`, { mode: 0o600, flag: "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") {
        throw error;
      }
    },
  );
  return await readPassword(folder);
}

/**
 * Reads the password of the bootstrap user.
 *
 * @throws {StartupError} `DATABASE_PASSWORD_UNUSABLE` when it is missing, empty, or readable by others.
 */
export async function readPassword(folder: string): Promise<string> {
  const path = clusterPaths(folder).password;
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      throw passwordUnusable(`${path} can be read by others`, `Run \`chmod 600 ${path}\``);
    }
    const password = (await readFile(path, "utf8")).trim();
    if (password.length > 0) {
      return password;
    }
  } catch (cause) {
    if (cause instanceof StartupError) {
      throw cause;
    }
    throw passwordUnusable(`${path} cannot be read`, "Restore it from a backup", cause);
  }
  throw passwordUnusable(`${path} is empty`, "Restore it from a backup");
}

function passwordUnusable(message: string, hint: string, cause?: unknown): StartupError {
  return new StartupError({ code: "DATABASE_PASSWORD_UNUSABLE", message, hint, cause });
}

async function initialise(input: {
  folder: string;
  cluster: string;
  binaries: PostgresBinaries;
  user: UnixUser | undefined;
  password: string;
}): Promise<void> {
  const { cluster, binaries, user } = input;
  // initdb reads the password as the database's user, who must not read the file that stays.
  const passwordFile = `${cluster}.password`;
  await mkdir(cluster, { mode: 0o700 });
  await writeFile(passwordFile, `${input.password}\n`, { mode: 0o600, flag: "wx" });
  if (user !== undefined) {
    await chown(cluster, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const options = [
    `--pgdata=${cluster}`,
    `--username=${BOOTSTRAP_USER}`,
    `--pwfile=${passwordFile}`,
    "--auth-local=scram-sha-256",
    "--auth-host=scram-sha-256",
    "--data-checksums",
    "--encoding=UTF8",
    ...localeOptions(binaries.majorVersion),
    "--no-instructions",
  ];
  try {
    await run(join(binaries.binFolder, "initdb"), options, {
      ...user,
      cwd: "/",
      env: postgresEnvironment(),
      timeout: INITDB_TIMEOUT_MS,
    });
    await appendFile(join(cluster, "postgresql.conf"), suggestSettings());
  } catch (cause) {
    await rm(cluster, { recursive: true, force: true });
    const detail = cause instanceof Error ? cause.message.trim() : String(cause);
    throw new StartupError({
      code: "DATABASE_START_FAILED",
      message: `A new database could not be made in ${input.folder}: ${detail}`,
      hint: "Check the space on the disk and the permissions of the folder",
      cause,
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

const MIB = 1_024 * 1_024;

/**
 * What suits this machine, in the settings file, where an operator can change it. PostgreSQL's own 128 MB of buffers are
 * too few for a million keys: what a commit changes was then read from the system and written back for nearly every key.
 */
function suggestSettings(): string {
  // Of a container, what it may use; without a limit that is no number of bytes, or a huge one.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const buffersMib = Math.min(Math.max(Math.floor(memory / 8 / MIB), 128), 1_024);
  return `
# By Turnpike, when this folder was made: an eighth of the memory, at most 1 GB.
shared_buffers = ${String(buffersMib)}MB
`;
}

/** The built-in provider sorts alike on every system, so that no update of its C library can corrupt an index. */
function localeOptions(majorVersion: number): string[] {
  return majorVersion >= 17
    ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    : ["--locale=C.UTF-8"];
}

/** Nothing of our environment, which may hold secrets, reaches the database. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}
