import type { Origins } from "./back-test.ts";

/** By this power of their error models are weighted: the best count most, and none alone. Equal weights are far worse. */
const POWER = 4;

function sumErrors(forecasts: readonly (readonly number[])[], { actuals }: Origins): number {
  return forecasts.reduce(
    (sum, forecast, origin) =>
      sum +
      forecast.reduce(
        (ofOrigin, value, step) => ofOrigin + Math.abs(value - (actuals[origin]?.[step] ?? 0)),
        0,
      ),
    0,
  );
}

/** Weights of models by their errors at the origins; they sum to 1. */
export function weigh(origins: Origins): number[] {
  const errors = origins.forecasts.map((ofModel) => sumErrors(ofModel, origins));
  const best = Math.min(...errors);
  const raw = errors.map((error) => (error === best ? 1 : (best / error) ** POWER));
  const sum = raw.reduce((total, weight) => total + weight, 0);
  return raw.map((weight) => weight / sum);
}

/**
 * @param weights - One for each forecast.
 * @param steps - Left out: as many as the first forecast has.
 */
export function combine(
  forecasts: readonly (readonly number[])[],
  weights: readonly number[],
  steps: number = forecasts[0]?.length ?? 0,
): number[] {
  return Array.from({ length: steps }, (_, step) =>
    forecasts.reduce(
      (sum, forecast, index) => sum + (weights[index] ?? 0) * (forecast[step] ?? 0),
      0,
    ),
  );
}
