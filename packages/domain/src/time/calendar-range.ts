import { type CalendarUnit, period } from "./period.ts";

const FORM = /^(\d{4})(?:-Q([1-4])|-(0[1-9]|1[0-2]))?$/;

/** A half-open range of whole months, UTC. */
export type CalendarRange = { readonly from: Date; readonly to: Date };

function startOf(year: number, month: number): Date {
  // `Date.UTC` reads years below 100 as of the last century.
  const start = new Date(0);
  start.setUTCFullYear(year, month, 1);
  return start;
}

/**
 * Reads a year, quarter or month of the calendar: `2026`, `2026-Q4`, `2026-11`.
 *
 * @returns `undefined` for any other text.
 */
export function parseCalendarRange(text: string): CalendarRange | undefined {
  const [match, year = "", quarter, month] = FORM.exec(text) ?? [];
  if (match === undefined) {
    return;
  }
  const first = month === undefined ? (Number(quarter ?? 1) - 1) * 3 : Number(month) - 1;
  const unit: CalendarUnit =
    month !== undefined ? "month" : quarter !== undefined ? "quarter" : "year";
  const { start, end } = period(startOf(Number(year), first), unit, 0);
  return { from: start, to: end };
}

/** Writes the month of an instant: `2026-11`. */
export function toMonth(instant: Date): string {
  return instant.toISOString().slice(0, -"-01T00:00:00.000Z".length);
}

/** The months that begin before an instant, the last of them last: at most `count`. */
export function listMonthsUntil(before: Date, count: number): string[] {
  const last = new Date(before.getTime() - 1);
  const start = startOf(last.getUTCFullYear(), last.getUTCMonth());
  return Array.from({ length: count }, (_, index) =>
    toMonth(period(start, "month", index - count + 1).start),
  );
}
