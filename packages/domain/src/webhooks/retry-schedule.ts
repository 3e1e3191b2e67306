const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Delays before each attempt of a delivery, in milliseconds: ten attempts over 75 hours, 35 minutes and 5 seconds.
 *
 * @see Standard Webhooks 1.0, "Retries schedule".
 */
export const ATTEMPT_DELAYS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** The random share added to a delay, so that deliveries that failed together do not retry together. */
const JITTER_MAX = 0.1;
/** The longest delay that a receiver can ask for. */
const RETRY_AFTER_MS_MAX = 24 * HOUR_MS;

/**
 * Decides how long a delivery waits after a failed attempt: the scheduled delay plus up to a tenth, or the delay that the receiver
 * asked for if that is longer, at most a day.
 *
 * @param input.failedAttempts - Failed attempts so far, 1 or more.
 * @param input.retryAfterMs - The delay that the receiver asked for, if any.
 * @param input.chance - From 0 to below 1.
 * @returns Milliseconds, or `undefined` when there is no further attempt.
 */
export function nextAttemptDelayMs(input: {
  failedAttempts: number;
  retryAfterMs?: number | undefined;
  chance: number;
}): number | undefined {
  const delayMs = ATTEMPT_DELAYS_MS[input.failedAttempts];
  if (delayMs === undefined) {
    return;
  }
  const asked = Math.min(input.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX);
  return Math.max(Math.round(delayMs * (1 + JITTER_MAX * input.chance)), asked);
}

/**
 * Reads a `Retry-After` header: seconds or a date.
 *
 * @returns Milliseconds from `now`, 0 or more; `undefined` if it is neither.
 * @see RFC 9110, section 10.2.3.
 */
export function parseRetryAfter(text: string, now: Date): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,9}$/.test(trimmed)) {
    return Number(trimmed) * SECOND_MS;
  }
  // Accepts only HTTP dates, because the language's own parser accepts almost anything.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(trimmed)) {
    return;
  }
  const atMs = Date.parse(trimmed);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - now.getTime());
}
