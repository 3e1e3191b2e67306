export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

/** @param share - From 0 to 1; between two values it is interpolated. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The line through values at 0, 1, 2 … by least squares. */
export function fitLine(values: readonly number[]): { intercept: number; slope: number } {
  const count = values.length;
  const middle = (count - 1) / 2;
  const average = mean(values);
  let covariance = 0;
  let variance = 0;
  for (const [at, value] of values.entries()) {
    covariance += (at - middle) * (value - average);
    variance += (at - middle) ** 2;
  }
  const slope = variance === 0 ? 0 : covariance / variance;
  return { intercept: average - slope * middle, slope };
}
