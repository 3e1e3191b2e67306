import type { Continuation } from "./models/model.ts";

/** From how many points of a history to forecast, how many values apart, and how many steps ahead. */
export type OriginPlan = {
  readonly steps: number;
  readonly spacing: number;
  readonly count: number;
};

export type Origins = {
  /** For each model and origin, the forecast from the values before the origin. */
  readonly forecasts: readonly (readonly (readonly number[])[])[];
  /** For each origin, what came. */
  readonly actuals: readonly (readonly number[])[];
};

/** Lets models forecast from origins inside a history, each from what was before it. The oldest origin is the last. */
export function rollOrigins(
  continuations: readonly Continuation[],
  values: readonly number[],
  { steps, spacing, count }: OriginPlan,
): Origins {
  const starts = Array.from(
    { length: count },
    (_, index) => values.length - steps - index * spacing,
  );
  return {
    forecasts: continuations.map((proceed) =>
      starts.map((start) => proceed(values.slice(0, start), steps)),
    ),
    actuals: starts.map((start) => values.slice(start, start + steps)),
  };
}
