/**
 * Latencies of calls, counted in buckets that grow by 4 %: bucket 0 holds what takes up to 0.1 ms, bucket `i` holds
 * `(0.1 * 1.04^(i-1), 0.1 * 1.04^i]` ms. A bucket stands for a value within 2 % of all its latencies. Histograms of disjoint
 * sets of calls, merged in any order, give the histogram of all of them.
 *
 * `buckets` ascends strictly; `counts` has the calls of the bucket at the same index, 1 or more. Two empty arrays mean no calls.
 * The columns `latency_buckets` and `latency_counts` have this form; {@link packLatencies} makes that of `latencies`.
 */
export type LatencyHistogram = { readonly buckets: number[]; readonly counts: number[] };

const SHORTEST_MS = 0.1;
const LONGEST_MS = 3_600_000;
const GROWTH = 1.04;
const LOG_GROWTH = Math.log(GROWTH);
/** The middle of a bucket: both its ends are equally far from it, relative to themselves. */
const MIDDLE = 2 / (1 + GROWTH);

/** The last bucket: it holds one hour and everything above. */
export const LATENCY_BUCKET_MAX = Math.ceil(Math.log(LONGEST_MS / SHORTEST_MS) / LOG_GROWTH);

/**
 * Finds the bucket of a latency.
 *
 * @param latencyMs - Milliseconds. Below 0.1, and not a number, count as 0.1; above an hour as an hour.
 * @returns A whole number from 0 to {@link LATENCY_BUCKET_MAX}.
 */
export function latencyBucketOf(latencyMs: number): number {
  if (!(latencyMs > SHORTEST_MS)) {
    return 0;
  }
  if (latencyMs >= LONGEST_MS) {
    return LATENCY_BUCKET_MAX;
  }
  return Math.ceil(Math.log(latencyMs / SHORTEST_MS) / LOG_GROWTH);
}

/** Computes the latency in milliseconds that a bucket stands for: within 2 % of each of its latencies from 0.1 ms to 1 h. */
export function latencyOfBucket(bucket: number): number {
  return bucket <= 0 ? SHORTEST_MS : SHORTEST_MS * GROWTH ** bucket * MIDDLE;
}

export function emptyLatencies(): LatencyHistogram {
  return { buckets: [], counts: [] };
}

/** Finds the index of a bucket in an ascending list, or where it belongs. */
function indexOfBucket(buckets: readonly number[], bucket: number): number {
  let low = 0;
  let high = buckets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((buckets[middle] ?? 0) < bucket) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function addToBucket(histogram: LatencyHistogram, bucket: number, calls: number): void {
  const { buckets, counts } = histogram;
  const index = indexOfBucket(buckets, bucket);
  if (buckets[index] === bucket) {
    counts[index] = (counts[index] ?? 0) + calls;
  } else {
    buckets.splice(index, 0, bucket);
    counts.splice(index, 0, calls);
  }
}

/** Counts a latency; changes the histogram. @param latencyMs - Milliseconds, see {@link latencyBucketOf}. @param calls - 1 or more. */
export function addLatency(histogram: LatencyHistogram, latencyMs: number, calls = 1): void {
  addToBucket(histogram, latencyBucketOf(latencyMs), calls);
}

/** Adds the calls of `more` to `histogram`, which it changes; `more` stays unchanged. */
export function addLatencies(
  histogram: LatencyHistogram,
  more: { readonly buckets: readonly number[]; readonly counts: readonly number[] },
): void {
  if (histogram.buckets.length === 0) {
    histogram.buckets.push(...more.buckets);
    histogram.counts.push(...more.counts);
    return;
  }
  for (const [index, bucket] of more.buckets.entries()) {
    addToBucket(histogram, bucket, more.counts[index] ?? 0);
  }
}

/** Merges histograms into a new one; empty for none. */
export function mergeLatencies(
  histograms: Iterable<{ readonly buckets: readonly number[]; readonly counts: readonly number[] }>,
): LatencyHistogram {
  const merged = emptyLatencies();
  for (const histogram of histograms) {
    addLatencies(merged, histogram);
  }
  return merged;
}

/** Counts the calls of a histogram. */
export function countLatencies(histogram: Pick<LatencyHistogram, "counts">): number {
  return histogram.counts.reduce((sum, calls) => sum + calls, 0);
}

/**
 * Computes a percentile within 2 %: the latency that a fraction of the calls did not exceed (nearest rank).
 *
 * Example: for the latencies 10, 20, 30 and 40 ms, the fraction 0.5 gives 20 ms and 0.95 gives 40 ms.
 *
 * @param fraction - From 0 to 1; 0.95 for p95.
 * @returns Milliseconds; `undefined` without calls.
 * @throws {RangeError} when `fraction` is not from 0 to 1.
 */
export function latencyPercentile(
  histogram: LatencyHistogram,
  fraction: number,
): number | undefined {
  if (!(fraction >= 0 && fraction <= 1)) {
    throw new RangeError(`The fraction of a percentile is from 0 to 1, not ${String(fraction)}.`);
  }
  // 0.07 * 100 is a little more than 7: the rounding of the product must not move the rank.
  const rank = Math.max(1, Math.ceil(fraction * countLatencies(histogram) * (1 - 1e-12)));
  let seen = 0;
  for (const [index, bucket] of histogram.buckets.entries()) {
    seen += histogram.counts[index] ?? 0;
    if (seen >= rank) {
      return latencyOfBucket(bucket);
    }
  }
  return undefined;
}

/** Computes the mean latency in milliseconds, within 2 %; `undefined` without calls. */
export function latencyMean(histogram: LatencyHistogram): number | undefined {
  const calls = countLatencies(histogram);
  if (calls === 0) {
    return undefined;
  }
  const totalMs = histogram.buckets.reduce(
    (sum, bucket, index) => sum + latencyOfBucket(bucket) * (histogram.counts[index] ?? 0),
    0,
  );
  return totalMs / calls;
}

/** Decimal digits of each bucket in a packed histogram. `pack_latencies` and `unpack_latencies` use the same number. */
const PACKED_DIGITS = 12;

/** A packed histogram must have fewer calls, so that no bucket overflows into the next one. */
export const PACKED_CALLS_END = 10 ** PACKED_DIGITS;

/**
 * Writes a histogram as one number, with twelve decimal digits for each bucket: the sum of such numbers is the histogram of
 * all their calls, as long as there are fewer than {@link PACKED_CALLS_END}.
 *
 * Example: 5 calls in bucket 3 and 12 in bucket 4 are `000000000012000000000005e36`.
 *
 * @returns A decimal with an exponent, as PostgreSQL reads a `numeric`; `0` without calls.
 * @throws {RangeError} for a bucket of {@link PACKED_CALLS_END} calls or more.
 */
export function packLatencies({ buckets, counts }: LatencyHistogram): string {
  const lowest = buckets[0];
  if (lowest === undefined) {
    return "0";
  }
  let digits = "";
  let above: number | undefined;
  for (let index = buckets.length - 1; index >= 0; index -= 1) {
    const bucket = buckets[index] ?? 0;
    const calls = counts[index] ?? 0;
    if (calls >= PACKED_CALLS_END) {
      throw new RangeError(
        `A packed histogram has no room for ${String(calls)} calls in a bucket.`,
      );
    }
    const gap = above === undefined ? 0 : above - bucket - 1;
    digits += "0".repeat(PACKED_DIGITS * gap) + String(calls).padStart(PACKED_DIGITS, "0");
    above = bucket;
  }
  return `${digits}e${String(PACKED_DIGITS * lowest)}`;
}

/**
 * Reads what {@link packLatencies} wrote, or a sum of such numbers.
 *
 * @param packed - Whole and not negative, with an exponent or without.
 */
export function unpackLatencies(packed: string): LatencyHistogram {
  const [mantissa = "", exponent = "0"] = packed.split("e");
  const shift = Number(exponent) % PACKED_DIGITS;
  const digits = mantissa + "0".repeat(shift);
  const histogram = emptyLatencies();
  let bucket = (Number(exponent) - shift) / PACKED_DIGITS;
  for (let end = digits.length; end > 0; end -= PACKED_DIGITS) {
    const calls = Number(digits.slice(Math.max(0, end - PACKED_DIGITS), end));
    if (calls > 0) {
      histogram.buckets.push(bucket);
      histogram.counts.push(calls);
    }
    bucket += 1;
  }
  return histogram;
}
