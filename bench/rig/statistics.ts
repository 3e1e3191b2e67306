/** The middle value; of an even number of values, the mean of the middle two. `NaN` for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The smallest value that `share` (0 to 1) of all values do not exceed: nearest rank. `NaN` for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/**
 * The median of the ratios of pairs measured next to each other: what disturbs both of a pair cancels out, which it does
 * not in a ratio of two medians.
 */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** Keeps `digits` significant digits: more would pretend to a precision that a shared machine does not have. */
export function round(value: number, digits = 3): number {
  return Number.isFinite(value) ? Number(value.toPrecision(digits)) : value;
}
