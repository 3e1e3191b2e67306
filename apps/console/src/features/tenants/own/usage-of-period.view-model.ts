import { formatCount, formatDayUtc } from "#platform/format.ts";
import { type Limits, TIGHT_SHARE } from "#platform/shared-queries.ts";

/** How much of its quota a tenant has used with live keys. */
export type PeriodUsage = {
  /** "1,204 of 5,000". */
  text: string;
  /** "3,796 left until Dec 1, UTC". */
  note: string;
  /** Used part, 0 to 1; more is drawn as full. */
  share: number;
  tone: "accent" | "warning" | "danger";
};

/** The meter that every call counts on. */
const CALLS = "requests";

/**
 * Takes the quota of calls of the running period, else the first there is.
 *
 * @returns Undefined for a plan without quotas.
 */
export function toPeriodUsage(limits: Limits): PeriodUsage | undefined {
  const live = limits.quotas.filter(({ environment }) => environment === "live");
  const quota = live.find(({ meter }) => meter === CALLS) ?? live[0];
  if (quota === undefined) {
    return;
  }
  const share = quota.limit === 0 ? 1 : Number(quota.used) / quota.limit;
  return {
    text: `${formatCount(quota.used)} of ${formatCount(quota.limit)}`,
    note: `${formatCount(quota.remaining)} left until ${formatDayUtc(quota.resetAt)}, UTC`,
    share,
    tone: share >= 1 ? "danger" : share >= TIGHT_SHARE ? "warning" : "accent",
  };
}
