import { type Forecast, forecastSeries } from "@turnpike/domain/forecast/forecast-series";
import type { TimeSeries } from "@turnpike/ui/charts/chart-types";
import { type TimeBucket, toBuckets } from "@turnpike/ui/charts/time-buckets.view-model";

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK = 7;
const HORIZON = 30;
/** Past days on the chart. */
const DAYS_SHOWN = 30;
/** Two of each weekday, and a week to test on. */
export const FORECAST_DAYS_NEEDED = 21;

export type DayCounts = {
  /** Starts of days, ISO 8601, the last of which is not over. */
  times: readonly string[];
  rows: readonly { time: string | null; values: { requests?: number | undefined } }[];
};

/** What a number of days ahead come to, at 80 %. */
export type Outlook = { days: number; mean: number; low: number; high: number };

export type ForecastView =
  | { isEnough: false; days: number; needed: number }
  | {
      isEnough: true;
      outlooks: Outlook[];
      /** How far last week's forecast of these seven days was off, as a share; undefined without calls. */
      missed: number | undefined;
      buckets: readonly TimeBucket[];
      series: TimeSeries[];
    };

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Requests of each day that is over, from the first with any. */
export function listDays({ times, rows }: DayCounts): { startMs: number; requests: number }[] {
  const counts = new Map(rows.map(({ time, values }) => [time, values.requests ?? 0]));
  const days = times
    .slice(0, -1)
    .map((time) => ({ startMs: Date.parse(time), requests: counts.get(time) ?? 0 }));
  const first = days.findIndex(({ requests }) => requests > 0);
  return first < 0 ? [] : days.slice(first);
}

/** The bounds of a sum are the sums of the bounds: as if all days were off to the same side, which is the careful reading. */
function toOutlook(forecast: Forecast, days: number): Outlook {
  return {
    days,
    mean: sum(forecast.mean.slice(0, days)),
    low: sum(forecast.lower80.slice(0, days)),
    high: sum(forecast.upper80.slice(0, days)),
  };
}

/** What would have been forecast a week ago, against what came. */
function testLastWeek(values: readonly number[]): number | undefined {
  const actual = sum(values.slice(-WEEK));
  const past = forecastSeries({
    values: values.slice(0, -WEEK),
    horizon: WEEK,
    seasons: [WEEK],
  });
  return past.isEnough && actual > 0 ? (sum(past.mean) - actual) / actual : undefined;
}

/** Forecasts the calls of the next 30 days from those of each day so far. */
export function toForecastView(counts: DayCounts): ForecastView {
  const days = listDays(counts);
  const values = days.map(({ requests }) => requests);
  const forecast = forecastSeries({ values, horizon: HORIZON, seasons: [WEEK] });
  if (!forecast.isEnough || days.length < FORECAST_DAYS_NEEDED) {
    return { isEnough: false, days: days.length, needed: FORECAST_DAYS_NEEDED };
  }
  const shown = days.slice(-DAYS_SHOWN);
  const fromMs = shown[0]?.startMs ?? 0;
  const startsMs = Array.from(
    { length: shown.length + HORIZON },
    (_, day) => fromMs + day * DAY_MS,
  );
  const toMs = fromMs + startsMs.length * DAY_MS;
  const ahead = (part: readonly number[]) => [...shown.map(() => null), ...part];
  return {
    isEnough: true,
    outlooks: [WEEK, HORIZON].map((length) => toOutlook(forecast, length)),
    missed: testLastWeek(values),
    buckets: toBuckets(startsMs, { fromMs, toMs }),
    series: [
      {
        key: "requests",
        label: "Requests",
        tone: "accent",
        values: [...shown.map(({ requests }) => requests), ...forecast.mean.map(() => null)],
      },
      { key: "forecast", label: "Forecast", tone: "info", values: ahead(forecast.mean) },
      {
        key: "low",
        label: "80 % low",
        tone: "neutral",
        look: "level",
        values: ahead(forecast.lower80),
      },
      {
        key: "high",
        label: "80 % high",
        tone: "neutral",
        look: "level",
        values: ahead(forecast.upper80),
      },
    ],
  };
}

/** "A week ago this forecast would have been 6 % too high for the seven days since." */
export function describeMissed(missed: number): string {
  const percent = Math.round(Math.abs(missed) * 100);
  const how =
    percent === 0 ? "right to 1 %" : `${String(percent)} % too ${missed > 0 ? "high" : "low"}`;
  return `A week ago this forecast would have been ${how} for the seven days since.`;
}
