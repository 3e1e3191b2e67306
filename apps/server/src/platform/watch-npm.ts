import { readFileSync } from "node:fs";

const INTERVAL_MS = 250;

/** This process's parent and, where /proc tells it, the parent of that. */
function describeAncestors(): string {
  const pid = String(process.ppid);
  try {
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return `${pid} ${parent ?? ""}`;
  } catch {
    return pid;
  }
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
  const before = describeAncestors();
  const timer = setInterval(() => {
    if (describeAncestors() !== before) {
      clearInterval(timer);
      onEnd();
    }
  }, INTERVAL_MS);
  timer.unref();
}
