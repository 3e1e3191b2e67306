import { plural, t } from "@lingui/core/macro";
import type { ForecastMiss } from "#platform/forecast-queries.ts";
import { formatPercent } from "#platform/format.ts";

/** "4% too high", "right to 1%"; a period in which nothing came cannot be put as a share. */
function describeMiss({ off }: ForecastMiss): string {
  if (off === null) {
    return t`nothing came`;
  }
  const share = Math.abs(off);
  return Math.round(share * 100) === 0
    ? t`right to ${formatPercent(0.01)}`
    : t`${formatPercent(share)} too ${off > 0 ? t`high` : t`low`}`;
}

/** How far off forecasts of the last periods were, and how that is known. */
export function describeAccuracy(accuracy: readonly ForecastMiss[]): string {
  if (accuracy.length === 0) {
    return t`How far off forecasts were is shown once a billing period is over.`;
  }
  const periods = plural(accuracy.length, {
    one: "the last period",
    other: `the last ${String(accuracy.length)} periods`,
  });
  const misses = accuracy.map(describeMiss).join(", ");
  const computed = accuracy.filter(({ kind }) => kind === "back_test").length;
  const how =
    computed === 0
      ? ""
      : computed === accuracy.length
        ? t` Computed today, from the days that were known then.`
        : t` ${String(computed)} of them computed today, from the days that were known then.`;
  return t`When five days of ${periods} were known, the forecast of the whole was ${misses}.${how}`;
}
