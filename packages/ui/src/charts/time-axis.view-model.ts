import type { TimeBucket } from "./time-buckets.view-model.ts";
import { createZone } from "./zone.view-model.ts";

/** What a label of the time axis names: a clock time, a day, a month or a year. */
export type TickUnit = "time" | "day" | "month" | "year";
export type TimeTick = { instantMs: number; unit: TickUnit };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Steps within a day: each divides the next, so labels stay where they are when the range grows. */
const CLOCK_STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((n) => n * MINUTE_MS);
const DAY_STEPS = [1, 2, 3, 5, 7, 14];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];

/**
 * Lists the labels of a time axis in a zone. Midnight is labelled with its day and every other hour with its time, so a
 * date stands once for each day; days that begin a month or year among months are labelled with that.
 *
 * @param labelsMax - As many as fit beside each other.
 */
export function listTimeTicks(options: {
  buckets: readonly TimeBucket[];
  timeZone: string;
  labelsMax: number;
}): TimeTick[] {
  const fromMs = options.buckets[0]?.fromMs;
  const lastMs = options.buckets.at(-1)?.fromMs;
  if (fromMs === undefined || lastMs === undefined) {
    return [];
  }
  const zone = createZone(options.timeZone);
  const local = { fromMs: zone.toLocal(fromMs), toMs: zone.toLocal(lastMs) };
  // The first and the last bucket may be cut short by the range, so the longest one tells how fine they are.
  const bucketMs = Math.max(...options.buckets.map((bucket) => bucket.toMs - bucket.fromMs));
  if (bucketMs > 6 * DAY_MS && bucketMs < 9 * DAY_MS) {
    return listWeeks(options.buckets, options.labelsMax);
  }
  for (const ticks of listCandidates(local, bucketMs)) {
    const inside = keepInside(ticks, zone.toInstant, { fromMs, toMs: lastMs });
    if (inside.length <= Math.max(1, options.labelsMax)) {
      return inside;
    }
  }
  return [{ instantMs: fromMs, unit: "day" }];
}

/** Weeks begin on no round day of a month, so each label marks a bucket. */
function listWeeks(buckets: readonly TimeBucket[], labelsMax: number): TimeTick[] {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(buckets.length / Math.max(1, labelsMax))));
  return buckets
    .filter((_, index) => index % step === 0)
    .map((bucket) => ({ instantMs: bucket.fromMs, unit: "day" }));
}

type LocalTick = { localMs: number; unit: TickUnit };

/** Every way to label the range, the densest first. Lazily: the dense ones of a long range are long. */
function* listCandidates(
  local: { fromMs: number; toMs: number },
  bucketMs: number,
): Generator<LocalTick[]> {
  const spanMs = local.toMs - local.fromMs;
  for (const stepMs of CLOCK_STEPS_MS) {
    if (stepMs >= bucketMs && spanMs / stepMs <= 200) {
      yield listClock(local, stepMs);
    }
  }
  for (const step of DAY_STEPS) {
    if (step * DAY_MS >= bucketMs * 0.9 && spanMs / DAY_MS <= 400) {
      yield listDays(local, step);
    }
  }
  for (const step of MONTH_STEPS) {
    yield listMonths(local, step);
  }
}

function listClock(local: { fromMs: number; toMs: number }, stepMs: number): LocalTick[] {
  const ticks: LocalTick[] = [];
  for (let at = Math.ceil(local.fromMs / stepMs) * stepMs; at <= local.toMs; at += stepMs) {
    ticks.push({ localMs: at, unit: at % DAY_MS === 0 ? "day" : "time" });
  }
  return ticks;
}

/** Counted from the first of each month, without a label right before the next first: 1, 8, 15, 22. */
function listDays(local: { fromMs: number; toMs: number }, step: number): LocalTick[] {
  const ticks: LocalTick[] = [];
  for (let at = Math.ceil(local.fromMs / DAY_MS) * DAY_MS; at <= local.toMs; at += DAY_MS) {
    const date = new Date(at);
    const day = date.getUTCDate();
    const length = new Date(
      Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0),
    ).getUTCDate();
    if ((day - 1) % step === 0 && length - day + 1 >= step) {
      ticks.push({ localMs: at, unit: "day" });
    }
  }
  return ticks;
}

function listMonths(local: { fromMs: number; toMs: number }, step: number): LocalTick[] {
  const ticks: LocalTick[] = [];
  const first = new Date(local.fromMs);
  let month = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step) * step;
  for (;;) {
    const localMs = Date.UTC(Math.floor(month / 12), month % 12, 1);
    if (localMs > local.toMs) {
      return ticks;
    }
    if (localMs >= local.fromMs) {
      ticks.push({ localMs, unit: month % 12 === 0 ? "year" : "month" });
    }
    month += step;
  }
}

/** A wall time that does not exist, or comes twice, must not put two labels on one place. */
function keepInside(
  ticks: readonly LocalTick[],
  toInstant: (localMs: number) => number,
  range: { fromMs: number; toMs: number },
): TimeTick[] {
  const kept: TimeTick[] = [];
  for (const { localMs, unit } of ticks) {
    const instantMs = toInstant(localMs);
    const last = kept.at(-1)?.instantMs ?? Number.NEGATIVE_INFINITY;
    if (instantMs >= range.fromMs && instantMs <= range.toMs && instantMs > last) {
      kept.push({ instantMs, unit });
    }
  }
  return kept;
}
