/** Time as an argument: code below `main.ts` never asks the system for it. */
export interface Clock {
  /** Wall-clock time, UTC. May jump. */
  now(): Date;
  /** Milliseconds since an arbitrary start; never goes back, not even when the wall clock is set. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
