import { HOUR_MS } from "@turnpike/domain/time/zoned-buckets";

/** Half-open, epoch milliseconds. */
export type Interval = { fromMs: number; toMs: number };

/** The intervals of a range that are read from each kind of rollup. Together they tile the range. */
export type Sources = {
  hours: readonly Interval[];
  minutes: readonly Interval[];
  /** Whole hours whose rollups are read elsewhere: here only what is not added to them yet. Left out: none. */
  recent?: readonly Interval[];
};

function startOfHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

/** Appends an interval, or extends the last one when they touch. */
function append(intervals: Interval[], next: Interval): void {
  const last = intervals.at(-1);
  if (next.fromMs >= next.toMs) {
    return;
  }
  if (last?.toMs === next.fromMs) {
    last.toMs = next.toMs;
  } else {
    intervals.push({ ...next });
  }
}

/**
 * Reads whole hours from hourly rollups, and by the minute every hour that an end of the range or the start of a bucket cuts in
 * two (days of zones at half an hour), so that no number depends on where it was read.
 *
 * @param range - The range, on whole minutes.
 * @param starts - Starts of its buckets, ascending; empty for one sum over all.
 */
export function planSources(range: Interval, starts: readonly number[]): Sources {
  const inside = starts.filter((ms) => ms > range.fromMs && ms < range.toMs);
  const cuts = [range.fromMs, ...inside, range.toMs].filter((ms) => ms % HOUR_MS !== 0);
  const hours: Interval[] = [];
  const minutes: Interval[] = [];
  let readMs = range.fromMs;
  for (const cutMs of cuts) {
    const hourMs = startOfHour(cutMs);
    append(hours, { fromMs: readMs, toMs: hourMs });
    const endMs = Math.min(hourMs + HOUR_MS, range.toMs);
    append(minutes, { fromMs: Math.max(hourMs, readMs), toMs: endMs });
    readMs = Math.max(readMs, endMs);
  }
  append(hours, { fromMs: readMs, toMs: range.toMs });
  return { hours, minutes };
}

/**
 * Reads by the hour what is no longer kept by the minute: an hour that would be cut in two goes whole to the interval in which
 * it begins. Ranges that touch still share no call.
 *
 * @param minutesFromMs - Start of the usage that is kept by the minute, a full hour; null: all of it.
 */
export function withoutOldMinutes(sources: Sources, minutesFromMs: number | null): Sources {
  if (minutesFromMs === null || !sources.minutes.some(({ fromMs }) => fromMs < minutesFromMs)) {
    return sources;
  }
  const endOfHour = (ms: number) => startOfHour(ms + HOUR_MS - 1);
  const old = sources.minutes.map(({ fromMs, toMs }) => ({
    fromMs: endOfHour(fromMs),
    toMs: endOfHour(Math.min(toMs, minutesFromMs)),
  }));
  const kept = sources.minutes.map(({ fromMs, toMs }) => ({
    fromMs: Math.max(fromMs, minutesFromMs),
    toMs,
  }));
  const hours: Interval[] = [];
  for (const interval of [...sources.hours, ...old].sort(
    (one, other) => one.fromMs - other.fromMs,
  )) {
    append(hours, interval);
  }
  return { hours, minutes: kept.filter(({ fromMs, toMs }) => fromMs < toMs) };
}
