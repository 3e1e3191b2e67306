import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FolderInUseError, lockFolder, type OwnFolderLock } from "./folder-lock.ts";
import { StartupError } from "./startup-error.ts";

/** The folder that holds everything the product keeps, locked for this process. */
export interface DataFolder {
  readonly path: string;
  /** Says that this process was asked to end: a start of another one waits for the folder. */
  markEnding(): void;
  /** Gives the folder free, after everything that uses it has ended. */
  release(): Promise<void>;
}

/** Where root keeps its data: the database's user can pass through, also when the folders above the home do not allow that. */
const SYSTEM_FOLDER = "/var/lib/turnpike";
const HASH_LENGTH = 8;
const SET_ELSEWHERE = "set TURNPIKE_DATA_DIR to a folder that is";

/**
 * Decides where the data folder is; touches nothing.
 *
 * @param configured - TURNPIKE_DATA_DIR; relative to the working directory.
 * @param home - Absolute path of the folder that the installation belongs to: the repository, or where the published package
 *   is started.
 * @param isRoot - Root, where PostgreSQL must run as another user, gets a folder of this home's own below
 *   `/var/lib/turnpike`; anybody else gets `.turnpike` in it.
 */
export function resolveDataFolder(input: {
  configured?: string | undefined;
  home: string;
  isRoot: boolean;
}): string {
  const { configured, home, isRoot } = input;
  if (configured !== undefined && configured !== "") {
    return resolve(configured);
  }
  if (!isRoot) {
    return join(home, ".turnpike");
  }
  const real = realpathSync(home);
  const hash = createHash("sha256").update(real).digest("hex").slice(0, HASH_LENGTH);
  return join(SYSTEM_FOLDER, `${basename(real)}-${hash}`);
}

/** How a start waits for a folder that another process is about to give free. */
export type FolderWait = {
  /** Called once, with a sentence for the person at the terminal. */
  onWait(message: string): void;
  /** Ends the wait. */
  isCancelled(): boolean;
  monotonicMs(): number;
};

/** A restart follows its stop by moments, in which the former process may not even know that it is to end. */
const WAIT_MS = 3_000;
/** A process that ends finishes its calls first. */
const WAIT_FOR_ENDING_MS = 60_000;
const RETRY_MS = 100;

async function lockPatiently(path: string, wait: FolderWait | undefined): Promise<OwnFolderLock> {
  const startedAtMs = wait?.monotonicMs() ?? 0;
  let hasSaid = false;
  for (;;) {
    try {
      return await lockFolder(path);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || wait === undefined || wait.isCancelled()) {
        throw error;
      }
      const { pid, isEnding } = error.holder;
      const limitMs = isEnding ? WAIT_FOR_ENDING_MS : WAIT_MS;
      if (wait.monotonicMs() - startedAtMs >= limitMs) {
        throw error;
      }
      if (!hasSaid) {
        hasSaid = true;
        const who = pid === undefined ? "another process" : `process ${String(pid)}`;
        wait.onWait(
          `Waiting for ${who}, which ${isEnding ? "is stopping and still" : "still"} uses ${path}`,
        );
      }
      await delay(RETRY_MS);
    }
  }
}

/**
 * Makes the data folder where there is none, checks that it is private and writable, and takes it for this process.
 *
 * @param wait - Left out: a folder in use is refused at once.
 * @throws {StartupError} `DATA_FOLDER_NOT_WRITABLE`, `DATA_FOLDER_EXPOSED`, `DATA_FOLDER_IN_USE`.
 */
export async function openDataFolder(path: string, wait?: FolderWait): Promise<DataFolder> {
  try {
    await ensureFolder(path);
    await assertPrivate(path);
    const lock = await lockPatiently(path, wait);
    return { path, markEnding: lock.markEnding, release: lock.release };
  } catch (error) {
    throw toStartupError(path, error);
  }
}

async function ensureFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    await makeParents(dirname(path));
    await mkdir(path, { mode: 0o700 });
    await chmod(path, 0o700);
    return;
  }
  // An empty folder, such as a fresh volume of a container, is ours to close.
  if (isExposed(found.mode) && (await readdir(path)).length === 0) {
    await chmod(path, 0o700);
  }
}

/** Folders above that we make can be passed through but not read, under every umask: the database's user must. */
async function makeParents(parent: string): Promise<void> {
  const first = await mkdir(parent, { recursive: true, mode: 0o711 });
  if (first === undefined) {
    return;
  }
  const below = parent.slice(first.length).split(sep).filter(Boolean);
  for (let count = 0; count <= below.length; count += 1) {
    await chmod(join(first, ...below.slice(0, count)), 0o711);
  }
}

/** Entering is not reading: the group of the database's user may pass. */
function isExposed(mode: number): boolean {
  return (mode & 0o066) !== 0;
}

async function assertPrivate(path: string): Promise<void> {
  const { mode } = await stat(path);
  if (isExposed(mode)) {
    throw new StartupError({
      code: "DATA_FOLDER_EXPOSED",
      message: `Other users can read or write the data folder ${path}`,
      hint: `Run \`chmod -R go-rwx ${path}\``,
    });
  }
}

function toStartupError(path: string, error: unknown): unknown {
  if (error instanceof FolderInUseError) {
    const { pid } = error.holder;
    const who = pid === undefined ? "another process" : `another process (pid ${String(pid)})`;
    return new StartupError({
      code: "DATA_FOLDER_IN_USE",
      message: `The data folder ${path} is in use by ${who}`,
      hint: "Stop that one first, or set TURNPIKE_DATA_DIR to another folder",
      cause: error,
    });
  }
  if (error instanceof StartupError) {
    return error;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StartupError({
    code: "DATA_FOLDER_NOT_WRITABLE",
    message: `The data folder ${path} is not writable (${reason})`,
    hint: `Make it writable for the user who starts Turnpike, or ${SET_ELSEWHERE}`,
    cause: error,
  });
}
