/** A clock that only moves when the test moves it. Fits the server's `Clock`. */
export type FakeClock = {
  now(): Date;
  monotonicMs(): number;
  /** Moves wall and monotonic time on. */
  advance(ms: number): void;
};

/** @param start - ISO 8601. The monotonic clock starts at 1,000 ms: a process that has just begun. */
export function createFakeClock(start = "2026-01-15T10:00:00.000Z"): FakeClock {
  let elapsedMs = 0;
  const startMs = Date.parse(start);
  return {
    now: () => new Date(startMs + elapsedMs),
    monotonicMs: () => 1_000 + elapsedMs,
    advance(ms) {
      elapsedMs += ms;
    },
  };
}
