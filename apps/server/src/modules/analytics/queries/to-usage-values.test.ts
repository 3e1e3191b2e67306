import { PACKED_CALLS_END, packLatencies } from "@turnpike/domain/metering/latency-histogram";
import { expect, it } from "vitest";
import { toUsageValues } from "./to-usage-values.ts";

const SUMS = {
  requests: BigInt(PACKED_CALLS_END) - 1n,
  billable: "0",
  errors: 0n,
  denied: 0n,
  bytes_in: 0n,
  bytes_out: 0n,
  latencies: packLatencies({ buckets: [100], counts: [PACKED_CALLS_END - 1] }),
  meter_values: [],
};

it("has percentiles of as many calls as a packed histogram can hold, and refuses those of more", () => {
  const measures = ["latency_p95"] as const;
  expect(toUsageValues(measures, SUMS)).toEqual({ latency_p95: 4.951 });
  const more = { ...SUMS, requests: BigInt(PACKED_CALLS_END) };
  expect(() => toUsageValues(measures, more)).toThrow("fewer than 1,000,000,000,000 calls");
});
