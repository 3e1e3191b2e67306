import type { UsageMeasure, UsageValues } from "@turnpike/contract/usage";
import {
  type LatencyHistogram,
  latencyMean,
  latencyPercentile,
} from "@turnpike/domain/metering/latency-histogram";
import type { UsageSums } from "./analytics.store.ts";

const NOTHING: UsageSums = {
  requests: 0n,
  billable: "0",
  errors: 0n,
  denied: 0n,
  bytes_in: 0n,
  bytes_out: 0n,
  latency_buckets: null,
  latency_counts: null,
};

/** True for a measure that only the histogram of latencies answers. */
export function isLatency(measure: UsageMeasure): boolean {
  return measure.startsWith("latency_");
}

/** Keeps what a histogram tells to the precision that it has: four digits of a number that is within 2 %. */
function toMilliseconds(latencyMs: number | undefined): number | null {
  return latencyMs === undefined ? null : Number(latencyMs.toPrecision(4));
}

/** `1.500` and `1.5` are the same number of units. */
function withoutTrailingZeros(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal;
}

function toValue(
  measure: UsageMeasure,
  sums: UsageSums,
  latencies: LatencyHistogram,
): string | number | null {
  switch (measure) {
    case "billable":
      return withoutTrailingZeros(sums.billable);
    case "error_rate": {
      const admitted = sums.requests - sums.denied;
      return admitted === 0n ? null : Number(sums.errors) / Number(admitted);
    }
    case "latency_avg":
      return toMilliseconds(latencyMean(latencies));
    case "latency_p50":
      return toMilliseconds(latencyPercentile(latencies, 0.5));
    case "latency_p95":
      return toMilliseconds(latencyPercentile(latencies, 0.95));
    case "latency_p99":
      return toMilliseconds(latencyPercentile(latencies, 0.99));
    default:
      return Number(sums[measure]);
  }
}

/**
 * Makes the asked measures of sums: rates of sums rather than means of rates, percentiles of merged histograms.
 *
 * @param sums - `undefined` where there was nothing.
 */
export function toUsageValues(
  measures: readonly UsageMeasure[],
  sums: UsageSums = NOTHING,
): UsageValues {
  const latencies = {
    buckets: sums.latency_buckets ?? [],
    counts: sums.latency_counts?.map(Number) ?? [],
  };
  return Object.fromEntries(measures.map((name) => [name, toValue(name, sums, latencies)]));
}
