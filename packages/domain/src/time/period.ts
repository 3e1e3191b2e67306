export const CALENDAR_UNITS = ["day", "week", "month", "quarter", "year"] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/** How long a period is: one calendar unit, or `every` of them. `every` is a whole number from 1. */
export type PeriodUnit = CalendarUnit | { every: number; unit: CalendarUnit };

/** A half-open range of time `[start, end)`, UTC. */
export type Period = { start: Date; end: Date };

const DAY_MS = 24 * 60 * 60 * 1_000;

/** What one unit is made of. Days and weeks have a fixed length in UTC; the others are months of the calendar. */
const MEASURES = {
  day: { in: "ms", count: DAY_MS },
  week: { in: "ms", count: 7 * DAY_MS },
  month: { in: "months", count: 1 },
  quarter: { in: "months", count: 3 },
  year: { in: "months", count: 12 },
} as const satisfies Record<CalendarUnit, { in: "ms" | "months"; count: number }>;

function measure(unit: PeriodUnit): { in: "ms" | "months"; count: number } {
  if (typeof unit === "string") {
    return MEASURES[unit];
  }
  if (!Number.isSafeInteger(unit.every) || unit.every < 1) {
    throw new RangeError(
      `A period lasts a whole number of units from 1, not ${String(unit.every)}.`,
    );
  }
  const { in: measured, count } = MEASURES[unit.unit];
  return { in: measured, count: count * unit.every };
}

function addMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor);
  // To the first of the month before the month changes: the 31st of a shorter month would land in the one after it.
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(moved);
  lastDay.setUTCMonth(lastDay.getUTCMonth() + 1, 0);
  moved.setUTCDate(Math.min(anchor.getUTCDate(), lastDay.getUTCDate()));
  return moved;
}

function boundary(anchor: Date, unit: PeriodUnit, index: number): Date {
  const { in: measured, count } = measure(unit);
  return measured === "ms"
    ? new Date(anchor.getTime() + index * count)
    : addMonths(anchor, index * count);
}

/**
 * Returns one period of a sequence. Each boundary is counted from the anchor, never from the boundary before, so an anchor
 * on the 31st gives 31 Jan, 28 Feb, 31 Mar and does not drift to the 28th.
 *
 * @param anchor - Start of period 0, UTC.
 * @param index - A whole number; negative before the anchor. Neighbouring periods share a boundary and leave no gap.
 * @throws {RangeError} For an `every` that is not a whole number from 1.
 */
export function period(anchor: Date, unit: PeriodUnit, index: number): Period {
  return { start: boundary(anchor, unit, index), end: boundary(anchor, unit, index + 1) };
}

/**
 * Finds the period that holds an instant: `start <= at < end`.
 *
 * @param anchor - Start of one period, UTC. Periods extend without end before and after it.
 * @throws {RangeError} Like {@link period}.
 */
export function periodAt(anchor: Date, unit: PeriodUnit, at: Date): Period {
  const { in: measured, count } = measure(unit);
  if (measured === "ms") {
    return period(anchor, unit, Math.floor((at.getTime() - anchor.getTime()) / count));
  }
  const months =
    (at.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + at.getUTCMonth() - anchor.getUTCMonth();
  const index = Math.floor(months / count);
  // The anchor's day or time of day may be later than that of the instant: then the period began one earlier.
  return boundary(anchor, unit, index).getTime() > at.getTime()
    ? period(anchor, unit, index - 1)
    : period(anchor, unit, index);
}

/** The first instant of the calendar month of `at`, UTC. */
export function startOfMonth(at: Date): Date {
  return periodAt(new Date(0), "month", at).start;
}

/** The start of the minute of an instant, in epoch milliseconds. */
export function minuteOf(epochMs: number): number {
  return Math.floor(epochMs / 60_000) * 60_000;
}
