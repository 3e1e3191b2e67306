import { type CalendarRange, parseCalendarRange } from "@turnpike/domain/time/calendar-range";

/** @throws {RangeError} For a text that is no year, quarter or month: the contract refuses it before. */
export function rangeOfPeriod(period: string): CalendarRange {
  const range = parseCalendarRange(period);
  if (range === undefined) {
    throw new RangeError(`${period} is no period.`);
  }
  return range;
}

/** A month of the calendar up to now: what is recorded ahead of the clock is not in it. */
export function monthOf(month: string, now: Date): CalendarRange {
  const { from, to } = rangeOfPeriod(month);
  return { from, to: new Date(Math.min(to.getTime(), now.getTime() + 1)) };
}
