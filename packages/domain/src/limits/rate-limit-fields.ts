/** One limit as callers see it. */
export type LimitReport = {
  /** Lower-case letters, digits, dashes and colons, so that it needs no escaping. */
  name: string;
  /** Calls or units that the limit allows. */
  limit: number;
  /** Seconds in which it allows them: the window of a rate limit, the length of a billing period. */
  windowSeconds: number;
  /** What is left, 0 or more. */
  remaining: number;
  /** Milliseconds until there is more than that. */
  moreAfterMs: number;
};

export type RateLimitFields = {
  "ratelimit-policy": string;
  ratelimit: string;
};

function toItem(name: string, parameters: readonly (readonly [string, number])[]): string {
  const suffix = parameters.map(([key, value]) => `;${key}=${String(value)}`).join("");
  return `"${name}"${suffix}`;
}

/** Structured fields hold integers of at most 15 digits (RFC 9651, section 3.3.1). */
const INTEGER_MAX = 999_999_999_999_999;

function toInteger(value: number): number {
  return Math.min(INTEGER_MAX, Math.max(0, Math.floor(value)));
}

/**
 * Writes limits as the two RateLimit fields (draft-ietf-httpapi-ratelimit-headers-11): lists of strings with parameters, as
 * RFC 9651 has them. Seconds are rounded up, so that a caller who waits that long never comes too early.
 *
 * Example: a limit "burst" of 100 in 60 s, with 50 left and more in 29.2 s, gives `"burst";q=100;w=60` and
 * `"burst";r=50;t=30`.
 *
 * @returns `undefined` without limits: a field without members must not be sent.
 */
export function toRateLimitFields(limits: readonly LimitReport[]): RateLimitFields | undefined {
  if (limits.length === 0) {
    return;
  }
  return {
    "ratelimit-policy": limits
      .map(({ name, limit, windowSeconds }) =>
        toItem(name, [
          ["q", toInteger(limit)],
          ["w", toInteger(Math.max(1, windowSeconds))],
        ]),
      )
      .join(", "),
    ratelimit: limits
      .map(({ name, remaining, moreAfterMs }) =>
        toItem(name, [
          ["r", toInteger(remaining)],
          ["t", toInteger(Math.ceil(moreAfterMs / 1000))],
        ]),
      )
      .join(", "),
  };
}
