/** How much may happen on trust while Turnpike cannot be reached. */
export type Exposure = {
  /** Calls let through that are not verified yet, at most. By default 1,000. */
  callsMax: number;
  /**
   * Seconds in which calls are let through since Turnpike was first missed, by questions with an idempotency key and by those
   * without apart. By default 60.
   */
  secondsMax: number;
};

/** An outage as seen by one kind of request. */
export type Outage = {
  /** True when the next call should be decided without asking: Turnpike just failed, and another call is trying. */
  shouldSkip(): boolean;
  /** Records that Turnpike could not be reached. */
  recordFailure(): void;
  /** Records that it answered. */
  recordAnswer(): void;
  /** Takes a permit for one unverified call; false when none is left. */
  tryExpose(): boolean;
  /** Returns the permit: the call was verified afterwards. A call that was given up holds its permit until the outage ends. */
  settle(outcome: "verified" | "given_up"): void;
};

/**
 * The same outage for two kinds of question: without its database Turnpike answers those that it decides from memory, and none
 * that it has to write down.
 */
export type Outages = {
  /** For questions without an idempotency key. */
  remembered: Outage;
  /** For questions with an idempotency key or a lock. Where these have answers, the others have them too. */
  written: Outage;
};

/** After this many calls in a row without an answer, only one per interval still asks; the others do not wait. */
export const FAILURES_UNTIL_SKIP = 3;
export const PROBE_INTERVAL_MS = 1_000;

/**
 * Keeps count of an outage: when it began, for each kind of question, and how many calls were let through on trust, for both
 * together.
 *
 * @param nowMs - Monotonic milliseconds.
 */
export function createOutages(exposure: Exposure, nowMs: () => number): Outages {
  const calls: Calls = { unverified: 0, givenUp: 0 };
  const remembered = createOutage(exposure, calls, nowMs);
  const written = createOutage(exposure, calls, nowMs);
  return {
    remembered,
    written: {
      ...written,
      recordAnswer() {
        written.recordAnswer();
        remembered.recordAnswer();
      },
    },
  };
}

/** Calls on trust, of all outages together. */
type Calls = { unverified: number; givenUp: number };

function createOutage(exposure: Exposure, calls: Calls, nowMs: () => number): Outage {
  let startedAtMs: number | undefined;
  let failuresInRow = 0;
  let lastProbeMs = 0;
  /** Of the calls that were given up, those of this outage. */
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
    recordFailure() {
      const now = nowMs();
      startedAtMs ??= now;
      failuresInRow += 1;
      lastProbeMs = now;
    },
    recordAnswer() {
      startedAtMs = undefined;
      failuresInRow = 0;
      calls.givenUp -= givenUp;
      givenUp = 0;
    },
    tryExpose() {
      const sinceMs = startedAtMs === undefined ? 0 : nowMs() - startedAtMs;
      const isFull = calls.unverified + calls.givenUp >= exposure.callsMax;
      if (isFull || sinceMs >= exposure.secondsMax * 1_000) {
        return false;
      }
      calls.unverified += 1;
      return true;
    },
    settle(outcome) {
      calls.unverified -= 1;
      if (outcome === "given_up" && startedAtMs !== undefined) {
        calls.givenUp += 1;
        givenUp += 1;
      }
    },
  };
}
