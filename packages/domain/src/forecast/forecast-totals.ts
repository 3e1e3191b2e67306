import { rollOrigins } from "./back-test.ts";
import { combine } from "./combine.ts";
import {
  type FittedSeries,
  type Forecast,
  type ForecastInput,
  fitSeries,
  listErrors,
  toIntervals,
} from "./forecast-series.ts";
import { createMargin, growthOf, type Level } from "./intervals.ts";
import type { Continuation } from "./models/model.ts";
import { median } from "./statistics.ts";
import { steadyLevel } from "./steady-level.ts";

/** A sum that is to come. `lower95 ≤ lower80 ≤ mean ≤ upper80 ≤ upper95`. */
export type Band = {
  readonly mean: number;
  readonly lower80: number;
  readonly upper80: number;
  readonly lower95: number;
  readonly upper95: number;
};

export const BAND_PARTS = ["lower95", "lower80", "mean", "upper80", "upper95"] as const;
export type BandPart = (typeof BAND_PARTS)[number];

export type TotalsForecast = {
  readonly isEnough: true;
  readonly steps: Forecast;
  /**
   * The sum of the steps from one position to another; 1.5 is the middle of the second step. Nothing is known before position 0 and
   * beyond the horizon.
   */
  total(from: number, to: number): Band;
};

export type TotalsResult =
  | TotalsForecast
  | { readonly isEnough: false; readonly values: number; readonly needed: number };

const ORIGINS_MAX = 8;
const TESTED_STEPS_MAX = 35;
/** A model that weighs less than this is not asked. */
const WEIGHT_MIN = 0.001;
/**
 * Errors of sums add up beyond what was tried: a level that is wrong stays wrong, and a trend adds to it. Chosen so that on four real
 * series intervals of 80 % hold three of four months and quarters; they hold fewer where a year has seasons of its own.
 */
const OF_SUMS = { power: 1.6 };
/** A sum that begins later is off by this power of how much more single steps are off there. */
const LATER_POWER = 2;

function cumulate(values: readonly number[]): number[] {
  const sums: number[] = [];
  for (const value of values) {
    sums.push((sums.at(-1) ?? 0) + value);
  }
  return sums;
}

/**
 * The weighted models, kept between two steady levels: at each step the one in the middle. Models that were best on what was known are
 * far off after a break, such as a lockdown; steady levels are not. Chosen on every second month of four real series, and better on the
 * others too.
 */
function createGuarded(
  { continuations, weights }: FittedSeries,
  seasons: readonly number[],
): Continuation {
  const season = Math.max(...seasons, 1);
  const steady = [steadyLevel(season, season), steadyLevel(2 * season, season)];
  return (values, horizon) => {
    const modelled = combine(
      continuations.map((proceed, index) =>
        (weights[index] ?? 0) < WEIGHT_MIN ? [] : proceed(values, horizon),
      ),
      weights,
      horizon,
    );
    const levels = steady.map((proceed) => proceed(values, horizon));
    return modelled.map((value, step) =>
      median([value, ...levels.map((level) => level[step] ?? value)]),
    );
  };
}

/** Errors of single steps at more origins than weights were chosen from: sums need many, because one origin makes one sum. */
function testMore({ values, fittedTo, errors }: FittedSeries, proceed: Continuation): number[][] {
  const steps = Math.max(1, Math.min(TESTED_STEPS_MAX, errors[0]?.length ?? 1));
  const room = values.length - steps - fittedTo;
  const count = Math.max(1, Math.min(ORIGINS_MAX, room + 1));
  const spacing = count === 1 ? 1 : Math.floor(room / (count - 1));
  const { forecasts, actuals } = rollOrigins([proceed], values, { steps, spacing, count });
  return listErrors({ forecasts, actuals }, [1]);
}

/** Something between two entries of a list of sums, where `sums[i]` is the sum of the first `i + 1` steps. */
function sumUntil(sums: readonly number[], position: number): number {
  const whole = Math.floor(position);
  const before = sums[whole - 1] ?? 0;
  const after = sums[whole] ?? before;
  return before + (after - before) * (position - whole);
}

/**
 * Forecasts sums over steps, such as a month of days. Their intervals are by split conformal prediction as those of steps, from how far
 * sums were off at origins inside the history: the sum of the bounds of steps would be far too wide, as if all steps were off to the
 * same side. A sum that begins later is off by as much more as single steps are there.
 *
 * @throws {RangeError} As `forecastSeries`.
 */
export function forecastTotals(input: ForecastInput): TotalsResult {
  const fitted = fitSeries(input);
  if (!fitted.isEnough) {
    return fitted;
  }
  const proceed = createGuarded(fitted, input.seasons);
  const errors = testMore(fitted, proceed);
  const mean = proceed(fitted.values, input.horizon);
  const marginOfSum = createMargin(errors.map(cumulate), OF_SUMS);
  const growth = growthOf(errors);
  const sums = cumulate(mean);
  const usual = growth(0);

  /** What the interval of a sum adds to either side. */
  function marginOf(from: number, to: number, level: Level): number {
    const length = to - from;
    const whole = Math.floor(length);
    const before = whole === 0 ? 0 : marginOfSum(whole - 1, level);
    const margin = before + (marginOfSum(whole, level) - before) * (length - whole);
    const later = growth(Math.max(0, Math.ceil(to) - 1));
    const sooner = growth(Math.max(0, Math.ceil(length) - 1));
    return sooner === 0 || usual === 0
      ? margin
      : margin * Math.max(1, later / sooner) ** LATER_POWER;
  }

  return {
    isEnough: true,
    steps: toIntervals({ ...fitted, mean, errors }),
    total(fromStep, toStep) {
      const [from, to] = [fromStep, toStep].map((at) => Math.min(sums.length, Math.max(0, at)));
      if (from === undefined || to === undefined || from >= to) {
        return { mean: 0, lower80: 0, upper80: 0, lower95: 0, upper95: 0 };
      }
      const middle = sumUntil(sums, to) - sumUntil(sums, from);
      const near = marginOf(from, to, 80);
      const far = Math.max(near, marginOf(from, to, 95));
      const { least } = fitted;
      const lower = (margin: number) =>
        least === 0 ? Math.max(0, middle - margin) : middle - margin;
      return {
        mean: middle,
        lower80: lower(near),
        upper80: middle + near,
        lower95: lower(far),
        upper95: middle + far,
      };
    },
  };
}

/** Adds what is known already. */
export function addToBand(known: number, { mean, lower80, upper80, lower95, upper95 }: Band): Band {
  return {
    mean: known + mean,
    lower80: known + lower80,
    upper80: known + upper80,
    lower95: known + lower95,
    upper95: known + upper95,
  };
}
