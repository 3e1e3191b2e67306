import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addLatency,
  countLatencies,
  emptyLatencies,
  LATENCY_BUCKET_MAX,
  type LatencyHistogram,
  latencyBucketOf,
  latencyMean,
  latencyOfBucket,
  latencyPercentile,
  mergeLatencies,
  PACKED_CALLS_END,
  packLatencies,
  unpackLatencies,
} from "./latency-histogram.ts";

const ERROR_MAX = 0.02;

/** Milliseconds over the whole range, every decade as likely as any other. */
const latency = fc
  .double({ min: -1, max: Math.log10(3_600_000), noNaN: true })
  .map((exponent) => Math.min(3_600_000, Math.max(0.1, 10 ** exponent)));

function histogramOf(latencies: readonly number[]): LatencyHistogram {
  const histogram = emptyLatencies();
  for (const latencyMs of latencies) {
    addLatency(histogram, latencyMs);
  }
  return histogram;
}

/** By the definition of the nearest rank. */
function exactPercentile(latencies: readonly number[], hundredths: number): number | undefined {
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((hundredths * sorted.length) / 100) - 1)];
}

function expectClose(actual: number | undefined, exact: number | undefined): void {
  if (actual === undefined || exact === undefined) {
    expect(actual).toBe(exact);
  } else {
    expect(Math.abs(actual - exact) / exact).toBeLessThanOrEqual(ERROR_MAX);
  }
}

describe("latencyBucketOf", () => {
  it("gives a small whole number whose latency is within 2 %", () => {
    fc.assert(
      fc.property(latency, (latencyMs) => {
        const bucket = latencyBucketOf(latencyMs);
        expect(Number.isInteger(bucket)).toBe(true);
        expect(bucket).toBeGreaterThanOrEqual(0);
        expect(bucket).toBeLessThanOrEqual(LATENCY_BUCKET_MAX);
        expectClose(latencyOfBucket(bucket), latencyMs);
      }),
      { numRuns: 5_000 },
    );
  });

  it("never puts a longer latency into an earlier bucket", () => {
    fc.assert(
      fc.property(latency, latency, (a, b) => {
        expect(latencyBucketOf(Math.min(a, b))).toBeLessThanOrEqual(
          latencyBucketOf(Math.max(a, b)),
        );
      }),
    );
  });

  it.each([
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
    [0.1, 0],
    [3_600_000, LATENCY_BUCKET_MAX],
    [Number.POSITIVE_INFINITY, LATENCY_BUCKET_MAX],
  ])("puts %d into bucket %d: every latency has one", (latencyMs, bucket) => {
    expect(latencyBucketOf(latencyMs)).toBe(bucket);
  });

  it("fits a column of 16 bits", () => {
    expect(LATENCY_BUCKET_MAX).toBe(444);
  });

  it("finds the bucket of the latency that a bucket stands for", () => {
    for (let bucket = 0; bucket <= LATENCY_BUCKET_MAX; bucket += 1) {
      expect(latencyBucketOf(latencyOfBucket(bucket))).toBe(bucket);
    }
  });
});

describe("a histogram", () => {
  it("is the same however calls are split and in any order of merging the histograms", () => {
    const sets = fc.array(fc.array(latency, { maxLength: 30 }), { maxLength: 12 });
    fc.assert(
      fc.property(sets, fc.infiniteStream(fc.nat()), (split, ranks) => {
        const whole = histogramOf(split.flat());
        const shuffled = split
          .map((set) => ({ set, rank: ranks.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ set }) => histogramOf(set));
        const half = Math.floor(shuffled.length / 2);
        expect(mergeLatencies(shuffled)).toEqual(whole);
        expect(
          mergeLatencies([
            mergeLatencies(shuffled.slice(half)),
            mergeLatencies(shuffled.slice(0, half)),
          ]),
        ).toEqual(whole);
        expect(countLatencies(whole)).toBe(split.flat().length);
        expect(whole.buckets).toEqual([...new Set(whole.buckets)].sort((a, b) => a - b));
      }),
    );
  });

  it("gives every percentile within 2 % of the exact one", () => {
    fc.assert(
      fc.property(
        fc.array(latency, { maxLength: 300 }),
        fc.integer({ min: 0, max: 100 }),
        (latencies, hundredths) => {
          expectClose(
            latencyPercentile(histogramOf(latencies), hundredths / 100),
            exactPercentile(latencies, hundredths),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("gives the mean within 2 % of the exact one", () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (latencies) => {
        const exact = latencies.reduce((sum, latencyMs) => sum + latencyMs, 0) / latencies.length;
        expectClose(latencyMean(histogramOf(latencies)), exact);
      }),
    );
  });

  it("has neither percentile nor mean without calls, and refuses a fraction out of range", () => {
    expect(latencyPercentile(emptyLatencies(), 0.5)).toBeUndefined();
    expect(latencyMean(emptyLatencies())).toBeUndefined();
    expect(() => latencyPercentile(emptyLatencies(), 95)).toThrow(RangeError);
    expect(() => latencyPercentile(emptyLatencies(), Number.NaN)).toThrow(RangeError);
  });

  it("does not change the histograms it merges", () => {
    const one = histogramOf([1, 2]);
    mergeLatencies([one, histogramOf([2, 3])]);
    expect(one).toEqual(histogramOf([1, 2]));
  });
});

/** Exact: a number far above what a float holds. */
function toInteger(packed: string): bigint {
  const [digits = "", zeros = "0"] = packed.split("e");
  return BigInt(digits) * 10n ** BigInt(zeros);
}

/** As PostgreSQL shows it: without an exponent, or with all zeros at the end in one. */
const SHOWN = [
  (sum: bigint) => String(sum),
  (sum: bigint) => String(sum).replace(/0*$/, (zeros) => `e${String(zeros.length)}`),
];

describe("packLatencies", () => {
  it("makes numbers whose sum is the histogram of all calls, in any notation", () => {
    fc.assert(
      fc.property(fc.array(fc.array(latency, { minLength: 1 }), { minLength: 1 }), (sets) => {
        const histograms = sets.map(histogramOf);
        const sum = histograms
          .map(packLatencies)
          .map(toInteger)
          .reduce((a, b) => a + b, 0n);
        for (const show of SHOWN) {
          expect(unpackLatencies(show(sum))).toEqual(mergeLatencies(histograms));
        }
        expect(unpackLatencies(packLatencies(mergeLatencies(histograms)))).toEqual(
          mergeLatencies(histograms),
        );
      }),
    );
  });

  it("writes what its documentation shows, and 0 without calls", () => {
    expect(packLatencies({ buckets: [3, 4], counts: [5, 12] })).toBe("000000000012000000000005e36");
    expect(packLatencies(emptyLatencies())).toBe("0");
    expect(unpackLatencies("0")).toEqual(emptyLatencies());
  });

  it("keeps as many calls in a bucket as fit, and refuses one more", () => {
    const full = { buckets: [0, 1, LATENCY_BUCKET_MAX], counts: [1, PACKED_CALLS_END - 1, 2] };
    expect(unpackLatencies(packLatencies(full))).toEqual(full);
    const over = { buckets: [1], counts: [PACKED_CALLS_END] };
    expect(() => packLatencies(over)).toThrow(RangeError);
  });
});
