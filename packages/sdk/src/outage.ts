/** How much may happen on trust while Turnpike cannot be asked. */
export type Exposure = {
  /** Calls let through that are not verified yet, at most. By default 1,000. */
  callsMax: number;
  /** Seconds since Turnpike was first missed, in which calls are let through. By default 60. */
  secondsMax: number;
};

export type Outage = {
  /** True when the next call should be decided without asking: Turnpike was just missed, and somebody else is trying. */
  shouldSkip(): boolean;
  /** Says that Turnpike could not be asked. */
  noteFailure(): void;
  /** Says that it answered. */
  noteAnswer(): void;
  /** Takes a place for one unverified call, or says that there is none left. */
  tryExpose(): boolean;
  /** Gives the place back: the call was verified afterwards. One that was given up keeps its place until the outage ends. */
  settle(outcome: "verified" | "given_up"): void;
};

/** After this many calls in a row without an answer, only one in each interval still asks; the others are spared the wait. */
export const FAILURES_UNTIL_SKIP = 3;
export const PROBE_INTERVAL_MS = 1_000;

/**
 * Keeps count of an outage: when it began, and how many calls were let through on trust.
 *
 * @param nowMs - Monotonic milliseconds.
 */
export function createOutage(exposure: Exposure, nowMs: () => number): Outage {
  let startedAtMs: number | undefined;
  let failuresInRow = 0;
  let lastProbeMs = 0;
  let unverified = 0;
  let givenUp = 0;
  return {
    shouldSkip() {
      if (failuresInRow < FAILURES_UNTIL_SKIP) {
        return false;
      }
      const now = nowMs();
      if (now - lastProbeMs >= PROBE_INTERVAL_MS) {
        lastProbeMs = now;
        return false;
      }
      return true;
    },
    noteFailure() {
      const now = nowMs();
      startedAtMs ??= now;
      failuresInRow += 1;
      lastProbeMs = now;
    },
    noteAnswer() {
      startedAtMs = undefined;
      failuresInRow = 0;
      givenUp = 0;
    },
    tryExpose() {
      const sinceMs = startedAtMs === undefined ? 0 : nowMs() - startedAtMs;
      if (unverified + givenUp >= exposure.callsMax || sinceMs >= exposure.secondsMax * 1_000) {
        return false;
      }
      unverified += 1;
      return true;
    },
    settle(outcome) {
      unverified -= 1;
      if (outcome === "given_up" && startedAtMs !== undefined) {
        givenUp += 1;
      }
    },
  };
}
