import { usageReport } from "@turnpike/contract/usage";
import { describe, expect, it } from "vitest";
import {
  makePreviousPeriod,
  makePreviousRow,
  makeUsageReport,
  makeUsageRow,
} from "./usage-report.fixture.ts";
import { readMeasure, toMeasureValues, toPreviousValues, toReportBuckets } from "./usage-series.ts";

const ROWS = [
  makeUsageRow(0, {}, { requests: 5, latency_p95: 12.5 }),
  makeUsageRow(2, {}, { requests: 7, latency_p95: null }),
];

describe("series of a report", () => {
  it("come from reports that the contract allows", () => {
    expect(() => usageReport.parse(makeUsageReport({ rows: ROWS }))).not.toThrow();
  });

  it("are zero where a count has no row, and unknown where a percentile has none", () => {
    const report = makeUsageReport({ rows: ROWS });
    expect(toMeasureValues(report, report.rows, "requests")).toEqual([5, 0, 7]);
    expect(toMeasureValues(report, report.rows, "latency_p95")).toEqual([12.5, null, null]);
  });

  it("find the first bucket although it began before the range", () => {
    const report = makeUsageReport({ from: "2026-11-21T09:40:00.000Z", rows: ROWS });
    expect(toMeasureValues(report, report.rows, "requests")).toEqual([5, 0, 7]);
    expect(toReportBuckets(report)[0]).toEqual({
      fromMs: Date.parse("2026-11-21T09:40:00.000Z"),
      toMs: Date.parse("2026-11-21T10:00:00.000Z"),
      isIncomplete: true,
    });
  });

  it("mark the last bucket while it runs, and name what each is compared with", () => {
    const to = "2026-11-21T11:20:00.000Z";
    const buckets = toReportBuckets(makeUsageReport({ to, previous: makePreviousPeriod() }));
    expect(buckets.map(({ isIncomplete }) => isIncomplete === true)).toEqual([false, false, true]);
    expect(buckets[1]?.previous).toEqual({
      fromMs: Date.parse("2026-11-20T10:00:00.000Z"),
      toMs: Date.parse("2026-11-20T11:00:00.000Z"),
    });
  });

  it("compare by position, also when the period before has another number of buckets", () => {
    const rows = [makePreviousRow(1, {}, { requests: 3 })];
    const previous = makePreviousPeriod({ rows, times: makePreviousPeriod().times.slice(0, 2) });
    const report = makeUsageReport({ previous });
    expect(toPreviousValues(report, () => true, "requests")).toEqual([0, 3, 0]);
    expect(toPreviousValues(report, () => true, "latency_p50")).toEqual([null, null, null]);
    expect(toPreviousValues(makeUsageReport(), () => true, "requests")).toBe(undefined);
  });

  it("read exact decimals as numbers and what was not asked for as not known", () => {
    expect(readMeasure({ billable: "12.5" }, "billable")).toBe(12.5);
    expect(readMeasure({}, "errors")).toBe(null);
    expect(readMeasure({ error_rate: null }, "error_rate")).toBe(null);
  });
});
