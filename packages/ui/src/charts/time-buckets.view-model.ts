import { bisectRight } from "d3-array";
import { createZone } from "./zone.view-model.ts";

/** Widths of a bucket that usage can be asked for, finest first. */
export const TIME_GRAINS = ["minute", "hour", "day", "week", "month"] as const;
export type TimeGrain = (typeof TIME_GRAINS)[number];

/** A half-open stretch of time that is drawn as one bar or one point. Epoch milliseconds. */
export type TimeBucket = {
  fromMs: number;
  toMs: number;
  /** Less of it was asked for, or has passed, than a bucket holds: lower than its neighbours for that alone. */
  isIncomplete?: boolean;
  /** What it is compared with, half-open, epoch milliseconds. */
  previous?: { fromMs: number; toMs: number };
};

/** A range of time, half-open, epoch milliseconds. */
export type TimeRange = { fromMs: number; toMs: number };

/** A narrower bar looks like a hairline. In pixels. */
export const BAR_WIDTH_MIN_PX = 3;
/** Between two bars, in pixels. */
export const BAR_GAP_PX = 1;
/** More buckets than this carry no more information on any screen, and make answers slow. */
export const BUCKETS_MAX = 400;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ROUGH_MS: Readonly<Record<TimeGrain, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};
/** How many buckets of a grain may be drawn as one bar: each divides the next larger unit. */
const MERGE_STEPS: Readonly<Record<TimeGrain, readonly number[]>> = {
  minute: [1, 2, 5, 10, 15, 30, 60],
  hour: [1, 2, 3, 6, 12, 24],
  day: [1],
  week: [1],
  month: [1],
};

/**
 * Picks the finest grain whose bars fit: merged as {@link pickMergeStep} does, none is narrower than
 * {@link BAR_WIDTH_MIN_PX}, and no answer holds more than {@link BUCKETS_MAX} buckets.
 *
 * Example: 24 hours on 700 px give `hour`, 3 hours `minute`, 90 days `day`.
 *
 * @returns `month` when nothing fits.
 */
export function pickGrain({ fromMs, toMs, widthPx }: TimeRange & { widthPx: number }): TimeGrain {
  const fits = TIME_GRAINS.find((grain) => {
    const count = countBuckets(toMs - fromMs, grain);
    const coarsest = MERGE_STEPS[grain].at(-1) ?? 1;
    return count <= BUCKETS_MAX && count / coarsest <= countBarsThatFit(widthPx);
  });
  return fits ?? "month";
}

/** About how many buckets a range is cut into, the two that it may only touch included. */
export function countBuckets(lengthMs: number, grain: TimeGrain): number {
  return Math.ceil(lengthMs / ROUGH_MS[grain]) + 1;
}

/** How many neighbouring buckets to draw as one bar, so that each is wide enough to be seen. */
export function pickMergeStep(grain: TimeGrain, bucketCount: number, widthPx: number): number {
  const room = countBarsThatFit(widthPx);
  const steps = MERGE_STEPS[grain];
  return (
    steps.find((step) => Math.ceil(bucketCount / step) + 1 <= room || bucketCount <= room) ??
    steps.at(-1) ??
    1
  );
}

function countBarsThatFit(widthPx: number): number {
  return Math.max(1, Math.floor(widthPx / (BAR_WIDTH_MIN_PX + BAR_GAP_PX)));
}

/**
 * Makes buckets of their starts: each ends where the next begins, the last with the range. The first begins with the
 * range, so that a bucket which is only partly asked for does not claim more.
 *
 * @param startsMs - Ascending; empty gives no bucket.
 */
export function toBuckets(startsMs: readonly number[], range: TimeRange): TimeBucket[] {
  return startsMs.map((startMs, index) => ({
    fromMs: Math.max(startMs, range.fromMs),
    toMs: Math.min(startsMs[index + 1] ?? range.toMs, range.toMs),
  }));
}

/**
 * Puts values at instants into their buckets.
 *
 * @param emptyValue - The value where nothing was reported: 0 for a count, null for a measure such as a percentile.
 */
export function alignToBuckets<Empty extends number | null>(
  buckets: readonly TimeBucket[],
  points: readonly { timeMs: number; value: number | null }[],
  emptyValue: Empty,
): (number | null)[] {
  const values: (number | null)[] = buckets.map(() => emptyValue);
  const starts = buckets.map((bucket) => bucket.fromMs);
  for (const point of points) {
    const index = bisectRight(starts, point.timeMs) - 1;
    const bucket = buckets[index];
    if (bucket !== undefined && point.timeMs < bucket.toMs) {
      values[index] = point.value;
    }
  }
  return values;
}

/**
 * Marks the first and the last bucket where the range holds less of them than they are long.
 *
 * @param startsMs - Where each bucket begins by the calendar, which may lie before the range.
 */
export function markIncomplete(
  buckets: readonly TimeBucket[],
  options: { startsMs: readonly number[]; grain: TimeGrain; timeZone: string },
): TimeBucket[] {
  const { startsMs, grain, timeZone } = options;
  return buckets.map((bucket, index) => {
    const startMs = startsMs[index] ?? bucket.fromMs;
    const isCut =
      startMs < bucket.fromMs ||
      (index === buckets.length - 1 && bucket.toMs < toCalendarEnd(startMs, grain, timeZone));
    return isCut ? { ...bucket, isIncomplete: true } : bucket;
  });
}

function toCalendarEnd(startMs: number, grain: TimeGrain, timeZone: string): number {
  if (grain === "minute" || grain === "hour") {
    return startMs + ROUGH_MS[grain];
  }
  const zone = createZone(timeZone);
  const localMs = zone.toLocal(startMs);
  if (grain !== "month") {
    return zone.toInstant(localMs + ROUGH_MS[grain]);
  }
  const local = new Date(localMs);
  return zone.toInstant(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1));
}

/** Neighbouring buckets drawn as one: the indexes it is made of, half-open. */
export type MergedBucket = TimeBucket & { fromIndex: number; toIndex: number };

/**
 * Joins buckets so that joined ones begin at whole multiples of the step in local time (0, 6, 12, 18 o'clock).
 *
 * @param step - From {@link pickMergeStep}; 1 joins nothing.
 */
export function mergeBuckets(options: {
  buckets: readonly TimeBucket[];
  grain: TimeGrain;
  step: number;
  timeZone: string;
}): MergedBucket[] {
  const zone = createZone(options.timeZone);
  const sizeMs = ROUGH_MS[options.grain] * options.step;
  const merged: MergedBucket[] = [];
  let lastKey: number | undefined;
  for (const [index, bucket] of options.buckets.entries()) {
    const key = options.step === 1 ? index : Math.floor(zone.toLocal(bucket.fromMs) / sizeMs);
    const last = merged.at(-1);
    if (last !== undefined && key === lastKey) {
      last.toMs = bucket.toMs;
      last.toIndex = index + 1;
      if (last.previous !== undefined && bucket.previous !== undefined) {
        last.previous = { fromMs: last.previous.fromMs, toMs: bucket.previous.toMs };
      }
    } else {
      merged.push({ ...bucket, fromIndex: index, toIndex: index + 1 });
    }
    lastKey = key;
  }
  return merged.map((one, place) => {
    const { isIncomplete: _, ...whole } = one;
    const parts = options.buckets.slice(one.fromIndex, one.toIndex);
    const isCut = (place === 0 || place === merged.length - 1) && parts.length < options.step;
    return isCut || parts.some((part) => part.isIncomplete === true)
      ? { ...whole, isIncomplete: true }
      : whole;
  });
}

/** Adds up the counts of each joined bucket; null only where nothing in it is known. */
export function sumMerged(
  merged: readonly MergedBucket[],
  values: readonly (number | null)[],
): (number | null)[] {
  return merged.map(({ fromIndex, toIndex }) =>
    values
      .slice(fromIndex, toIndex)
      .reduce<number | null>((sum, value) => (value === null ? sum : (sum ?? 0) + value), null),
  );
}
