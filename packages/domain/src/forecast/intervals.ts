import { mean } from "./statistics.ts";

/** Per cent of values that an interval should hold. */
export type Level = 80 | 95;

/** What an interval adds to either side of a forecast. */
export type Margin = (step: number, level: Level) => number;

/**
 * The same few origins choose the weights and measure the errors, so that errors at later ones are larger, the rare ones most. Found on
 * half of the hourly series of the M4 competition, and held on the other half.
 */
const WIDEN: Record<Level, number> = { 80: 1.2, 95: 1.45 };

/** Errors of a forecast at its origins: one list for each origin, by step. */
export type OriginErrors = readonly (readonly number[])[];

/** How errors grow beyond the steps that were tried: with this power of the step. */
type Beyond = { readonly power: number };
/** Errors of single steps grow like a random walk. */
const OF_STEPS: Beyond = { power: 0.5 };

/** How errors grow with the step: never less than at an earlier step. */
export function growthOf(
  errors: OriginErrors,
  { power }: Beyond = OF_STEPS,
): (step: number) => number {
  const steps = errors[0]?.length ?? 0;
  const half = Math.max(1, Math.floor(steps / 8));
  const grown: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    const near = errors.flatMap((ofOrigin) =>
      ofOrigin.slice(Math.max(0, step - half), step + half + 1).map(Math.abs),
    );
    grown.push(Math.max(grown.at(-1) ?? 0, mean(near)));
  }
  const last = grown.at(-1) ?? 0;
  return (step) => grown[step] ?? last * ((step + 1) / Math.max(1, steps)) ** power;
}

/**
 * Intervals by split conformal prediction: errors at origins inside the history, each in units of how far errors usually are at its step,
 * and the quantile of these. It assumes no distribution. Source: Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World".
 */
export function createMargin(errors: OriginErrors, beyond: Beyond = OF_STEPS): Margin {
  const growth = growthOf(errors, beyond);
  const scores = errors
    .flatMap((ofOrigin) =>
      ofOrigin.map((error, step) => {
        const usual = growth(step);
        return usual === 0 ? 0 : Math.abs(error) / usual;
      }),
    )
    .toSorted((a, b) => a - b);
  return (step, level) => {
    const rank = Math.min(scores.length, Math.ceil((level / 100) * (scores.length + 1)));
    return WIDEN[level] * (scores[rank - 1] ?? 0) * growth(step);
  };
}
