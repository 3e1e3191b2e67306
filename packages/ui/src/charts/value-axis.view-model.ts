import { nice, ticks } from "d3-array";

/** A scale from 0: where it ends and which values are labelled. */
export type ValueAxis = { max: number; ticks: readonly number[] };

/**
 * Chooses a scale that begins at 0 and ends at a round number at or above the largest value.
 *
 * Example: a largest value of 87 with 4 labels gives 0, 20, 40, 60, 80, 100.
 *
 * @param largest - 0 when every value is 0 or none is known: the scale then ends at 1, so that zero is drawn as zero.
 * @param isWhole - Counts have no halves: 1 call gives 0 and 1, not 0.2.
 */
export function toValueAxis(options: {
  largest: number;
  isWhole: boolean;
  tickCount: number;
}): ValueAxis {
  const largest = Number.isFinite(options.largest) ? Math.max(0, options.largest) : 0;
  const count = options.isWhole
    ? Math.max(1, Math.min(options.tickCount, Math.ceil(largest)))
    : options.tickCount;
  if (largest === 0) {
    return { max: 1, ticks: options.isWhole ? [0, 1] : [0] };
  }
  const [, max] = nice(0, largest, count);
  const labelled = ticks(0, max, count).filter(
    (tick) => !options.isWhole || Number.isInteger(tick),
  );
  return { max, ticks: labelled };
}
