import { startOfMonth } from "../time/period.ts";

/**
 * What usage is kept by: minutes are needed for charts of hours and of zones whose days begin at half an hour, hours for all
 * other charts, the ledger for invoices and for proving everything else.
 */
export const USAGE_CLASSES = ["minutes", "hours", "ledger"] as const;
export type UsageClass = (typeof USAGE_CLASSES)[number];

/** Days that each class is kept; undefined: for good. */
export type UsageRetention = Readonly<Record<UsageClass, number | undefined>>;

/** The least of each: events may be 35 days late and journals a week, and an invoice can be questioned for a year. */
export const KEPT_DAYS_MIN: Readonly<Record<UsageClass, number>> = {
  minutes: 40,
  hours: 40,
  ledger: 400,
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far the time that is believed moves in one run, of which there is one an hour: forwards, and back. */
const STEP_MS = 6 * HOUR_MS;
const STEP_BACK_MS = 7 * DAY_MS;
/** Kept beyond what was asked for, so that a clock that is wrong for a day takes nothing away. */
const GRACE_MS = 7 * DAY_MS;

/**
 * The time that retention goes by. It follows the clock forwards by at most six hours a run: a clock that jumps ahead for a day
 * moves it by no more than six days, which is less than what is kept in addition, and the first run by the right clock takes
 * that back. A clock that jumps back makes it wait, a day or so for each hour.
 *
 * @param believedMs - What was believed at the last run, epoch milliseconds.
 * @param nowMs - What the clock says.
 */
export function believeClock(believedMs: number, nowMs: number): number {
  return Math.max(Math.min(nowMs, believedMs + STEP_MS), believedMs - STEP_BACK_MS);
}

/** The start of the month in UTC, epoch milliseconds. */
export function startOfMonthMs(epochMs: number): number {
  return startOfMonth(new Date(epochMs)).getTime();
}

/**
 * From when on usage is to be kept: the start of a month (UTC), before which everything is older than the days that were asked
 * for and a week.
 *
 * @param keptDays - Undefined: for good.
 * @returns Epoch milliseconds; undefined when everything is kept.
 */
export function keptFromMs(believedMs: number, keptDays: number | undefined): number | undefined {
  return keptDays === undefined
    ? undefined
    : startOfMonthMs(believedMs - GRACE_MS - keptDays * DAY_MS);
}
