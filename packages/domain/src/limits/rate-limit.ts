/**
 * A rate limit by the generic cell rate algorithm (GCRA): a bucket that holds `limit` calls and refills evenly, one call
 * every `windowSeconds / limit`. A burst may use the whole bucket; over any window of `windowSeconds` after it at most
 * `limit` further calls pass.
 */
export type RateLimit = {
  name: string;
  /** Calls, 1 or more. */
  limit: number;
  /** Seconds, 1 or more. */
  windowSeconds: number;
};

/**
 * The theoretical arrival time: monotonic milliseconds at which the bucket would be full again. 0 means full; later than a window
 * from now means that calls are owed.
 */
export type RateLimitState = { fullAtMs: number };

export type RateLimitDecision = {
  allowed: boolean;
  /** Calls that may follow at once, 0 or more. */
  remaining: number;
  /** Milliseconds until one more call is allowed; 0 when `remaining` is positive. */
  retryAfterMs: number;
  /** Milliseconds until the bucket is full again. */
  resetAfterMs: number;
  /** The state to store when the call is admitted. Deciding alone changes nothing. */
  next: RateLimitState;
};

/** How much rounding may shift a decision: this fraction of the time between two calls, and at most a microsecond. */
const SLACK_STEPS = 1e-3;
const SLACK_MS_MAX = 1e-3;

/** Calls that passed beside a store of many processes are owed to it: those of a window, or of this long where that is longer. */
const OWED_MS_MAX = 60_000;

/** Milliseconds until a bucket is full that owes as much as it can: it refuses until only a window of them is left. */
function emptiestMs(windowMs: number): number {
  return windowMs + Math.max(windowMs, OWED_MS_MAX);
}

/**
 * Decides one call without storing anything, so that a call which a later limit refuses takes nothing here.
 *
 * @param cost - Calls to take, 0 or more; 0 takes none.
 * @param nowMs - Monotonic milliseconds: a change of the wall clock must not refill a bucket.
 */
export function decideRateLimit(input: {
  rateLimit: RateLimit;
  state: RateLimitState;
  cost: number;
  nowMs: number;
}): RateLimitDecision {
  const { rateLimit, state, cost, nowMs } = input;
  const windowMs = rateLimit.windowSeconds * 1000;
  const stepMs = windowMs / rateLimit.limit;
  // Bounded also where the clock of a store jumped back.
  const fullAtMs = Math.min(Math.max(state.fullAtMs, nowMs), nowMs + emptiestMs(windowMs));
  const afterMs = fullAtMs + cost * stepMs;
  const overMs = afterMs - nowMs - windowMs;
  // Sums of fractions of a millisecond drift by less than this; without it the last call of an exact burst is refused.
  const slackMs = Math.min(stepMs * SLACK_STEPS, SLACK_MS_MAX);
  const allowed = cost === 0 || overMs <= slackMs;
  const levelMs = allowed ? afterMs : fullAtMs;
  const remaining = Math.max(0, Math.floor((windowMs - (levelMs - nowMs) + slackMs) / stepMs));
  return {
    allowed,
    remaining,
    retryAfterMs: allowed
      ? remaining > 0
        ? 0
        : Math.max(0, levelMs + stepMs - nowMs - windowMs)
      : overMs,
    resetAfterMs: levelMs - nowMs,
    next: { fullAtMs: levelMs },
  };
}

/**
 * Takes calls that have passed already, also of an empty bucket, which then owes them.
 *
 * @param input.cost - Calls; below 0 gives some back.
 * @param input.besideMs - For so long the calls passed beside the store while others took calls of it. What the bucket could have
 *   given in this time is taken first. It then owes no more than this time gives, or one window, beside what it owed before.
 */
export function takePassedCalls(input: {
  rateLimit: RateLimit;
  state: RateLimitState;
  cost: number;
  besideMs: number;
  nowMs: number;
}): RateLimitState {
  const { rateLimit, state, cost, besideMs, nowMs } = input;
  const windowMs = rateLimit.windowSeconds * 1000;
  const takenMs = (cost * windowMs) / rateLimit.limit;
  const fullAtMs = Math.min(Math.max(state.fullAtMs, nowMs), nowMs + emptiestMs(windowMs));
  if (cost <= 0) {
    return { fullAtMs: Math.max(fullAtMs + takenMs, nowMs) };
  }
  const startMs = Math.max(state.fullAtMs, nowMs - besideMs);
  const capMs = Math.max(
    nowMs + windowMs + Math.max(windowMs, besideMs),
    startMs + Math.min(takenMs, besideMs),
  );
  const afterMs = Math.min(startMs + takenMs, capMs, nowMs + emptiestMs(windowMs));
  return { fullAtMs: Math.max(fullAtMs, afterMs) };
}
