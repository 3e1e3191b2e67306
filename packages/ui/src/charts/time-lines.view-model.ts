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
