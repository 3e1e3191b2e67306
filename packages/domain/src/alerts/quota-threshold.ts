/** Shares of a quota that are told of when nobody chose others, in percent. */
export const QUOTA_THRESHOLDS_DEFAULT: readonly number[] = [50, 75, 90, 100];
/** The most thresholds that a tenant has. */
export const QUOTA_THRESHOLDS_MAX = 10;

/** What was told of a quota. */
export type NotifiedThreshold = {
  /** Start of the billing period, epoch milliseconds. */
  periodStartMs: number;
  /** The limit then, in units of the meter. */
  limit: number;
  /** The highest threshold of this limit that is told of, or known already, in percent; 0: none. */
  threshold: number;
  /** The highest that was told in the period, whatever the limit was, in percent; 0: none. */
  highest: number;
};

export type QuotaStep = { notified: NotifiedThreshold; notify: number | null };

/** The highest threshold that usage has reached, in percent; 0: none. A limit of 0 has no shares. */
export function reachedThreshold(input: {
  used: number;
  limit: number;
  thresholds: readonly number[];
}): number {
  const { used, limit, thresholds } = input;
  const reached = thresholds.filter((threshold) => limit > 0 && used * 100 >= limit * threshold);
  return Math.max(0, ...reached);
}

/**
 * Decides what is to be told of a quota: each threshold once in a period, and of several that are passed at once the highest.
 *
 * A new period begins anew. A raised limit does so from where usage stands: what is below is known already, and what comes is
 * told again. The moment of a change itself tells only of more than was told in the period so far: a limit that is lowered, also
 * one that was raised before, and a threshold that is added below the highest one told, tell of nothing twice.
 *
 * Example: with 50 and 75 of 1,000, usage of 800 tells 75 alone; after a raise to 2,000 usage of 1,000 tells 50 again.
 *
 * @param input.used - Units of the meter in the period, 0 or more.
 * @param input.told - Of the last decision; null when there was none.
 */
export function decideQuotaThreshold(input: {
  periodStartMs: number;
  used: number;
  limit: number;
  thresholds: readonly number[];
  notified: NotifiedThreshold | null;
}): QuotaStep {
  const { periodStartMs, limit, notified } = input;
  const reached = reachedThreshold(input);
  if (notified !== null && periodStartMs < notified.periodStartMs) {
    return { notified, notify: null };
  }
  const before =
    notified?.periodStartMs === periodStartMs ? notified : { limit, threshold: 0, highest: 0 };
  const known = limit === before.limit ? before.threshold : before.highest;
  const notify = reached > known ? reached : null;
  return {
    notified: {
      periodStartMs,
      limit,
      threshold: limit > before.limit ? reached : Math.max(before.threshold, reached),
      highest: Math.max(before.highest, notify ?? 0),
    },
    notify,
  };
}
