import {
  createDetector,
  type DetectorOptions,
  type PointFinding,
  type SeriesPoint,
} from "./detector.ts";

/**
 * Judges every point of a series by those before it, in the order of the list: cutting the end off changes nothing before.
 *
 * @returns One finding a point; none for an empty series.
 * @throws {RangeError} For a time or value that is not finite.
 */
export function detectAnomalies(
  series: readonly SeriesPoint[],
  options?: DetectorOptions,
): PointFinding[] {
  const detector = createDetector(options);
  return series.map((point) => detector.next(point));
}
