/** Points that are remembered: two weeks of five-minute values. */
export const REMEMBERED = 4096;
const FIRST_ROOM = 512;

/**
 * The newest points in order of time, from index 0 to `length - 1`. Indexes fall when the oldest points are forgotten, by the
 * number that {@link addPoint} returns.
 */
export type RecentPoints = { times: Float64Array; values: Float64Array; length: number };

export function createRecentPoints(): RecentPoints {
  return { times: new Float64Array(FIRST_ROOM), values: new Float64Array(FIRST_ROOM), length: 0 };
}

/** Makes room in a list that holds `length` values: twice the room up to a bound, from then on the older half is forgotten. */
export function makeRoom(list: Float64Array, length: number): Float64Array {
  if (list.length < 2 * REMEMBERED) {
    const larger = new Float64Array(list.length * 2);
    larger.set(list);
    return larger;
  }
  list.copyWithin(0, length - REMEMBERED, length);
  return list;
}

/** Adds a point that is not older than the last. @returns How many of the oldest points were forgotten. */
export function addPoint(points: RecentPoints, timeMs: number, value: number): number {
  let forgotten = 0;
  if (points.length === points.times.length) {
    forgotten = points.length < 2 * REMEMBERED ? 0 : points.length - REMEMBERED;
    points.times = makeRoom(points.times, points.length);
    points.values = makeRoom(points.values, points.length);
    points.length -= forgotten;
  }
  points.times[points.length] = timeMs;
  points.values[points.length] = value;
  points.length += 1;
  return forgotten;
}

/** Finds the index of the first point at or after a time; `length` when all are before it. */
export function findFirstFrom({ times, length }: RecentPoints, timeMs: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < timeMs) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Computes the mean of `values[from .. to)`, which must not be empty. */
export function meanOf(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) {
    sum += values[at] ?? 0;
  }
  return sum / (to - from);
}

/** Computes the standard deviation of `values[from .. to)`, which must not be empty. */
export function deviationOf(values: Float64Array, from: number, to: number): number {
  const mean = meanOf(values, from, to);
  let sum = 0;
  for (let at = from; at < to; at += 1) {
    sum += ((values[at] ?? 0) - mean) ** 2;
  }
  return Math.sqrt(sum / (to - from));
}
