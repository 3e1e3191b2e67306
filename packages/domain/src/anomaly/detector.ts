import { addToPast, compareWithPast, createOwnPast } from "./own-past.ts";
import { createSeriesStatistics, STATISTICS, type Statistic } from "./statistics.ts";

export type SeriesPoint = { timeMs: number; value: number };
/**
 * `score` is from 0 to 1; above {@link ANOMALOUS} the point is an anomaly. `why` is the statistic that is farthest beyond its
 * past, `warming-up` as long as there is too little past to tell.
 */
export type PointFinding = { score: number; why: Statistic | "warming-up" };

export const ANOMALOUS = 0.5;

export type DetectorOptions = {
  /** Points before the first judgement. Default 200. */
  warmUpPoints?: number;
  /** Points after an anomaly in which no other is reported, so that one incident is one anomaly. Default 100. */
  quietPoints?: number;
};

/** A detector of one series. It needs the same memory for every length: at most 300 kB. */
export type Detector = {
  /**
   * Judges the next point by those before it. A point before the last in time counts as if at the same time.
   *
   * @throws {RangeError} For a time or value that is not finite.
   */
  next(point: SeriesPoint): PointFinding;
};

/**
 * How far beyond its bound a statistic is unusual, and the other constants of this folder: chosen on 19 labelled series of the
 * Numenta Anomaly Benchmark, each in the middle of a range where the score is flat.
 */
const UNUSUAL_RATIO = 1.1;

function assertFinite({ timeMs, value }: SeriesPoint): void {
  if (!Number.isFinite(timeMs) || !Number.isFinite(value)) {
    throw new RangeError(
      `A point needs a finite time and value, not ${String(timeMs)} and ${String(value)}.`,
    );
  }
}

/**
 * Makes a detector that knows nothing yet. It assumes no distribution: each statistic is compared with a high quantile of its
 * own past.
 */
export function createDetector({
  warmUpPoints = 200,
  quietPoints = 100,
}: DetectorOptions = {}): Detector {
  const statistics = createSeriesStatistics();
  const pasts = STATISTICS.map((name) => ({ name, past: createOwnPast() }));
  let seen = 0;
  let quietUntil = 0;
  return {
    next(point) {
      assertFinite(point);
      const measured = statistics.add(point.timeMs, point.value);
      let largest = 0;
      let why: Statistic = "level";
      for (const { name, past } of pasts) {
        const value = measured[name];
        if (value !== undefined) {
          const ratio = compareWithPast(past, value);
          if (ratio > largest) {
            largest = ratio;
            why = name;
          }
          addToPast(past, value);
        }
      }
      const at = seen;
      seen += 1;
      if (at < warmUpPoints) {
        return { score: 0, why: "warming-up" };
      }
      const score = largest / (UNUSUAL_RATIO + largest);
      if (at < quietUntil) {
        return { score: score * ANOMALOUS, why };
      }
      if (score > ANOMALOUS) {
        quietUntil = at + quietPoints + 1;
      }
      return { score, why };
    },
  };
}
