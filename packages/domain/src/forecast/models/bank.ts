import { autoregression } from "./autoregression.ts";
import { decomposition } from "./decomposition.ts";
import { holtWinters } from "./holt-winters.ts";
import type { Model } from "./model.ts";
import { onLog } from "./on-log.ts";
import { recentMean } from "./recent-mean.ts";
import { seasonalNaive } from "./seasonal-naive.ts";
import { slotMeans } from "./slot-means.ts";
import { theta } from "./theta.ts";

/** `positive` allows logarithms; `sparse` is never negative and mostly 0. */
export type SeriesKind = "positive" | "any" | "sparse";

/** Models for values that are mostly 0: the others forecast the usual 0, and what matters is the sum. */
function listForSparse(seasons: readonly number[]): Model[] {
  return [recentMean(), ...seasons.map(slotMeans)];
}

/**
 * The models that may forecast a series.
 *
 * @param input.seasons - Lengths in values, rising, such as 24 and 168 for hours.
 */
export function listModels({
  seasons,
  kind,
}: {
  seasons: readonly number[];
  kind: SeriesKind;
}): Model[] {
  if (kind === "sparse") {
    return listForSparse(seasons);
  }
  const sets = [seasons.slice(0, 1), ...(seasons.length > 1 ? [seasons] : [])];
  const smoothed = sets.map(holtWinters);
  const regressed = sets.map(autoregression);
  const split = [theta(seasons), decomposition(seasons)];
  return [
    ...(seasons.length === 0
      ? [seasonalNaive(1), recentMean()]
      : seasons.flatMap((season) => [seasonalNaive(season), slotMeans(season)])),
    ...smoothed,
    ...regressed,
    ...(kind === "positive" ? [...smoothed, ...regressed, ...split].map(onLog) : split),
  ];
}
