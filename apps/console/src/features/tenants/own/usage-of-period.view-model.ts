import { t } from "@lingui/core/macro";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { formatCount, formatDayUtc } from "#platform/format.ts";
import { findMeterName } from "#platform/name-meter.ts";
import { type Limits, type Meter, TIGHT_SHARE } from "#platform/shared-queries.ts";

/** A tenant's usage with live keys, against its quota if its plan has one. */
export type PeriodUsage = {
  /** The name of the unit: "Requests". */
  meter: string;
  /** "1,204 of 5,000", or without a quota "1,204". */
  text: string;
  /** "3,796 left until Dec 1, UTC". */
  note: string;
  /** Undefined without a quota. */
  bar:
    | {
        /** The used share, 0 to 1; anything above 1 is drawn as full. */
        share: number;
        tone: "accent" | "warning" | "danger";
      }
    | undefined;
};

/** Takes the quota of calls of the current period, else the first quota; without any, the calls that count. */
export function toPeriodUsage(
  limits: Pick<Limits, "quotas" | "balances">,
  meters: readonly Meter[],
): PeriodUsage {
  const nameOf = (meterId: string) => findMeterName(meters, meterId) ?? meterId;
  const live = limits.quotas.filter(({ environment }) => environment === "live");
  const quota = live.find(({ meter }) => meter === REQUESTS_METER) ?? live[0];
  if (quota === undefined) {
    const balance = limits.balances.find(
      ({ meter, environment }) => meter === REQUESTS_METER && environment === "live",
    );
    return {
      meter: nameOf(REQUESTS_METER),
      text: formatCount(balance?.used ?? "0"),
      note: t`This plan has no quota.`,
      bar: undefined,
    };
  }
  const share = quota.limit === 0 ? 1 : Number(quota.used) / quota.limit;
  return {
    meter: nameOf(quota.meter),
    text: t`${formatCount(quota.used)} of ${formatCount(quota.limit)}`,
    note: t`${formatCount(quota.remaining)} left until ${formatDayUtc(quota.resetAt)}, UTC`,
    bar: {
      share,
      tone: share >= 1 ? "danger" : share >= TIGHT_SHARE ? "warning" : "accent",
    },
  };
}
