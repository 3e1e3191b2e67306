import { rollOrigins } from "./back-test.ts";
import {
  type FittedSeries,
  type Forecast,
  type ForecastInput,
  fitSeries,
  listErrors,
  toIntervals,
} from "./forecast-series.ts";
import { createMargin, growthOf, type Level } from "./intervals.ts";

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
/** Errors of sums add up beyond what was tried: a level that is wrong stays wrong. */
const OF_SUMS = { power: 1 };

function cumulate(values: readonly number[]): number[] {
  const sums: number[] = [];
  for (const value of values) {
    sums.push((sums.at(-1) ?? 0) + value);
  }
  return sums;
}

/** Errors of single steps at more origins than weights were chosen from: sums need many, because one origin makes one sum. */
function testMore({ continuations, weights, values, fittedTo, errors }: FittedSeries): number[][] {
  const steps = Math.max(1, Math.min(TESTED_STEPS_MAX, errors[0]?.length ?? 1));
  const room = values.length - steps - fittedTo;
  const count = Math.max(1, Math.min(ORIGINS_MAX, room + 1));
  const spacing = count === 1 ? 1 : Math.floor(room / (count - 1));
  return listErrors(rollOrigins(continuations, values, { steps, spacing, count }), weights);
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
  const errors = testMore(fitted);
  const marginOfSum = createMargin(errors.map(cumulate), OF_SUMS);
  const growth = growthOf(errors);
  const sums = cumulate(fitted.mean);
  const usual = growth(0);

  /** What the interval of a sum adds to either side. */
  function marginOf(from: number, to: number, level: Level): number {
    const length = to - from;
    const whole = Math.floor(length);
    const before = whole === 0 ? 0 : marginOfSum(whole - 1, level);
    const margin = before + (marginOfSum(whole, level) - before) * (length - whole);
    const later = growth(Math.max(0, Math.ceil(to) - 1));
    const sooner = growth(Math.max(0, Math.ceil(length) - 1));
    return sooner === 0 || usual === 0 ? margin : margin * Math.max(1, later / sooner);
  }

  return {
    isEnough: true,
    steps: toIntervals(fitted),
    total(fromStep, toStep) {
      const [from, to] = [fromStep, toStep].map((at) => Math.min(sums.length, Math.max(0, at)));
      if (from === undefined || to === undefined || from >= to) {
        return { mean: 0, lower80: 0, upper80: 0, lower95: 0, upper95: 0 };
      }
      const mean = sumUntil(sums, to) - sumUntil(sums, from);
      const near = marginOf(from, to, 80);
      const far = Math.max(near, marginOf(from, to, 95));
      const { least } = fitted;
      const lower = (margin: number) => (least === 0 ? Math.max(0, mean - margin) : mean - margin);
      return {
        mean,
        lower80: lower(near),
        upper80: mean + near,
        lower95: lower(far),
        upper95: mean + far,
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
