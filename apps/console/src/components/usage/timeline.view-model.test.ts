import { describe, expect, it } from "vitest";
import {
  makePreviousPeriod,
  makePreviousRow,
  makeUsageReport,
  makeUsageRow,
} from "#platform/usage-report.fixture.ts";
import { toLatencyTimeline, toOutcomeTimeline } from "./timeline.view-model.ts";

const ROWS = [
  makeUsageRow(0, { outcome: "VALID" }, { requests: 10 }),
  makeUsageRow(2, { outcome: "VALID" }, { requests: 30 }),
  makeUsageRow(0, { outcome: "REVOKED" }, { requests: 1 }),
  makeUsageRow(0, { outcome: "EXPIRED" }, { requests: 2 }),
  makeUsageRow(1, { outcome: "SOMETHING_NEW" }, { requests: 4 }),
];

describe("toOutcomeTimeline", () => {
  it("adds up outcomes that mean the same, and loses no call", () => {
    const { series, buckets } = toOutcomeTimeline(makeUsageReport({ rows: ROWS }));
    expect(series.map((one) => [one.label, one.values])).toEqual([
      ["Allowed", [10, 0, 30]],
      ["Key rejected", [3, 0, 0]],
      ["Other denials", [0, 4, 0]],
    ]);
    expect(buckets).toHaveLength(3);
    expect(series.every((one) => one.previous === undefined)).toBe(true);
  });

  it("shows what the upstream answered with 5xx as failed, apart from what was served", () => {
    const of = (status_class: string, requests: number, outcome = "VALID") =>
      makeUsageRow(0, { outcome, status_class }, { requests });
    const rows = [of("2xx", 10), of("4xx", 5), of("5xx", 3), of("5xx", 2, "UPSTREAM_TIMEOUT")];
    const { series } = toOutcomeTimeline(makeUsageReport({ rows }));
    expect(series.map((one) => [one.label, one.tone, one.values])).toEqual([
      ["Allowed", "accent", [15, 0, 0]],
      ["Upstream error", "danger", [5, 0, 0]],
    ]);
  });

  it("shows what there was only before, and zeros where there was nothing before", () => {
    const previous = makePreviousPeriod({
      rows: [makePreviousRow(1, { outcome: "RATE_LIMITED" }, { requests: 8 })],
    });
    const { series } = toOutcomeTimeline(makeUsageReport({ rows: ROWS.slice(0, 1), previous }));
    expect(series.map((one) => [one.label, one.values, one.previous])).toEqual([
      ["Allowed", [10, 0, 0], [0, 0, 0]],
      ["Rate limited", [0, 0, 0], [0, 8, 0]],
    ]);
  });

  it("shows nothing but what the filters leave", () => {
    const rows = [makeUsageRow(1, { outcome: "RATE_LIMITED" }, { requests: 3 })];
    const { series } = toOutcomeTimeline(makeUsageReport({ rows }));
    expect(series.map((one) => one.label)).toEqual(["Rate limited"]);
  });

  it("is a line of zeros when nothing came", () => {
    expect(toOutcomeTimeline(makeUsageReport()).series).toEqual([
      { key: "served", label: "Allowed", tone: "accent", values: [0, 0, 0] },
    ]);
  });
});

describe("toLatencyTimeline", () => {
  const report = makeUsageReport({
    rows: [
      makeUsageRow(1, {}, { latency_p50: 5, latency_p95: 20, latency_p99: 40 }),
      makeUsageRow(2, {}, { latency_p50: null, latency_p95: null, latency_p99: null }),
    ],
    previous: makePreviousPeriod({ rows: [makePreviousRow(0, {}, { latency_p95: 9 })] }),
  });

  it("leaves a gap where no call was measured", () => {
    const { series } = toLatencyTimeline(report, false);
    expect(series.map((one) => [one.label, one.values])).toEqual([
      ["p50", [null, 5, null]],
      ["p95", [null, 20, null]],
      ["p99", [null, 40, null]],
    ]);
  });

  it("shows the period before only when it is asked for", () => {
    expect(toLatencyTimeline(report, true).series[1]?.previous).toEqual([9, null, null]);
    expect(toLatencyTimeline(report, false).series[1]).not.toHaveProperty("previous");
  });
});
