import { type OriginPlan, type Origins, rollOrigins } from "./back-test.ts";
import { combine, weigh } from "./combine.ts";
import { fillGaps } from "./fill-gaps.ts";
import { createMargin, type Level, type OriginErrors } from "./intervals.ts";
import { listModels, type SeriesKind } from "./models/bank.ts";
import type { Continuation } from "./models/model.ts";
import { median } from "./statistics.ts";

/** Values below which nothing is forecast. */
export const FORECAST_VALUES_MIN = 8;
const ORIGINS_MAX = 3;
/** A model that weighs less than this is not asked again. */
const WEIGHT_MIN = 0.001;
/** A forecast stays within the range of the values and this share of it beyond. */
const BEYOND_RANGE = 0.5;

export type ForecastInput = {
  /** At equal distances, oldest first; null where there is none. */
  readonly values: readonly (number | null)[];
  /** How many values to forecast. */
  readonly horizon: number;
  /** Lengths of seasons in values, such as 24 and 168 for hours. Those that do not fit three times are left out. */
  readonly seasons: readonly number[];
};

/** One value for each step. `lower95 ≤ lower80 ≤ mean ≤ upper80 ≤ upper95`. */
export type Forecast = {
  readonly mean: number[];
  readonly lower80: number[];
  readonly upper80: number[];
  readonly lower95: number[];
  readonly upper95: number[];
};

export type ForecastResult =
  | ({ readonly isEnough: true } & Forecast)
  /** How many values are known, and how many it takes. */
  | { readonly isEnough: false; readonly values: number; readonly needed: number };

function assertUsable({ values, horizon, seasons }: ForecastInput): void {
  for (const count of [horizon, ...seasons]) {
    if (!Number.isSafeInteger(count) || count < 1) {
      throw new RangeError("The horizon and each season must be whole numbers from 1.");
    }
  }
  if (!values.every((value) => value === null || Number.isFinite(value))) {
    throw new RangeError("Values must be finite numbers, or null where there is none.");
  }
}

function kindOf(values: readonly number[]): SeriesKind {
  if (values.every((value) => value > 0)) {
    return "positive";
  }
  return values.every((value) => value >= 0) && median(values) === 0 ? "sparse" : "any";
}

/** Back-tests as far ahead as the history allows, with the oldest origin still after two seasons and half of the values. */
function planOrigins(
  count: number,
  { horizon, seasons }: { horizon: number; seasons: readonly number[] },
): OriginPlan {
  const room = count - Math.max(2 * (seasons.at(-1) ?? 1), Math.ceil(count / 2));
  const steps = Math.max(1, Math.min(horizon, Math.floor(room / 2)));
  const spacing = steps;
  const possible = Math.floor((room - steps) / spacing) + 1;
  return { steps, spacing, count: Math.max(1, Math.min(ORIGINS_MAX, possible)) };
}

/** Keeps what a model makes of a series near what it has been. */
function createClamp(values: readonly number[]): (value: number) => number {
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  const beyond = (high - low) * BEYOND_RANGE;
  const least = low >= 0 ? Math.max(0, low - beyond) : low - beyond;
  return (value) =>
    Number.isFinite(value) ? Math.min(high + beyond, Math.max(least, value)) : high;
}

/** What the weighted models would have missed at each origin. */
export function listErrors(
  { forecasts, actuals }: Origins,
  weights: readonly number[],
): number[][] {
  return actuals.map((actual, origin) => {
    const ofOrigin = forecasts.map((ofModel) => ofModel[origin] ?? []);
    return combine(ofOrigin, weights).map((value, step) => (actual[step] ?? 0) - value);
  });
}

function forecastMean(
  continuations: readonly Continuation[],
  weights: readonly number[],
  { values, horizon }: { values: readonly number[]; horizon: number },
): number[] {
  const used = continuations.flatMap((proceed, index) => {
    const weight = weights[index] ?? 0;
    return weight < WEIGHT_MIN ? [] : [{ weight, forecast: proceed(values, horizon) }];
  });
  const sum = used.reduce((total, { weight }) => total + weight, 0);
  return combine(
    used.map(({ forecast }) => forecast),
    used.map(({ weight }) => weight / sum),
  );
}

/** Models that were weighted by a series, and what they make of it. */
export type FittedSeries = {
  readonly isEnough: true;
  readonly values: readonly number[];
  readonly mean: readonly number[];
  readonly continuations: readonly Continuation[];
  readonly weights: readonly number[];
  /** What would have been missed at origins inside the history. */
  readonly errors: OriginErrors;
  /** How many values no choice of parameters has looked beyond. */
  readonly fittedTo: number;
  /** No value is below. */
  readonly least: number;
};

type TooShort = Extract<ForecastResult, { isEnough: false }>;

/**
 * Weights several models by how well each would have forecast the last of the known values. Deterministic.
 *
 * @throws {RangeError} As {@link forecastSeries}.
 */
export function fitSeries(input: ForecastInput): FittedSeries | TooShort {
  assertUsable(input);
  const { horizon } = input;
  const known = input.values.filter((value) => value !== null).length;
  if (known < FORECAST_VALUES_MIN) {
    return { isEnough: false, values: known, needed: FORECAST_VALUES_MIN };
  }
  const seasons = [...new Set(input.seasons)]
    .filter((season) => season > 1 && 3 * season <= input.values.length)
    .toSorted((a, b) => a - b);
  const values = fillGaps(input.values, seasons[0] ?? 1);
  const plan = planOrigins(values.length, { horizon, seasons });
  const fittedTo = values.length - plan.steps - (plan.count - 1) * plan.spacing;
  const beforeOrigins = values.slice(0, fittedTo);
  const clamp = createClamp(values);
  const continuations = listModels({ seasons, kind: kindOf(values) })
    .filter(({ valuesMin }) => valuesMin <= beforeOrigins.length)
    .map(({ prepare }): Continuation => {
      const proceed = prepare(beforeOrigins);
      return (...known) => proceed(...known).map(clamp);
    });
  const origins = rollOrigins(continuations, values, plan);
  const weights = weigh(origins);
  return {
    isEnough: true,
    values,
    mean: forecastMean(continuations, weights, { values, horizon }).map(clamp),
    continuations,
    weights,
    errors: listErrors(origins, weights),
    fittedTo,
    least: values.every((value) => value >= 0) ? 0 : Number.NEGATIVE_INFINITY,
  };
}

/**
 * Forecasts a series: several models, weighted by how well each would have forecast the last of the known values, with intervals from
 * the errors of the whole at those origins. Deterministic; needs to know nothing of where the series comes from.
 *
 * @throws {RangeError} When a value is not finite, or the horizon or a season is not a whole number from 1.
 */
export function forecastSeries(input: ForecastInput): ForecastResult {
  const fitted = fitSeries(input);
  return fitted.isEnough ? { isEnough: true, ...toIntervals(fitted) } : fitted;
}

/** The forecast of each step with its intervals. */
export function toIntervals({ mean, errors, least }: FittedSeries): Forecast {
  const margin = createMargin(errors);
  const lower = (level: Level) =>
    mean.map((value, step) => Math.max(least, value - margin(step, level)));
  const upper = (level: Level) => mean.map((value, step) => value + margin(step, level));
  return {
    mean: [...mean],
    lower80: lower(80),
    upper80: upper(80),
    lower95: lower(95),
    upper95: upper(95),
  };
}
