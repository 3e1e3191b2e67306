import { constants } from "node:os";

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * One Ctrl+C arrives up to three times within moments: from the terminal, which tells the whole process group, and from
 * each of the programs around this one (npm, the runner), which pass it on.
 */
const SAME_REQUEST_MS = 1_000;

/**
 * Calls `stop` once when the process is asked to end. Asked again later, because the person does not want to wait, it ends at
 * once.
 *
 * @param monotonicMs - Milliseconds that never go back.
 * @returns Stops hearing them, if none was heard: a process that was asked to end is on its way out, and a copy of the request
 * that arrives this late must not end it in place of its own exit code.
 */
export function onStopSignal(
  monotonicMs: () => number,
  stop: (signal: NodeJS.Signals) => void,
): () => void {
  let askedAtMs: number | undefined;
  const hear = (signal: NodeJS.Signals) => {
    const nowMs = monotonicMs();
    if (askedAtMs === undefined) {
      askedAtMs = nowMs;
      stop(signal);
    } else if (nowMs - askedAtMs > SAME_REQUEST_MS) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of STOP_SIGNALS) {
    process.on(signal, hear);
  }
  return () => {
    if (askedAtMs !== undefined) {
      return;
    }
    for (const signal of STOP_SIGNALS) {
      process.off(signal, hear);
    }
  };
}
