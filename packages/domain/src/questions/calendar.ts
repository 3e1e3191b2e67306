import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time/zoned-buckets.ts";

/**
 * Local time as milliseconds since 1970-01-01T00:00 of the same clock: the arithmetic of a calendar without that of time zones.
 * Half-open.
 */
export type LocalRange = { readonly fromMs: number; readonly toMs: number };

export type QuestionUnit =
  | "minute"
  | "hour"
  | "day"
  | "week"
  | "month"
  | "quarter"
  | "half"
  | "year";

const MONTHS = { month: 1, quarter: 3, half: 6, year: 12 } as const;
const DAYS_IN_WEEK = 7;
/** 1970-01-01 was a Thursday, three days after a Monday. */
const EPOCH_SINCE_MONDAY = 3;

/** Days since Monday, 0 to 6. */
export function toWeekday(localMs: number): number {
  const day = Math.floor(localMs / DAY_MS) + EPOCH_SINCE_MONDAY;
  return ((day % DAYS_IN_WEEK) + DAYS_IN_WEEK) % DAYS_IN_WEEK;
}

/** The start of the unit that an instant is in. Weeks start on Monday. */
export function startOf(unit: QuestionUnit, localMs: number): number {
  switch (unit) {
    case "minute":
      return Math.floor(localMs / MINUTE_MS) * MINUTE_MS;
    case "hour":
      return Math.floor(localMs / HOUR_MS) * HOUR_MS;
    case "day":
      return Math.floor(localMs / DAY_MS) * DAY_MS;
    case "week":
      return startOf("day", localMs) - toWeekday(localMs) * DAY_MS;
    default: {
      const date = new Date(localMs);
      const months = MONTHS[unit];
      const month = Math.floor(date.getUTCMonth() / months) * months;
      return Date.UTC(date.getUTCFullYear(), month, 1);
    }
  }
}

/** Moves by whole units. A day that a month lacks becomes its last: 31 March less a month is 28 or 29 February. */
export function move(unit: QuestionUnit, localMs: number, steps: number): number {
  switch (unit) {
    case "minute":
      return localMs + steps * MINUTE_MS;
    case "hour":
      return localMs + steps * HOUR_MS;
    case "day":
      return localMs + steps * DAY_MS;
    case "week":
      return localMs + steps * DAYS_IN_WEEK * DAY_MS;
    default: {
      const date = new Date(localMs);
      const month = date.getUTCMonth() + steps * MONTHS[unit];
      const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
      const day = Math.min(date.getUTCDate(), lastDay);
      return Date.UTC(date.getUTCFullYear(), month, day) + (localMs - startOf("day", localMs));
    }
  }
}

/** The whole unit that an instant is in, moved by whole units. */
export function wholeUnit(unit: QuestionUnit, localMs: number, steps = 0): LocalRange {
  const fromMs = move(unit, startOf(unit, localMs), steps);
  return { fromMs, toMs: move(unit, fromMs, 1) };
}

/** A day of the calendar; `undefined` where there is none, such as 31 June. */
export function toDay(year: number, month: number, day: number): LocalRange | undefined {
  const fromMs = Date.UTC(year, month, day);
  const date = new Date(fromMs);
  return date.getUTCMonth() === month && date.getUTCDate() === day
    ? { fromMs, toMs: fromMs + DAY_MS }
    : undefined;
}
