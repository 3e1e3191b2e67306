import { mean } from "./statistics.ts";

/** Mean over a window around each value; near the ends the window is cut. */
function movingMean(values: readonly number[], width: number): number[] {
  const sums = [0];
  for (const value of values) {
    sums.push((sums.at(-1) ?? 0) + value);
  }
  const half = Math.floor(width / 2);
  return values.map((_, at) => {
    const from = Math.max(0, at - half);
    const to = Math.min(values.length, from + width);
    const start = Math.max(0, to - width);
    return ((sums[to] ?? 0) - (sums[start] ?? 0)) / (to - start);
  });
}

/** How many of the last seasons tell what a slot adds. */
const SEASONS = 8;

/**
 * Takes seasons off a series, the shorter first: what a slot adds is its mean distance to the moving mean of a season, later seasons
 * weighing more.
 *
 * @returns What is left, and what seasons add at an index, also beyond the end.
 */
export function splitSeasons(
  values: readonly number[],
  seasons: readonly number[],
): { rest: number[]; seasonAt: (index: number) => number } {
  let rest = [...values];
  const found: number[][] = [];
  for (const season of seasons.toSorted((a, b) => a - b)) {
    if (values.length < 2 * season) {
      continue;
    }
    const level = movingMean(rest, season);
    const sums = new Array<number>(season).fill(0);
    const weights = new Array<number>(season).fill(0);
    const from = Math.max(0, rest.length - SEASONS * season);
    for (let at = from; at < rest.length; at += 1) {
      const weight = 1 + (at - from) / season;
      const slot = at % season;
      sums[slot] = (sums[slot] ?? 0) + weight * ((rest[at] ?? 0) - (level[at] ?? 0));
      weights[slot] = (weights[slot] ?? 0) + weight;
    }
    const slots = sums.map((sum, slot) => sum / Math.max(1e-9, weights[slot] ?? 0));
    const centre = mean(slots);
    const centred = slots.map((slot) => slot - centre);
    rest = rest.map((value, at) => value - (centred[at % season] ?? 0));
    found.push(centred);
  }
  return {
    rest,
    seasonAt: (index) => found.reduce((sum, slots) => sum + (slots[index % slots.length] ?? 0), 0),
  };
}
