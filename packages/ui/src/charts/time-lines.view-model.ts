import type { TimeSeries } from "./chart-types.ts";

/** A point of a line: the bucket's index and its value. */
export type LinePoint = { index: number; value: number };

/** A line cut where values are missing. */
export type LineRuns = {
  /** Two points or more each. */
  runs: readonly (readonly LinePoint[])[];
  /** Points with nothing known on either side: a line has no length there, so they are drawn as dots. */
  dots: readonly LinePoint[];
};

/** Cuts values into what can be joined by a line. A gap is never bridged and never drawn as zero. */
export function toLineRuns(values: readonly (number | null)[]): LineRuns {
  const pieces: LinePoint[][] = [];
  let isOpen = false;
  for (const [index, value] of values.entries()) {
    if (value === null || !Number.isFinite(value)) {
      isOpen = false;
      continue;
    }
    if (!isOpen) {
      pieces.push([]);
      isOpen = true;
    }
    pieces.at(-1)?.push({ index, value });
  }
  return {
    runs: pieces.filter((piece) => piece.length > 1),
    dots: pieces.filter((piece) => piece.length === 1).flat(),
  };
}

/** Largest value of all lines, previous period included; 0 when none is known. */
export function findLargest(series: readonly TimeSeries[]): number {
  let largest = 0;
  for (const one of series) {
    for (const value of [...one.values, ...(one.previous ?? [])]) {
      largest = Math.max(largest, value ?? 0);
    }
  }
  return largest;
}

/** Fewer points than this have no peaks: each is as usual as the others. */
const USUAL_POINTS_MIN = 8;
/** Of the points, how many are usual; a peak that lasts longer is drawn as it is. */
const USUAL_SHARE = 0.9;
/** A peak is this many times what is usual: below, the rest can still be read beside it. */
const PEAK_FACTOR = 3;
/** Room above what is usual. */
const HEADROOM_FACTOR = 1.5;

/** Where a scale would end that leaves rare peaks out, and how high they are. */
export type PeakCut = { top: number; largest: number };

/**
 * Finds rare peaks that would flatten everything else to a line at the bottom: at most a tenth of the points, each
 * counted by its largest value, more than three times as high as all others.
 *
 * Example: 29 points up to 2 and one of 60 are cut at 3.
 *
 * @returns Undefined where nothing has to be cut.
 */
export function findPeakCut(series: readonly TimeSeries[]): PeakCut | undefined {
  const count = Math.max(0, ...series.map((one) => one.values.length));
  const points = Array.from({ length: count }, (_, index) =>
    Math.max(...series.flatMap((one) => [one.values[index], one.previous?.[index]]).map(toKnown)),
  )
    .filter((value) => value > 0)
    .toSorted((a, b) => a - b);
  const usual = points[Math.ceil(points.length * USUAL_SHARE) - 1] ?? 0;
  const largest = points.at(-1) ?? 0;
  return points.length >= USUAL_POINTS_MIN && largest > usual * PEAK_FACTOR
    ? { top: usual * HEADROOM_FACTOR, largest }
    : undefined;
}

function toKnown(value: number | null | undefined): number {
  return value === null || value === undefined || !Number.isFinite(value) ? 0 : value;
}
