import { minimize } from "../minimize.ts";
import { mean } from "../statistics.ts";
import type { Model } from "./model.ts";

/** Share of the trend that is left a step later. */
const DAMPING = 0.98;

type State = {
  level: number;
  trend: number;
  /** One array for each season: what its slots add. */
  seasonals: Float64Array[];
  /** What the last value was beyond level, trend and seasons. */
  rest: number;
};

type Parameters = {
  level: number;
  trend: number;
  /** One for each season. */
  seasonals: readonly number[];
  /** Share of the rest that is left a step later. */
  correlation: number;
};

function readParameters(point: readonly number[]): Parameters {
  const [level = 0, trend = 0, correlation = 0, ...seasonals] = point;
  return { level, trend, correlation, seasonals };
}

/** What slots add, from the shorter season to the longer one, over the first seasons. */
function startState(values: readonly number[], seasons: readonly number[]): State {
  const longest = Math.max(1, ...seasons);
  const head = values.slice(0, Math.min(values.length, Math.max(2 * longest, 10)));
  const level = mean(head);
  const rest = head.map((value) => value - level);
  const seasonals = seasons.map((season) => {
    const slots = new Float64Array(season);
    const counts = new Float64Array(season);
    for (const [at, value] of rest.entries()) {
      slots[at % season] = (slots[at % season] ?? 0) + value;
      counts[at % season] = (counts[at % season] ?? 0) + 1;
    }
    for (let slot = 0; slot < season; slot += 1) {
      slots[slot] = (slots[slot] ?? 0) / Math.max(1, counts[slot] ?? 1);
    }
    for (const at of rest.keys()) {
      rest[at] = (rest[at] ?? 0) - (slots[at % season] ?? 0);
    }
    return slots;
  });
  return { level, trend: 0, seasonals, rest: 0 };
}

/** Runs through the values. @returns The sum of squared errors of one step ahead; `state` is changed to that after the last value. */
function run(
  values: readonly number[],
  state: State,
  { level: alpha, trend: beta, seasonals: gammas, correlation }: Parameters,
): number {
  const { seasonals } = state;
  let { level, trend, rest } = state;
  let cost = 0;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number;
    const base = level + DAMPING * trend;
    let expected = base;
    for (const slots of seasonals) {
      expected += slots[at % slots.length] as number;
    }
    const error = value - expected;
    cost += (error - correlation * rest) ** 2;
    rest = error;
    level = base + alpha * error;
    trend = DAMPING * trend + alpha * beta * error;
    for (let index = 0; index < seasonals.length; index += 1) {
      const slots = seasonals[index] as Float64Array;
      slots[at % slots.length] =
        (slots[at % slots.length] as number) + (gammas[index] as number) * error;
    }
  }
  state.level = level;
  state.trend = trend;
  state.rest = rest;
  return cost;
}

function copy({ level, trend, seasonals, rest }: State): State {
  return { level, trend, seasonals: seasonals.map((slots) => slots.slice()), rest };
}

/**
 * Exponential smoothing of level, damped trend and any number of seasons that add up, with errors that correlate from one step to the
 * next. Source: Taylor, "Short-term electricity demand forecasting using double seasonal exponential smoothing", 2003.
 */
export function holtWinters(seasons: readonly number[]): Model {
  return {
    name: `Holt-Winters ${seasons.join("+")}`,
    valuesMin: 2 * Math.max(2, ...seasons) + 3,
    prepare(values) {
      const start = startState(values, seasons);
      const parameters = readParameters(
        minimize((tried) => run(values, copy(start), readParameters(tried)), {
          start: [0.1, 0.05, 0.5, ...seasons.map(() => 0.1)],
          low: [0.001, 0, 0, ...seasons.map(() => 0)],
          high: [0.9, 0.3, 0.98, ...seasons.map(() => 0.6)],
        }),
      );
      return (known, horizon) => {
        const state = copy(start);
        run(known, state, parameters);
        let { trend, rest, level } = state;
        return Array.from({ length: horizon }, (_, step) => {
          trend *= DAMPING;
          level += trend;
          rest *= parameters.correlation;
          const at = known.length + step;
          return state.seasonals.reduce(
            (sum, slots) => sum + (slots[at % slots.length] ?? 0),
            level + rest,
          );
        });
      };
    },
  };
}
