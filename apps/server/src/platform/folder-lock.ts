import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

/** A folder held by this process alone. */
export interface FolderLock {
  release(): Promise<void>;
}

/** The lock of a process that says when it is about to give the folder free. */
export interface OwnFolderLock extends FolderLock {
  /** Lets who asks for the folder wait. */
  markEnding(): void;
}

const ENDING = "ending";

/** The holder of a folder, as far as the file beside the lock tells. */
type Holder = {
  /** Undefined in the moment before it has written it. */
  pid: number | undefined;
  /** It was asked to end, and finishes what is under way. */
  isEnding: boolean;
};

/** Another process holds the folder. */
export class FolderInUseError extends Error {
  override readonly name = "FolderInUseError";
  readonly holder: Holder;

  constructor(holder: Holder) {
    super("The folder is in use by another process.");
    this.holder = holder;
  }
}

const SQLITE_BUSY = 5;

/** A handle that nothing refers to would be collected, and its lock with it. */
const heldLocks = new Set<DatabaseSync>();

/**
 * Takes a folder for this process, until `release` or until the process ends in any way.
 *
 * The lock is the kernel's (`fcntl`, by way of SQLite, since Node has no call for it): nothing has to judge whether a
 * lock file is stale, which a reused pid, or a container with pids of its own, would get wrong. The pid is written beside
 * it for messages only. Nothing else may open `turnpike.lock`: closing any handle of a file drops the locks of the process.
 *
 * @throws {FolderInUseError} while another process, or this one, holds it.
 * @throws Errors of the file system when the folder cannot be written.
 */
export async function lockFolder(folder: string): Promise<OwnFolderLock> {
  const lockPath = join(folder, "turnpike.lock");
  const pidPath = join(folder, "turnpike.pid");
  await createPrivately(lockPath);
  const held = hold(lockPath, EXCLUSIVE);
  if (held === undefined) {
    throw new FolderInUseError(await readHolder(pidPath));
  }
  const partial = `${pidPath}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(partial, `${process.pid}\n`, { mode: 0o600 });
    await rename(partial, pidPath);
  } catch (error) {
    held.close();
    throw error;
  }
  heldLocks.add(held);
  return {
    markEnding() {
      try {
        writeFileSync(pidPath, `${String(process.pid)} ${ENDING}\n`, { mode: 0o600 });
      } catch {
        // On a full disk who asks is refused sooner.
      }
    },
    async release() {
      if (heldLocks.delete(held)) {
        await rm(pidPath, { force: true });
        held.close();
      }
    },
  };
}

const JOINED_FILE = "turnpike.joined";
const JOINED_INTERVAL_MS = 50;

/** Lets others of the same user join what the holder of a folder runs there. */
export async function allowJoining(folder: string): Promise<void> {
  await createPrivately(join(folder, JOINED_FILE));
}

/**
 * Joins what the holder of a folder runs there, until `release` or the end of this process: a holder that asks
 * {@link waitUntilAlone} does not end it before. Any number can at once.
 *
 * @returns Undefined when the holder is about to end it.
 */
export async function joinHolder(folder: string): Promise<FolderLock | undefined> {
  const path = join(folder, JOINED_FILE);
  const isAllowed = await stat(path).then(
    () => true,
    () => false,
  );
  if (!isAllowed) {
    // No holder waits for this one.
    return { release: () => Promise.resolve() };
  }
  return keep(hold(path, SHARED));
}

/**
 * Waits until no process is joined, and lets none join until `release`.
 *
 * @returns Undefined when the time is up.
 */
export async function waitUntilAlone(
  folder: string,
  limitMs: number,
): Promise<FolderLock | undefined> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const alone = keep(hold(join(folder, JOINED_FILE), EXCLUSIVE));
    if (alone !== undefined || performance.now() > endMs) {
      return alone;
    }
    await delay(JOINED_INTERVAL_MS);
  }
}

function keep(held: DatabaseSync | undefined): FolderLock | undefined {
  if (held === undefined) {
    return undefined;
  }
  heldLocks.add(held);
  return {
    release() {
      if (heldLocks.delete(held)) {
        held.close();
      }
      return Promise.resolve();
    },
  };
}

/** SQLite would make it readable by others. */
async function createPrivately(path: string): Promise<void> {
  try {
    await writeFile(path, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw error;
    }
  }
}

const EXCLUSIVE = "pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive";
const SHARED = "begin; select 1 from sqlite_master";

function hold(path: string, how: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(how);
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) {
      return undefined;
    }
    throw error;
  }
}

async function readHolder(path: string): Promise<Holder> {
  const text = await readFile(path, "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return { pid: Number.isInteger(pid) ? pid : undefined, isEnding: text.includes(ENDING) };
}
