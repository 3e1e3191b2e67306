/** The quota thresholds of a tenant that has not chosen its own, in percent. */
export const QUOTA_THRESHOLDS_DEFAULT: readonly number[] = [50, 75, 90, 100];
/** The most thresholds of one tenant. */
export const QUOTA_THRESHOLDS_MAX = 10;

/** The thresholds of a quota that were already reached or notified. */
export type NotifiedThreshold = {
  /** Start of the billing period, epoch milliseconds. */
  periodStartMs: number;
  /** The limit at that time, in units of the meter. */
  limit: number;
  /** The highest threshold of this limit that was notified or already known, in percent; 0: none. */
  threshold: number;
  /** The highest that was notified in the period under any limit, in percent; 0: none. */
  highest: number;
};

export type QuotaStep = { notified: NotifiedThreshold; notify: number | null };

/** The highest threshold that usage has reached, in percent; 0: none. A limit of 0 has no thresholds. */
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
 * Decides which threshold of a quota to notify of: each once in a period, and of several passed at once only the highest.
 *
 * A new period starts over. A raised limit starts over from the current usage: thresholds already passed are known, later ones
 * notify again. At the moment of a change, only a threshold above the highest one notified in the period counts. So lowering a
 * limit, even after a raise, or adding a threshold below the highest notified one never notifies twice.
 *
 * Example: with 50 and 75 of 1,000, usage of 800 notifies of 75 only; after a raise to 2,000, usage of 1,000 notifies of 50 again.
 *
 * @param input.used - Units of the meter in the period, 0 or more.
 * @param input.notified - The result of the last decision; null if there was none.
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
