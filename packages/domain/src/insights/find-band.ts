import type { Band, Hour } from "./incident.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const NEEDED = 5;
const LOW = 0.05;
const HIGH = 0.95;

function isSameSlot(oneMs: number, otherMs: number): boolean {
  const apart = Math.abs(oneMs - otherMs) % DAY_MS;
  return Math.min(apart, DAY_MS - apart) <= HOUR_MS;
}

function quantileOf(sorted: readonly number[], share: number): number {
  return sorted[Math.round(share * (sorted.length - 1))] ?? 0;
}

/**
 * Finds what is usual for the hour of the day of `timeMs`, an hour earlier and later included, from the hours before `beforeMs`.
 *
 * @returns Nothing when there are fewer than five such hours.
 */
export function findBand(
  hours: readonly Hour[],
  { timeMs, beforeMs }: { timeMs: number; beforeMs: number },
): Band | undefined {
  const seen = hours
    .filter((hour) => hour.timeMs < beforeMs && isSameSlot(hour.timeMs, timeMs))
    .flatMap(({ value }) => (value === null ? [] : [value]))
    .sort((one, other) => one - other);
  return seen.length < NEEDED
    ? undefined
    : {
        low: quantileOf(seen, LOW),
        expected: quantileOf(seen, 0.5),
        high: quantileOf(seen, HIGH),
      };
}
