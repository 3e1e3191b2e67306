/** A half-open range of time `[start, end)`, UTC. */
export type Period = { start: Date; end: Date };

function monthStep(anchor: Date, months: number): Date {
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(
    Date.UTC(
      year,
      month,
      Math.min(anchor.getUTCDate(), lastDay),
      anchor.getUTCHours(),
      anchor.getUTCMinutes(),
      anchor.getUTCSeconds(),
      anchor.getUTCMilliseconds(),
    ),
  );
}

/**
 * Finds the monthly period that holds an instant. Periods are counted from the anchor, never from the period before, so
 * an anchor on the 31st gives 31 Jan, 28 Feb, 31 Mar and does not drift to the 28th for good.
 *
 * @param anchor - Start of one period, UTC. Periods extend without end before and after it.
 * @returns The period with `start <= at < end`. Neighbouring periods share a boundary and leave no gap.
 */
export function billingPeriodAt(anchor: Date, at: Date): Period {
  let months =
    (at.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + at.getUTCMonth() - anchor.getUTCMonth();
  while (monthStep(anchor, months).getTime() > at.getTime()) {
    months -= 1;
  }
  while (monthStep(anchor, months + 1).getTime() <= at.getTime()) {
    months += 1;
  }
  return {
    start: monthStep(anchor, months),
    end: monthStep(anchor, months + 1),
  };
}

/** The first instant of the calendar month of `at`, UTC: the anchor of a plan without one of its own. */
export function startOfMonth(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
}

/** The start of the minute of an instant, in epoch milliseconds. */
export function minuteOf(epochMs: number): number {
  return Math.floor(epochMs / 60_000) * 60_000;
}
