import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { STATE_FOLDER } from "./paths.mjs";

const POLL_INTERVAL_MS = 200;
/** Between creating the lock file and writing its holder into it; a process that takes longer was killed, or the disk was full. */
const UNSIGNED_MAX_MS = 3_000;
/** Between taking over the lock of a dead process and being sure that no other process did the same. */
const SETTLE_MS = 100;
/** An installation over a slow line takes minutes; a holder that takes longer hangs. */
const WAIT_MAX_MS = 15 * 60_000;
const QUIET_MS = 2_000;

/**
 * Runs a task while no other command of this checkout runs one of the same name.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
export async function withLock(name, task) {
  await mkdir(STATE_FOLDER, { recursive: true });
  const path = join(STATE_FOLDER, `${name}.lock`);
  await takeLock(path);
  try {
    return await task();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeLock(path) {
  const startedAtMs = Date.now();
  let isAnnounced = false;
  while (!(await createLock(path))) {
    const holder = await readHolder(path);
    if (await isLeftBehind(path, holder)) {
      await rm(path, { force: true });
      if ((await createLock(path)) && (await staysOurs(path))) {
        return;
      }
    }
    const waitedMs = Date.now() - startedAtMs;
    if (waitedMs > QUIET_MS && !isAnnounced) {
      isAnnounced = true;
      console.error(`turnpike: waiting for another command (pid ${holder}) to finish its part …`);
    }
    if (waitedMs > WAIT_MAX_MS) {
      throw new Error(
        `process ${holder} has held ${path} for too long. End it and remove the file.`,
      );
    }
    await delay(POLL_INTERVAL_MS);
  }
}

async function createLock(path) {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

async function readHolder(path) {
  const pid = Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10);
  return Number.isInteger(pid) ? pid : undefined;
}

async function isLeftBehind(path, holder) {
  if (holder === undefined) {
    const madeAtMs = (await stat(path).catch(() => undefined))?.mtimeMs;
    return madeAtMs !== undefined && Date.now() - madeAtMs > UNSIGNED_MAX_MS;
  }
  // Where pids begin anew, as with each start of a container, the holder's may have become ours.
  return holder === process.pid || !isAlive(holder);
}

async function staysOurs(path) {
  await delay(SETTLE_MS);
  return (await readHolder(path)) === process.pid;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
