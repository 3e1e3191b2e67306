/**
 * Runs `work` and measures how long it kept this thread from everything else: the longest turn of the event loop, in
 * milliseconds of processor time, so that a busy machine adds nothing.
 *
 * Not finer than the clock of the system, which may tick in steps of four milliseconds.
 */
export async function measureLongestHold(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  let next: NodeJS.Immediate | undefined;
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
    next = setImmediate(look);
  };
  look();
  longestMs = 0;
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  return longestMs;
}
