import type { Span } from "../billing/rating/line.ts";
import { addToBand, type Band, forecastTotals } from "./forecast-totals.ts";
import { positionOf, type UsageDays, usedBetween } from "./usage-days.ts";

/** What was, or would have been, forecast of a period, and what came. */
export type PeriodTest = Span & {
  readonly madeAtMs: number;
  readonly forecast: Band;
  readonly actual: number;
};

const DAY_MS = 24 * 60 * 60_000;
/** Days of a period that are known when it is forecast; half of a period that is shorter than twice as long. */
const KNOWN_DAYS = 5;

/** When a period is forecast for the comparison. */
export function testedAtMs({ fromMs, toMs }: Span): number {
  return fromMs + Math.min(KNOWN_DAYS * DAY_MS, (toMs - fromMs) / 2);
}

/**
 * What would have been forecast of periods that are over, from the days that were known then.
 *
 * @param input.daysNeeded - Complete days before the forecast; a period that has fewer is left out.
 */
export function backTestPeriods(
  days: UsageDays,
  { periods, season, daysNeeded }: { periods: readonly Span[]; season: number; daysNeeded: number },
): PeriodTest[] {
  return periods.flatMap(({ fromMs, toMs }): PeriodTest[] => {
    const known = Math.ceil(positionOf(days, testedAtMs({ fromMs, toMs })) + days.values.length);
    const madeAtMs = days.startsMs[known];
    const first = days.startsMs[0];
    if (madeAtMs === undefined || first === undefined || known < daysNeeded || first > fromMs) {
      return [];
    }
    const past = { ...days, values: days.values.slice(0, known), today: 0 };
    const until = positionOf(past, toMs);
    const forecast = forecastTotals({
      values: past.values,
      horizon: Math.max(1, Math.ceil(until)),
      seasons: [season],
    });
    return forecast.isEnough && until > 0
      ? [
          {
            fromMs,
            toMs,
            madeAtMs,
            forecast: addToBand(usedBetween(past, fromMs, madeAtMs), forecast.total(0, until)),
            actual: usedBetween(days, fromMs, toMs),
          },
        ]
      : [];
  });
}
