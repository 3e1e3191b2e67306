import { t } from "@lingui/core/macro";
import { LANGUAGE } from "@turnpike/ui/language";
import type { Environment } from "#platform/current-environment.ts";
import { formatCount } from "#platform/format.ts";
import { findMeterName } from "#platform/name-meter.ts";
import { type Limits, type Meter, TIGHT_SHARE } from "#platform/shared-queries.ts";
import { nameUnits } from "#platform/unit-words.ts";

/** One line of the running period. */
export type PeriodLine = {
  meterId: string;
  /** What is counted: "Requests". */
  name: string;
  /** "12,500 of 50,000 requests" */
  quantity: string;
  /** Used part of the quota, 0 to 1. */
  share: number;
  tone: "accent" | "warning" | "danger";
  /** What lies beyond the quota. */
  beyond: string;
  /** Blocked by a process that crashed, never charged; undefined when there is none. */
  forfeited: string | undefined;
};

export type Period = { from: string; to: string; lines: readonly PeriodLine[] };

const DAY = new Intl.DateTimeFormat(LANGUAGE, {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** Writes a billing period, which is cut in UTC, by its first and its last day: "November 1 – 30, 2026". */
export function formatPeriod({ from, to }: Pick<Period, "from" | "to">): string {
  return DAY.formatRange(Date.parse(from), Date.parse(to) - 1);
}

/**
 * Orders what was used of each quota in the running period, with the keys of one environment.
 *
 * @returns Undefined for a plan without quotas, which has no balance to show.
 */
export function toPeriod(
  limits: Pick<Limits, "quotas">,
  meters: readonly Meter[],
  environment: Environment,
): Period | undefined {
  const counted = limits.quotas.filter((quota) => quota.environment === environment);
  const [first] = counted;
  if (first === undefined) {
    return;
  }
  const lines = counted.map((quota): PeriodLine => {
    const meter = meters.find(({ meterId }) => meterId === quota.meter);
    const units = nameUnits(meter?.unit ?? quota.meter);
    const share = quota.limit === 0 ? 1 : Number(quota.used) / quota.limit;
    const isForfeited = Number(quota.forfeited) > 0;
    return {
      meterId: quota.meter,
      name: findMeterName(meters, quota.meter) ?? quota.meter,
      quantity: t`${formatCount(quota.used)} of ${formatCount(quota.limit)} ${units}`,
      share: Math.min(1, share),
      tone: share >= 1 ? "danger" : share >= TIGHT_SHARE ? "warning" : "accent",
      beyond: quota.kind === "hard" ? t`Calls over the quota are denied.` : t`Overage is allowed.`,
      forfeited: isForfeited
        ? t`${formatCount(quota.forfeited)} ${units} are reserved until the period ends because a server crashed. They are not charged.`
        : undefined,
    };
  });
  return { from: first.periodStart, to: first.resetAt, lines };
}
