import { isMeterMeasure } from "@turnpike/contract/meter-measure";
import type { UsageValues } from "@turnpike/contract/usage";
import type { CallMeasure, UsageMeasure } from "@turnpike/contract/usage-query";
import { type Aggregation, isAdditive } from "@turnpike/domain/catalog/meter";
import {
  emptyLatencies,
  type LatencyHistogram,
  latencyMean,
  latencyPercentile,
  PACKED_CALLS_END,
  unpackLatencies,
} from "@turnpike/domain/metering/latency-histogram";
import type { UsageSums } from "./analytics.store.ts";
import { tooCostly } from "./read-rollups.ts";

const NOTHING: UsageSums = {
  requests: 0n,
  billable: "0",
  errors: 0n,
  denied: 0n,
  bytes_in: 0n,
  bytes_out: 0n,
  latencies: null,
  meter_values: [],
};

/** The sums of no usage: counts are 0, and there is no mean, extreme or latest value. */
export function sumsOfNothing(meters: readonly { aggregation: Aggregation }[]): UsageSums {
  const isCounted = (aggregation: Aggregation) =>
    isAdditive(aggregation) || aggregation === "unique_count";
  return {
    ...NOTHING,
    meter_values: meters.map(({ aggregation }) => (isCounted(aggregation) ? "0" : null)),
  };
}

/** True for a measure that only the histogram of latencies answers. */
export function isLatency(measure: UsageMeasure): boolean {
  return measure.startsWith("latency_");
}

/** Rounds to the precision of a histogram: four digits of a number that is within 2 %. */
function toMilliseconds(latencyMs: number | undefined): number | null {
  return latencyMs === undefined ? null : Number(latencyMs.toPrecision(4));
}

/** `1.500` and `1.5` are the same number of units. */
function withoutTrailingZeros(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal;
}

function toHistogram({ latencies, requests }: UsageSums): LatencyHistogram {
  if (latencies === null) {
    return emptyLatencies();
  }
  if (requests >= BigInt(PACKED_CALLS_END)) {
    throw tooCostly(
      `Percentiles are made of fewer than ${PACKED_CALLS_END.toLocaleString("en")} calls: narrow the range or the filters.`,
    );
  }
  return unpackLatencies(latencies);
}

function toValue(
  measure: CallMeasure,
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
 * Computes the asked measures from sums: rates of sums rather than means of rates, percentiles of merged histograms.
 *
 * @param measures - Of the question. The values of meters are in the order in which it names them.
 */
export function toUsageValues(
  measures: readonly UsageMeasure[],
  sums: UsageSums = NOTHING,
): UsageValues {
  const latencies = toHistogram(sums);
  const values: Partial<Record<UsageMeasure, string | number | null>> = {};
  let index = 0;
  for (const measure of measures) {
    if (isMeterMeasure(measure)) {
      const value = sums.meter_values[index] ?? null;
      values[measure] = value === null ? null : withoutTrailingZeros(value);
      index += 1;
    } else {
      values[measure] = toValue(measure, sums, latencies);
    }
  }
  return values as UsageValues;
}
