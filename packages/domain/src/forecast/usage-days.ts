import { sum } from "./statistics.ts";

/** Usage of a meter by days of a clock. */
export type UsageDays = {
  /** Starts of the days in `values`, then of the day that is not over and of those to come, ascending. Epoch milliseconds. */
  readonly startsMs: readonly number[];
  /** Complete days, oldest first, from the first with usage on. */
  readonly values: readonly number[];
  /** Used so far in the day that is not over. */
  readonly today: number;
};

export const USAGE_NOTES = ["sparse", "growing", "falling"] as const;
export type UsageNote = (typeof USAGE_NOTES)[number];

/** Four of each weekday. */
const MONTH = 28;
const CHANGE = 2;

/** Days with usage `values`, the first days without any left out. */
export function toUsageDays(
  startsMs: readonly number[],
  values: readonly number[],
  today: number,
): UsageDays {
  const first = values.findIndex((value) => value > 0);
  const skipped = first < 0 ? values.length : first;
  return { startsMs: startsMs.slice(skipped), values: values.slice(skipped), today };
}

/** How many days after the last complete one an instant is: 0.5 is the middle of the day that is not over. Below 0 for the past. */
export function positionOf({ startsMs, values }: UsageDays, atMs: number): number {
  const next = startsMs.findIndex((startMs) => startMs > atMs);
  const at = Math.max(0, (next < 0 ? startsMs.length : next) - 1);
  const fromMs = startsMs[at] ?? atMs;
  const toMs = startsMs[at + 1] ?? fromMs + 1;
  return at - values.length + Math.min(1, (atMs - fromMs) / (toMs - fromMs));
}

/** What complete days have of a range of time, days that are cut by their share. */
export function usedBetween(days: UsageDays, fromMs: number, toMs: number): number {
  const { values } = days;
  const from = Math.max(0, positionOf(days, fromMs) + values.length);
  const to = Math.min(values.length, positionOf(days, toMs) + values.length);
  let used = 0;
  for (let day = Math.floor(from); day < to; day += 1) {
    used += (values[day] ?? 0) * (Math.min(to, day + 1) - Math.max(from, day));
  }
  return used;
}

/** What a reader should know of the days that a forecast is made from. */
export function describeDays(values: readonly number[]): UsageNote[] {
  const recent = values.slice(-MONTH);
  const idle = recent.filter((value) => value === 0).length;
  const notes: UsageNote[] = idle * 2 > recent.length ? ["sparse"] : [];
  if (values.length < 2 * MONTH) {
    return notes;
  }
  const now = sum(recent);
  const before = sum(values.slice(-2 * MONTH, -MONTH));
  if (before > 0 && now >= CHANGE * before) {
    return [...notes, "growing"];
  }
  return before > 0 && now * CHANGE <= before ? [...notes, "falling"] : notes;
}
