import { findFirstFrom, type RecentPoints } from "./recent-points.ts";

const DAY_MS = 24 * 60 * 60_000;
const DAYS = 7;
const NEEDED = 3;
/** Around a slot: itself and its neighbours, with room for clocks that are not exact. */
const SLOTS_AROUND = 1.5;

/**
 * Finds the median of the values at the same time of the day, one slot earlier and later included, over the seven days before
 * the newest point.
 *
 * @returns Nothing while there are fewer than three such values.
 */
export function findUsualValue(points: RecentPoints, stepMs: number): number | undefined {
  const nowMs = points.times[points.length - 1] ?? 0;
  const around = stepMs * SLOTS_AROUND;
  const earlier: number[] = [];
  if (around * 2 >= DAY_MS) {
    return undefined;
  }
  for (let day = 1; day <= DAYS; day += 1) {
    const slotMs = nowMs - day * DAY_MS;
    let at = findFirstFrom(points, slotMs - around);
    while (at < points.length && (points.times[at] ?? 0) <= slotMs + around) {
      earlier.push(points.values[at] ?? 0);
      at += 1;
    }
  }
  if (earlier.length < NEEDED) {
    return undefined;
  }
  earlier.sort((one, other) => one - other);
  return earlier[earlier.length >>> 1];
}
