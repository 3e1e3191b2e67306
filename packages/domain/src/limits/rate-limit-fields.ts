/** One limit as callers see it. */
export type LimitReport = {
  /** Lower-case letters, digits, dashes and colons, so that it needs no escaping. */
  name: string;
  /** Calls or units that the limit allows. */
  limit: number;
  /** Seconds in which it allows them: the window of a rate limit, the length of a billing period. Undefined: calls at once. */
  windowSeconds: number | undefined;
  /** What is left, 0 or more. */
  remaining: number;
  /** Milliseconds until there is more than that; undefined when there is no such time. */
  moreAfterMs: number | undefined;
};

export type RateLimitFields = {
  "ratelimit-policy": string;
  ratelimit: string;
};

/** Structured fields hold integers of at most 15 digits (RFC 9651, section 3.3.1). */
const INTEGER_MAX = 999_999_999_999_999;

function toInteger(value: number): number {
  return Math.min(INTEGER_MAX, Math.max(0, Math.floor(value)));
}

/** A limit without a window is one of calls at once, a unit of the draft's own registry. */
function toPolicy({ name, limit, windowSeconds }: LimitReport): string {
  const window =
    windowSeconds === undefined
      ? 'qu="concurrent-requests"'
      : `w=${String(toInteger(Math.max(1, windowSeconds)))}`;
  return `"${name}";q=${String(toInteger(limit))};${window}`;
}

function toState({ name, remaining, moreAfterMs }: LimitReport): string {
  const time =
    moreAfterMs === undefined ? "" : `;t=${String(toInteger(Math.ceil(moreAfterMs / 1000)))}`;
  return `"${name}";r=${String(toInteger(remaining))}${time}`;
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
    "ratelimit-policy": limits.map(toPolicy).join(", "),
    ratelimit: limits.map(toState).join(", "),
  };
}
