/** One word of memory that the threads of a process share; 0 when it is free, otherwise the number of the holder. */
export type MutexWord = Int32Array<SharedArrayBuffer>;

/** How long one wait lasts before it looks at the time. */
const WAIT_STEP_MS = 20;

/** Another thread held it for too long. */
export class MutexBusyError extends Error {
  override readonly name = "MutexBusyError";
}

/**
 * Runs `work` while no other thread is in such a section. Blocks the thread, so the work must be a matter of microseconds.
 *
 * @param holder - Number of this thread, 1 or more; no two threads that live have the same.
 * @throws {MutexBusyError} after `timeoutMs`: a thread that died in it holds it until {@link releaseDeadHolder}.
 */
export function withMutex<Result>(
  word: MutexWord,
  options: { holder: number; timeoutMs: number },
  work: () => Result,
): Result {
  let waitedMs = 0;
  for (;;) {
    const held = Atomics.compareExchange(word, 0, 0, options.holder);
    if (held === 0) {
      break;
    }
    if (waitedMs >= options.timeoutMs) {
      throw new MutexBusyError(`Thread ${String(held)} does not let go of what threads share.`);
    }
    if (Atomics.wait(word, 0, held, WAIT_STEP_MS) === "timed-out") {
      waitedMs += WAIT_STEP_MS;
    }
  }
  try {
    return work();
  } finally {
    Atomics.store(word, 0, 0);
    Atomics.notify(word, 0, 1);
  }
}

/** Takes it from a thread that has ended; what it was about to change must be whole or recognisable at every moment. */
export function releaseDeadHolder(word: MutexWord, holder: number): void {
  if (Atomics.compareExchange(word, 0, holder, 0) === holder) {
    Atomics.notify(word, 0, 1);
  }
}
