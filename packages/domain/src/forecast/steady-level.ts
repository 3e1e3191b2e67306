import type { Continuation } from "./models/model.ts";
import { median, sum } from "./statistics.ts";

/** Seasons that the rhythm is read from. */
const SEASONS = 8;
/** A slot that is nearly always 0 says nothing of the level. */
const SHARE_MIN = 0.02;

/** What each slot of a season has, as a share of the mean: medians, so that single days do not count. */
function findRhythm(values: readonly number[], season: number): number[] {
  const first = Math.max(0, values.length - SEASONS * season);
  const slots = Array.from({ length: season }, (_, slot) =>
    median(values.filter((_, at) => at >= first && at % season === slot)),
  );
  const mean = sum(slots) / season;
  return slots.map((slot) => (mean > 0 ? Math.max(SHARE_MIN, slot / mean) : 1));
}

/**
 * Goes on at the level of the last values, in the rhythm of a season: no trend, and no single value moves it. It is nearly as good as any
 * model while nothing happens, and right at once after everything has changed.
 *
 * @param recent - How many values the level is the median of.
 */
export function steadyLevel(recent: number, season: number): Continuation {
  return (values, horizon) => {
    const rhythm = findRhythm(values, season);
    const at = (index: number) => rhythm[index % season] ?? 1;
    const first = Math.max(0, values.length - recent);
    const level = median(values.slice(first).map((value, index) => value / at(first + index)));
    return Array.from({ length: horizon }, (_, step) => level * at(values.length + step));
  };
}
