import { readlinkSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { basename } from "node:path";

/**
 * Of everything that writes down later what calls do now. Lower than this, the database would also wait for all else that the
 * machine does, which may be the operator's own API: at 15 a session has a thirtieth of a busy core, and a start beside other work took too long.
 */
export const NICENESS = constants.priority.PRIORITY_BELOW_NORMAL;
const LOOK_INTERVAL_MS = 1_000;

/**
 * Where both want one core, calls go first: a call waits for its answer, and what the database writes meanwhile is in the
 * journal already. What the process starts inherits the priority.
 */
export function yieldToCalls(pid: number | undefined): void {
  try {
    if (pid !== undefined) {
      setPriority(pid, NICENESS);
    }
  } catch {
    // It has ended, or the system does not allow it: as good as before.
  }
}

/** The same of the thread that asks, on Linux, where a thread has a priority of its own. */
export function yieldThreadToCalls(): void {
  try {
    yieldToCalls(Number(basename(readlinkSync("/proc/thread-self"))));
  } catch {
    // Another system.
  }
}

/** The processes that a process has started; none where the system does not tell. */
async function readChildren(pid: number): Promise<number[]> {
  const path = `/proc/${String(pid)}/task/${String(pid)}/children`;
  const text = await readFile(path, "utf8").catch(() => "");
  return text
    .split(" ")
    .map(Number)
    .filter((child) => child > 0);
}

/** @returns False when it has to be tried again: the system takes few such changes in a second, except from root. */
async function yieldWithGroup(pid: number): Promise<boolean> {
  try {
    await writeFile(`/proc/${String(pid)}/autogroup`, String(NICENESS), { flag: "r+" });
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "EAGAIN");
  }
}

/**
 * Keeps the sessions of a PostgreSQL server behind calls on a Linux that groups processes by session. Each of PostgreSQL's
 * processes begins a session of its own, so that it is a group by itself, and there a priority counts within the group only:
 * one session that writes takes half a core from the calls, for as long as it writes. Groups have a priority too, which is
 * not inherited.
 *
 * @see sched(7), "The autogroup feature".
 * @param findServerPid - Asked each time: the server may have been started again.
 * @returns Ends it.
 */
export function keepSessionsYielding(findServerPid: () => number): () => void {
  let yielding = new Set<number>();
  let isLooking = false;

  async function look(): Promise<void> {
    const serverPid = findServerPid();
    const pids = [serverPid, ...(await readChildren(serverPid))];
    const seen = new Set<number>();
    for (const pid of pids) {
      if (yielding.has(pid) || (await yieldWithGroup(pid))) {
        seen.add(pid);
      }
    }
    yielding = seen;
  }

  function lookOnce(): void {
    if (!isLooking) {
      isLooking = true;
      void look().finally(() => {
        isLooking = false;
      });
    }
  }

  if (process.platform !== "linux") {
    return () => undefined;
  }
  lookOnce();
  const timer = setInterval(lookOnce, LOOK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
