/** The sizes of buckets, finest first. Weeks start on Monday. */
export const GRAINS = ["minute", "hour", "day", "week", "month"] as const;
export type Grain = (typeof GRAINS)[number];

const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** A range of time in which a zone keeps the same offset from UTC. Epoch milliseconds, half-open. */
type OffsetSpan = { startMs: number; endMs: number; offsetMs: number };
/** The offset of a zone from UTC at an instant, in milliseconds. */
type OffsetAt = (epochMs: number) => number;

/** Names of the IANA database start with a letter, so `+01:00` is not one. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** True for a name of the IANA time zone database, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) {
    return false;
  }
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/**
 * Makes the function that tells how far a zone is ahead of UTC at an instant.
 *
 * @throws {RangeError} when `timeZone` is not known.
 */
export function createOffsetAt(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  return (epochMs) => {
    const [, sign, hours = "0", minutes = "0", seconds = "0"] =
      OFFSET.exec(format.format(epochMs)) ?? [];
    const aheadMs =
      Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
    return sign === "-" ? -aheadMs : aheadMs;
  };
}

/** The first second after `lowMs` with a different offset; the offset at `highMs` is known to differ. */
function findChange(offsetAt: OffsetAt, lowMs: number, highMs: number): number {
  const before = offsetAt(lowMs);
  let low = lowMs;
  let high = highMs;
  while (high - low > SECOND_MS) {
    const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(middle) === before) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

/** Splits `[startMs, endMs)` where the offset of a zone changes. No zone ever changed it twice within a day. */
function listOffsetSpans(offsetAt: OffsetAt, startMs: number, endMs: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let span: OffsetSpan = { startMs, endMs, offsetMs: offsetAt(startMs) };
  for (let dayMs = startMs; dayMs < endMs; dayMs += DAY_MS) {
    const nextMs = Math.min(dayMs + DAY_MS, endMs);
    const offsetMs = offsetAt(nextMs);
    if (offsetMs !== span.offsetMs) {
      const changeMs = findChange(offsetAt, dayMs, nextMs);
      spans.push({ ...span, endMs: changeMs });
      span = { startMs: changeMs, endMs, offsetMs };
    }
  }
  return [...spans, span];
}

/**
 * The first instant at which local time is `localMs` or later: the end of a gap, and the first of a time that occurs twice.
 */
function instantOfLocal(spans: readonly OffsetSpan[], localMs: number): number {
  for (const { startMs, endMs, offsetMs } of spans) {
    const instantMs = Math.max(startMs, localMs - offsetMs);
    if (instantMs < endMs) {
      return instantMs;
    }
  }
  return Number.POSITIVE_INFINITY;
}

type CalendarGrain = Extract<Grain, "day" | "week" | "month">;

/** The start of a local day, week or month, moved by `steps`. */
function moveLocal(grain: CalendarGrain, localMs: number, steps: number): number {
  const day = Math.floor(localMs / DAY_MS);
  switch (grain) {
    case "day":
      return (day + steps) * DAY_MS;
    case "week": {
      // Day 0 was a Thursday.
      const sinceMonday = (((day + 3) % 7) + 7) % 7;
      return (day - sinceMonday + steps * 7) * DAY_MS;
    }
    case "month": {
      const date = new Date(localMs);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + steps, 1);
    }
  }
}

/** The longest time from the start of a bucket to an instant within it, with a day to spare for the zone. */
const REACH_MS: Readonly<Record<Grain, number>> = {
  minute: 0,
  hour: 2 * HOUR_MS,
  day: 3 * DAY_MS,
  week: 9 * DAY_MS,
  month: 33 * DAY_MS,
};

function* listStarts(
  grain: Exclude<Grain, "minute">,
  spans: readonly OffsetSpan[],
  toMs: number,
): Generator<number> {
  if (grain === "hour") {
    for (const { startMs, endMs, offsetMs } of spans) {
      const firstMs = Math.ceil((startMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
      for (let startsMs = firstMs; startsMs < endMs; startsMs += HOUR_MS) {
        yield startsMs;
      }
    }
    return;
  }
  const [first] = spans;
  let localMs = moveLocal(grain, first === undefined ? 0 : first.startMs + first.offsetMs, 1);
  for (;;) {
    const startsMs = instantOfLocal(spans, localMs);
    if (startsMs >= toMs) {
      return;
    }
    yield startsMs;
    localMs = moveLocal(grain, localMs, 1);
  }
}

/**
 * Starts of the buckets that `[fromMs, toMs)` touches, ascending. The first is at or before `fromMs`, and each bucket ends where
 * the next one starts. An hour starts at every full hour of local time, so a change by half an hour makes one bucket of 90
 * minutes. A day starts at midnight, or at the first instant of a day without midnight.
 *
 * Example: days in `Europe/Berlin` from 2026-03-28T23:00Z to 2026-03-30T22:00Z start at 28 March 23:00Z and 29 March 22:00Z
 * (a day of 23 hours, and one of 24).
 *
 * @param range - Epoch milliseconds, `fromMs < toMs`.
 * @throws {RangeError} when the time zone is not known.
 */
export function listBucketStarts(
  grain: Grain,
  timeZone: string,
  range: { fromMs: number; toMs: number },
): number[] {
  const { fromMs, toMs } = range;
  const starts: number[] = [];
  if (grain === "minute") {
    for (let ms = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS; ms < toMs; ms += MINUTE_MS) {
      starts.push(ms);
    }
    return starts;
  }
  const paddedMs = Math.floor((fromMs - REACH_MS[grain]) / MINUTE_MS) * MINUTE_MS;
  const spans = listOffsetSpans(createOffsetAt(timeZone), paddedMs, toMs + 2 * DAY_MS);
  for (const startsMs of listStarts(grain, spans, toMs)) {
    if (startsMs >= toMs) {
      break;
    }
    // A day that a zone skipped, such as 30 December 2011 in Samoa, starts and ends at the same instant.
    if (startsMs !== starts.at(-1)) {
      if (startsMs <= fromMs) {
        starts.length = 0;
      }
      starts.push(startsMs);
    }
  }
  return starts;
}

/** The local time at an instant; midnight at the first instant of a day, even if the zone skips midnight. */
function localOf(offsetAt: OffsetAt, epochMs: number): number {
  const localMs = epochMs + offsetAt(epochMs);
  const midnightMs = moveLocal("day", localMs, 0);
  return firstInstantOf(offsetAt, midnightMs) === epochMs ? midnightMs : localMs;
}

/** The first instant at which local time is the given one or later. */
function firstInstantOf(offsetAt: OffsetAt, localMs: number): number {
  const spans = listOffsetSpans(offsetAt, localMs - 2 * DAY_MS, localMs + 2 * DAY_MS);
  return instantOfLocal(spans, localMs);
}

/** The number of calendar steps between two local times; `undefined` when one of them is not the start of a step. */
function countSteps(grain: CalendarGrain, fromLocalMs: number, toLocalMs: number) {
  const isOnGrid = [fromLocalMs, toLocalMs].every((ms) => moveLocal(grain, ms, 0) === ms);
  if (!isOnGrid) {
    return;
  }
  if (grain !== "month") {
    return Math.round((toLocalMs - fromLocalMs) / DAY_MS);
  }
  const [from, to] = [new Date(fromLocalMs), new Date(toLocalMs)];
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
}

/**
 * The range of equal length that ends where `[fromMs, toMs)` starts. Whole local days are compared with as many whole days,
 * also with fewer or more hours; at month grain, whole months with as many months; any other range with as many milliseconds.
 *
 * @param grain - The grain of the comparison; null without a time axis.
 * @throws {RangeError} when the time zone is not known.
 */
export function precedingRange(
  grain: Grain | null,
  timeZone: string,
  range: { fromMs: number; toMs: number },
): { fromMs: number; toMs: number } {
  const { fromMs, toMs } = range;
  const offsetAt = createOffsetAt(timeZone);
  const [fromLocalMs, toLocalMs] = [localOf(offsetAt, fromMs), localOf(offsetAt, toMs)];
  for (const step of grain === "month" ? (["month", "day"] as const) : (["day"] as const)) {
    const steps = countSteps(step, fromLocalMs, toLocalMs);
    if (steps !== undefined && steps > 0) {
      const localMs = moveLocal(step, fromLocalMs, -steps);
      return { fromMs: firstInstantOf(offsetAt, localMs), toMs: fromMs };
    }
  }
  return { fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
}

/**
 * The first instant at which the clocks of a zone show a local time or a later one.
 *
 * @param localMs - Milliseconds since 1970-01-01T00:00 of the same clock.
 * @throws {RangeError} when the time zone is not known.
 */
export function toZonedInstant(timeZone: string, localMs: number): number {
  return firstInstantOf(createOffsetAt(timeZone), localMs);
}
