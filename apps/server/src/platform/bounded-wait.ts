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
export function waitFor(input: {
  heard: Promise<void>;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<boolean> {
  const { heard, timeoutMs, signal } = input;
  // By hand: aborting a timer costs two errors with their stacks, which a process that only waits would make all day.
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onEnd);
      settle();
    };
    const onEnd = (): void => end(() => resolve(false));
    const timer = setTimeout(onEnd, timeoutMs);
    signal.addEventListener("abort", onEnd);
    heard.then(
      () => end(() => resolve(true)),
      (error: unknown) => end(() => reject(error)),
    );
    if (signal.aborted) {
      onEnd();
    }
  });
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
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      work.then(onLate).catch(() => undefined);
      reject(new WaitTimeoutError(`No answer within ${String(timeoutMs)} ms.`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
