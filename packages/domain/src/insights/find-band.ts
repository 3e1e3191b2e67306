import type { Band, Hour } from "./incident.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const NEEDED = 5;
/** Three weeks of the same hours of the same day: enough to know the day of the week by itself. */
const NEEDED_OF_WEEKDAY = 9;
const LOW = 0.05;
const HIGH = 0.95;

function isSameSlot(oneMs: number, otherMs: number, cycleMs: number): boolean {
  const apart = Math.abs(oneMs - otherMs) % cycleMs;
  return Math.min(apart, cycleMs - apart) <= HOUR_MS;
}

function quantileOf(sorted: readonly number[], share: number): number {
  return sorted[Math.round(share * (sorted.length - 1))] ?? 0;
}

/**
 * Finds what is usual for the hour of `timeMs`, an hour earlier and later included, from the hours before `beforeMs`: on the same
 * day of the week once there are three of them, on any day before.
 *
 * @returns Nothing when there are fewer than five such hours.
 */
export function findBand(
  hours: readonly Hour[],
  { timeMs, beforeMs }: { timeMs: number; beforeMs: number },
): Band | undefined {
  const valuesOf = (cycleMs: number) =>
    hours
      .filter((hour) => hour.timeMs < beforeMs && isSameSlot(hour.timeMs, timeMs, cycleMs))
      .flatMap(({ value }) => (value === null ? [] : [value]))
      .sort((one, other) => one - other);
  const ofWeekday = valuesOf(WEEK_MS);
  const seen = ofWeekday.length >= NEEDED_OF_WEEKDAY ? ofWeekday : valuesOf(DAY_MS);
  return seen.length < NEEDED
    ? undefined
    : {
        low: quantileOf(seen, LOW),
        expected: quantileOf(seen, 0.5),
        high: quantileOf(seen, HIGH),
      };
}
