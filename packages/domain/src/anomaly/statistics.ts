import { createNearestShape, measureNearest } from "./nearest-shape.ts";
import {
  addPoint,
  createRecentPoints,
  deviationOf,
  meanOf,
  type RecentPoints,
} from "./recent-points.ts";
import { createSamplingStep, learnStep } from "./sampling-step.ts";
import { findUsualValue } from "./usual-value.ts";

/**
 * What can be unusual about a point: the distance to the usual value of the time of the day over the last hour, a fall of twelve
 * points below the level of the 276 before, the level of the last 24 points against the 240 before, their spread, a shape of 64
 * points that did not occur before. Of those equally unusual, the first is the explanation.
 */
export const STATISTICS = ["residual", "drop", "level", "spread", "shape"] as const;
export type Statistic = (typeof STATISTICS)[number];

/** Each statistic of a point, 0 or more; nothing as long as there are too few points for it. */
export type Measured = Readonly<Record<Statistic, number | undefined>>;

const RECENT = 24;
const LEVEL_BEFORE = { max: 240, min: 24 };
const DROP = { recent: 12, before: 276 };
const HOUR_MS = 60 * 60_000;
const RESIDUALS_MAX = 12;
/** What rounding leaves of a difference of equal values, relative to the largest value. */
const ROUNDING = 1e-12;

function measureLevel({ values, length }: RecentPoints): number | undefined {
  const recent = length - RECENT;
  const before = Math.max(0, recent - LEVEL_BEFORE.max);
  return recent - before < LEVEL_BEFORE.min
    ? undefined
    : Math.abs(meanOf(values, recent, length) - meanOf(values, before, recent));
}

function measureSpread({ values, length }: RecentPoints): number | undefined {
  return length < RECENT ? undefined : deviationOf(values, length - RECENT, length);
}

function measureDrop({ values, length }: RecentPoints): number | undefined {
  const recent = length - DROP.recent;
  if (recent < DROP.before) {
    return undefined;
  }
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = recent; at < length; at += 1) {
    highest = Math.max(highest, values[at] ?? 0);
  }
  const before = recent - DROP.before;
  const fall = meanOf(values, before, recent) - highest;
  // A series that hardly falls would have a bound that noise exceeds.
  return fall > deviationOf(values, before, recent) ? fall : 0;
}

/** The statistics of a series, point by point, in memory that does not grow with it. */
export type SeriesStatistics = { add(timeMs: number, value: number): Measured };

export function createSeriesStatistics(): SeriesStatistics {
  const points = createRecentPoints();
  const step = createSamplingStep();
  const shape = createNearestShape(points.values.length);
  let residuals: number[] = [];
  let origin: number | undefined;
  let lastTimeMs = 0;
  let largest = 0;

  function measureResidual(value: number): number | undefined {
    const usual = step.stepMs > 0 ? findUsualValue(points, step.stepMs) : undefined;
    if (usual === undefined) {
      return undefined;
    }
    const inHour = Math.min(RESIDUALS_MAX, Math.max(1, Math.round(HOUR_MS / step.stepMs)));
    residuals = [...residuals, Math.abs(value - usual)].slice(-inHour);
    return residuals.reduce((sum, residual) => sum + residual, 0) / residuals.length;
  }

  const withoutRounding = (measured: number | undefined) =>
    measured !== undefined && measured <= ROUNDING * largest ? 0 : measured;

  return {
    add(givenMs, given) {
      // A clock that is set back counts as unchanged: what came earlier was judged without this point.
      const timeMs = origin === undefined ? givenMs : Math.max(givenMs, lastTimeMs);
      if (origin !== undefined) {
        learnStep(step, timeMs - lastTimeMs);
      }
      lastTimeMs = timeMs;
      // Differences do not depend on the origin, and rounding is least around zero.
      origin ??= given;
      const value = given - origin;
      largest = Math.max(largest, Math.abs(value));
      const forgotten = addPoint(points, timeMs, value);
      const last = points.length - 1;
      return {
        level: withoutRounding(measureLevel(points)),
        spread: withoutRounding(measureSpread(points)),
        drop: withoutRounding(measureDrop(points)),
        residual: withoutRounding(measureResidual(value)),
        shape: withoutRounding(measureNearest(shape, points.values, { last, forgotten })),
      };
    },
  };
}
