/** The first retry waits up to this long, and each further one up to twice as long. */
export const RETRY_BASE_MS = 50;
/** Our own waits are never longer, however often it failed. */
export const RETRY_CAP_MS = 1_000;

/**
 * Says how long to wait before asking again. Full jitter: anything between nothing and a bound that doubles with each
 * failure, so that many callers of a server that comes back do not come back together. What the server asks for
 * (`Retry-After`) is waited for in full, and the jitter comes on top of it.
 *
 * Example: after the second failure (`failures: 2`) with `random: 0.5`, half of 100 ms: 50 ms.
 *
 * @param input.failures - So far, 1 or more.
 * @param input.retriesMax - After this many retries nothing is asked again.
 * @param input.retryAfterMs - What the server asked for, 0 when it did not.
 * @param input.remainingMs - Milliseconds until the deadline.
 * @param input.random - At least 0 and less than 1.
 * @returns Milliseconds, 0 or more and less than what remains; `undefined` when it is not worth it: no retries are left, or
 *   the wait would reach the deadline.
 */
export function planRetry(input: {
  failures: number;
  retriesMax: number;
  retryAfterMs: number;
  remainingMs: number;
  random: number;
}): number | undefined {
  if (input.failures > input.retriesMax) {
    return;
  }
  const boundMs = Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** (input.failures - 1));
  const waitMs = input.retryAfterMs + input.random * boundMs;
  return waitMs < input.remainingMs ? waitMs : undefined;
}

/**
 * Reads `Retry-After`: whole seconds, or a date.
 *
 * @param epochMs - Now.
 * @returns Milliseconds, 0 for none, for one in the past and for one that is neither.
 */
export function readRetryAfterMs(value: string | null, epochMs: number): number {
  if (value === null) {
    return 0;
  }
  if (/^\d{1,9}$/.test(value)) {
    return Number(value) * 1_000;
  }
  // JavaScript parses more than HTTP dates: "-1" is a day in 2001.
  const dateMs = value.endsWith(" GMT") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? 0 : Math.max(0, dateMs - epochMs);
}
