import { said } from "../../text/said.ts";
import { DAY_MS } from "../../time/zoned-buckets.ts";
import {
  type LocalRange,
  move,
  type QuestionUnit,
  startOf,
  toWeekday,
  wholeUnit,
} from "../calendar.ts";
import { WEEKDAY_NAMES } from "./range-words.ts";

/** What ranges are relative to. */
export type QuestionClock = {
  readonly nowMs: number;
  readonly billingPeriod: LocalRange;
  /** Months and weekdays without a year are the next ones when the question is about the future. */
  readonly isFuture: boolean;
  /** Several whole units rather than the time until now: a series of months starts with a whole one. */
  readonly isSeries: boolean;
};

export type FoundRange = LocalRange & {
  readonly assumed?: string;
  /** For “this month” and the like, which end now: the whole unit. */
  readonly unit?: QuestionUnit;
};

export const endOfToday = ({ nowMs }: QuestionClock) => startOf("day", nowMs) + DAY_MS;

/** The last year, up to this one, in which a range had begun; the next in which it has not ended, in the future. */
export function inNearestYear(
  clock: QuestionClock,
  year: string | undefined,
  make: (year: number) => LocalRange | undefined,
): FoundRange | undefined {
  const current = new Date(clock.nowMs).getUTCFullYear();
  if (year !== undefined && year !== "") {
    const relative = /last|previous/.test(year) ? current - 1 : current;
    return make(/^\d/.test(year) ? Number(year) : relative);
  }
  if (clock.isFuture) {
    return [current, current + 1].map(make).find((range) => (range?.toMs ?? 0) > clock.nowMs);
  }
  return [current, current - 1]
    .map(make)
    .find((range) => range !== undefined && range.fromMs <= clock.nowMs);
}

export function ofMonths(year: number, month: number, months: number): LocalRange {
  return { fromMs: Date.UTC(year, month, 1), toMs: Date.UTC(year, month + months, 1) };
}

export function toWeekdayRange(clock: QuestionClock, name: string): LocalRange {
  const wanted = WEEKDAY_NAMES.indexOf(name.slice(0, 3));
  const today = startOf("day", clock.nowMs);
  const back = (toWeekday(today) - wanted + 7) % 7 || 7;
  return wholeUnit("day", move("day", today, clock.isFuture ? 7 - (back % 7) : -back));
}

/** Where units that go on end, for those of which a part may be meant. */
const UNTIL_NOW = {
  week: said("this week: Monday until now"),
  month: said("this month: its start until now"),
  quarter: said("this quarter: its start until now"),
  half: said("this half: its start until now"),
} as const;

function countWhole(count: number, unit: "week" | "month" | "quarter" | "half" | "year"): string {
  switch (unit) {
    case "week":
      return said(`${count} whole weeks`);
    case "month":
      return said(`${count} whole months`);
    case "quarter":
      return said(`${count} whole quarters`);
    case "half":
      return said(`${count} whole halfs`);
    case "year":
      return said(`${count} whole years`);
  }
}

export function thisUnit(clock: QuestionClock, unit: QuestionUnit): FoundRange {
  const whole = wholeUnit(unit, clock.nowMs);
  if (clock.isFuture || unit === "day" || unit === "hour" || unit === "minute") {
    return whole;
  }
  if (unit === "year") {
    return { ...whole, assumed: said("this year: until its end") };
  }
  return { ...whole, toMs: endOfToday(clock), assumed: UNTIL_NOW[unit], unit };
}

/** The last `count` units until now, or until midnight when a unit is a day or longer. */
export function trailing(clock: QuestionClock, count: number, unit: QuestionUnit): FoundRange {
  if (unit === "minute" || unit === "hour") {
    return { fromMs: move(unit, clock.nowMs, -count), toMs: clock.nowMs };
  }
  if (clock.isSeries && unit !== "day") {
    const toMs = startOf(unit, clock.nowMs);
    return { fromMs: move(unit, toMs, -count), toMs, assumed: countWhole(count, unit) };
  }
  const toMs = startOf("day", clock.nowMs);
  const fromMs = move(unit, toMs, -count);
  const days = Math.round((toMs - fromMs) / DAY_MS);
  return { fromMs, toMs, assumed: said(`${days} whole days until midnight`) };
}

export function allTime(clock: QuestionClock): FoundRange {
  return { fromMs: 0, toMs: endOfToday(clock), assumed: said("all time") };
}

/** The running unit: what “compared to last week” compares when no range is named. */
export const runningRange = (clock: QuestionClock, unit: QuestionUnit): FoundRange =>
  thisUnit(clock, unit);

/** Whole days before today in the range of a question that names none. */
const DEFAULT_DAYS = 30;

/**
 * The range that a question has when it names none: the last 30 days and today, so that the first day of a tenant is not empty. A
 * comparison with the period before keeps to whole days: the day that runs would be compared with a whole one.
 */
export function defaultRange(
  clock: QuestionClock,
  { isCompared }: { isCompared: boolean },
): FoundRange {
  if (clock.isFuture) {
    return { ...wholeUnit("month", clock.nowMs), assumed: said("this month") };
  }
  const days = trailing(clock, DEFAULT_DAYS, "day");
  return isCompared
    ? { ...days, assumed: said("last 30 days") }
    : { ...days, toMs: endOfToday(clock), assumed: said("last 30 days and today") };
}
