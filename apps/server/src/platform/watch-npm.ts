import { readFileSync } from "node:fs";

const INTERVAL_MS = 250;
const NPM = /^np[mx]\b/;

/** How a process was called, and its parent; undefined where the system does not tell it. */
export type ReadProcess = (pid: number) => { commandLine: string; parent: string } | undefined;

const readProc: ReadProcess = (pid) => {
  try {
    const folder = `/proc/${String(pid)}`;
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`${folder}/status`, "utf8"))?.[1] ?? "";
    return { commandLine: readFileSync(`${folder}/cmdline`, "utf8"), parent };
  } catch {
    return undefined;
  }
};

/**
 * The processes that must live on: the parent, and its parent where a shell is between npm and this process. Some shells give
 * their place to what they start; then npm is the parent, and what started npm may end.
 */
export function describeAncestors(pid: number, read: ReadProcess): string {
  const parent = read(pid);
  return parent === undefined || NPM.test(parent.commandLine)
    ? String(pid)
    : `${String(pid)} ${parent.parent}`;
}

/**
 * Notices that the npm or npx around this process has ended. It passes SIGTERM to its shell only, which may die without a word to
 * this process, and a `kill -9` of it reaches no other process at all: a service manager would take the product for stopped.
 *
 * @param isBelowNpm - Whether npm started this process. Without npm around it, an orphan is what the caller wanted.
 * @param onEnd - Called once.
 */
export function watchNpm(isBelowNpm: boolean, onEnd: () => void): void {
  if (!isBelowNpm) {
    return;
  }
  const before = describeAncestors(process.ppid, readProc);
  const timer = setInterval(() => {
    if (describeAncestors(process.ppid, readProc) !== before) {
      clearInterval(timer);
      onEnd();
    }
  }, INTERVAL_MS);
  timer.unref();
}
