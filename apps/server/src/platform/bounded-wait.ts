import { setTimeout as delay } from "node:timers/promises";

class WaitTimeoutError extends Error {
  override readonly name = "WaitTimeoutError";
  /** As of a connection that went silent, which is what is waited for here. */
  readonly code = "ETIMEDOUT";
}

/** Something to wait for that may happen again and again. */
export interface Bell {
  /** Wakes everybody who waits now. */
  ring(): void;
  /** Resolves at the next ring after this call. */
  next(): Promise<void>;
}

export function createBell(): Bell {
  let wake: () => void = () => undefined;
  const arm = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  let next = arm();
  return {
    ring() {
      wake();
      next = arm();
    },
    next: () => next,
  };
}

/**
 * Waits until something is heard, the time is over, or `signal` is aborted.
 *
 * @returns Whether it was heard.
 */
export async function waitFor(input: {
  heard: Promise<void>;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<boolean> {
  const done = new AbortController();
  const timeout = delay(input.timeoutMs, false, {
    signal: AbortSignal.any([input.signal, done.signal]),
  }).catch(() => false);
  const isHeard = await Promise.race([input.heard.then(() => true), timeout]);
  done.abort();
  return isHeard;
}

/**
 * Gives up waiting, not the work itself; what then still comes of it is passed to `onLate`.
 *
 * @throws {WaitTimeoutError} When the time is over, with the code of a connection error; otherwise what the work throws.
 */
export async function withTimeout<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  onLate: (result: Result) => unknown = () => undefined,
): Promise<Result> {
  const done = new AbortController();
  const timeout = delay(timeoutMs, undefined, { signal: done.signal }).then(() => {
    work.then(onLate).catch(() => undefined);
    throw new WaitTimeoutError(`No answer within ${String(timeoutMs)} ms.`);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    done.abort();
  }
}
