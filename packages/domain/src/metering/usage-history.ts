import { startOfMonth } from "../time/period.ts";

/**
 * Usage is kept by class. Minutes serve charts of hours and of time zones with an offset of half an hour, hours serve all other
 * charts, and the ledger serves invoices and proves everything else.
 */
export const USAGE_CLASSES = ["minutes", "hours", "ledger"] as const;
export type UsageClass = (typeof USAGE_CLASSES)[number];

/** Days that each class is kept; undefined: for ever. */
export type UsageRetention = Readonly<Record<UsageClass, number | undefined>>;

/** The minimum for each class. Events may be 35 days late and journals a week, and an invoice can be questioned for a year. */
export const KEPT_DAYS_MIN: Readonly<Record<UsageClass, number>> = {
  minutes: 40,
  hours: 40,
  ledger: 400,
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far the believed time moves in one hourly run: forwards, and back. */
const STEP_MS = 6 * HOUR_MS;
const STEP_BACK_MS = 7 * DAY_MS;
/** Kept beyond the configured days, so that a clock that is wrong for a day drops nothing. */
const GRACE_MS = 7 * DAY_MS;

/**
 * Computes the time that retention uses. It follows the clock forwards by at most six hours a run. So a clock that is far ahead
 * for a day moves it by at most six days, less than what is kept in addition, and the first run with the right clock takes that
 * back. When the clock goes back, it follows by at most seven days a run.
 *
 * @param believedMs - The time used by the last run, epoch milliseconds.
 * @param nowMs - The clock, epoch milliseconds.
 */
export function believeClock(believedMs: number, nowMs: number): number {
  return Math.max(Math.min(nowMs, believedMs + STEP_MS), believedMs - STEP_BACK_MS);
}

/** Computes the start of the month in UTC, epoch milliseconds. */
export function startOfMonthMs(epochMs: number): number {
  return startOfMonth(new Date(epochMs)).getTime();
}

/**
 * Computes from when on usage is kept: the start of a month (UTC) before which everything is older than the configured days and a
 * week.
 *
 * @param keptDays - Undefined: for ever.
 * @returns Epoch milliseconds; undefined when everything is kept.
 */
export function keptFromMs(believedMs: number, keptDays: number | undefined): number | undefined {
  return keptDays === undefined
    ? undefined
    : startOfMonthMs(believedMs - GRACE_MS - keptDays * DAY_MS);
}
