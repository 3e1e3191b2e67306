import type { TimeBucket } from "./time-buckets.view-model.ts";
import type { ValueAxis } from "./value-axis.view-model.ts";

/** Where things are in the box of a chart, in pixels from its top left corner. */
export type PlotGeometry = {
  leftPx: number;
  topPx: number;
  widthPx: number;
  heightPx: number;
  /** Width that one bucket has. */
  bandPx: number;
  /** Middle of a bucket. */
  toX: (index: number) => number;
  toY: (value: number) => number;
};

/** Above the plot stands the unit, below it the labels of the time axis. */
export const MARGIN_TOP_PX = 24;
export const MARGIN_BOTTOM_PX = 26;
const MARGIN_RIGHT_PX = 8;
const MARGIN_LEFT_MIN_PX = 24;
/** About the width of a digit at 12 px. */
const DIGIT_PX = 6.8;

/**
 * Lays a plot into its box.
 *
 * @param longestLabel - The longest text of the value axis, which decides how much room stands left of the plot.
 */
export function layOutPlot(options: {
  widthPx: number;
  heightPx: number;
  longestLabel: number;
  bucketCount: number;
  axis: ValueAxis;
}): PlotGeometry {
  const leftPx = Math.ceil(Math.max(MARGIN_LEFT_MIN_PX, options.longestLabel * DIGIT_PX + 10));
  const widthPx = Math.max(0, options.widthPx - leftPx - MARGIN_RIGHT_PX);
  const heightPx = Math.max(0, options.heightPx - MARGIN_TOP_PX - MARGIN_BOTTOM_PX);
  const bandPx = options.bucketCount === 0 ? widthPx : widthPx / options.bucketCount;
  return {
    leftPx,
    topPx: MARGIN_TOP_PX,
    widthPx,
    heightPx,
    bandPx,
    toX: (index) => leftPx + (index + 0.5) * bandPx,
    toY: (value) => MARGIN_TOP_PX + heightPx * (1 - value / options.axis.max),
  };
}

/** Left edge of the bucket that begins at an instant, or the place between two edges. */
export function toInstantX(
  geometry: PlotGeometry,
  buckets: readonly TimeBucket[],
  instantMs: number,
): number {
  const index = buckets.findLastIndex((bucket) => bucket.fromMs <= instantMs);
  const bucket = buckets[index];
  if (bucket === undefined) {
    return geometry.leftPx;
  }
  const share = Math.min(1, (instantMs - bucket.fromMs) / (bucket.toMs - bucket.fromMs));
  return geometry.leftPx + (index + share) * geometry.bandPx;
}
