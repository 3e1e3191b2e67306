import { CALENDAR_UNITS, type PeriodUnit } from "@turnpike/domain/time/period";
import { countTime, toEveryTime } from "../time-words.ts";

/** An interval as plans have it: exactly one member, such as `{ month: 1 }`. */
export type IntervalTerms = {
  readonly [Unit in (typeof CALENDAR_UNITS)[number]]?: number | undefined;
};
export type DurationTerms = {
  readonly [Unit in "days" | "weeks" | "months" | "years"]?: number | undefined;
};

export type Interval = Exclude<PeriodUnit, string>;

const DURATIONS = [
  { member: "days", unit: "day" },
  { member: "weeks", unit: "week" },
  { member: "months", unit: "month" },
  { member: "years", unit: "year" },
] as const;

const MONTH: Interval = { every: 1, unit: "month" };

/** Reads an interval; left out, a month. */
export function toInterval(terms: IntervalTerms | undefined): Interval {
  const unit = CALENDAR_UNITS.find((name) => terms?.[name] !== undefined);
  return unit === undefined ? MONTH : { every: terms?.[unit] ?? 1, unit };
}

/** True when both have one length: 12 months are a year, a quarter is 3 months. */
export function isSameInterval(a: Interval, b: Interval): boolean {
  return toLength(a) === toLength(b);
}

const LENGTHS = {
  day: { in: "days", count: 1 },
  week: { in: "days", count: 7 },
  month: { in: "months", count: 1 },
  quarter: { in: "months", count: 3 },
  year: { in: "months", count: 12 },
} as const;

function toLength({ every, unit }: Interval): string {
  const { in: measure, count } = LENGTHS[unit];
  return `${String(every * count)} ${measure}`;
}

/** "a month", "a year", "every 3 months". */
export function toPerInterval({ every, unit }: Interval): string {
  return toEveryTime(every, unit);
}

/** "14 days", "1 month". */
export function toDurationText(duration: DurationTerms): string {
  const found = DURATIONS.find(({ member }) => duration[member] !== undefined) ?? DURATIONS[0];
  return countTime(duration[found.member] ?? 1, found.unit);
}
