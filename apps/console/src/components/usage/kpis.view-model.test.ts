import { describe, expect, it } from "vitest";
import {
  makePreviousPeriod,
  makeUsageReport,
  makeUsageRow,
} from "#platform/usage-report.fixture.ts";
import { KPI_WORDS, toKpis } from "./kpis.view-model.ts";

const NOW = { requests: 12_345, denied: 100, errors: 245, error_rate: 0.02, latency_p95: 34.4 };
const BEFORE = { requests: 10_000, denied: 50, error_rate: 0.01, latency_p95: 40 };

describe("toKpis", () => {
  it("tells good news from bad: fewer requests are neither, more errors are bad, faster is good", () => {
    const kpis = toKpis(
      makeUsageReport({ totals: NOW, previous: makePreviousPeriod({ totals: BEFORE }) }),
    );
    expect(kpis.map((kpi) => [kpi.key, kpi.value, kpi.change?.text, kpi.verdict])).toEqual([
      ["requests", "12.3K", "+23.5%", "neutral"],
      ["success", "98.0%", "-1 pp", "bad"],
      ["denied", "100", "+100%", "bad"],
      ["p95", "34 ms", "-14%", "good"],
    ]);
  });

  it("says the exact value and the share behind a short one", () => {
    const kpis = toKpis(makeUsageReport({ totals: NOW }));
    expect(kpis.map(({ exact }) => exact)).toEqual([
      "12,345 requests",
      "12,000 of 12,245 allowed calls",
      "100 denied calls",
      "34.4 ms",
    ]);
    expect(kpis[2]?.context).toBe("0.8% of all requests");
    expect(kpis.every((kpi) => kpi.change === undefined && kpi.verdict === "neutral")).toBe(true);
  });

  it("claims nothing about what was not measured", () => {
    const kpis = toKpis(
      makeUsageReport({
        totals: { requests: 0, denied: 0, error_rate: null, latency_p95: null },
        previous: makePreviousPeriod({ totals: BEFORE }),
      }),
    );
    expect(kpis.map((kpi) => kpi.value)).toEqual(["0", "–", "0", "–"]);
    expect(kpis[1]?.change).toBe(undefined);
    expect(kpis[3]?.trend).toEqual([null, null, null]);
  });

  it.each([
    ["some of the period before is not kept", "2026-11-20T10:00:00.000Z", undefined],
    ["all of it is", "2026-11-20T09:00:00.000Z", "+23.5%"],
    ["nothing is said of what is kept", undefined, "+23.5%"],
  ])("shows no change where %s, and one otherwise", (_, keptFrom, change) => {
    const previous = makePreviousPeriod({ totals: BEFORE });
    const kept = keptFrom === undefined ? {} : { keptFrom };
    const [requests] = toKpis(makeUsageReport({ totals: NOW, previous, ...kept }));
    expect(requests?.change?.text).toBe(change);
  });

  it("says of success below its number and in full that only 5xx are failures", () => {
    expect(toKpis(makeUsageReport({ totals: NOW }))[1]?.context).toBe("without a 5xx response");
    const refused = makeUsageReport({ totals: { ...NOW, requests: 1_000, denied: 890 } });
    expect(toKpis(refused)[1]?.context).toBe("of the 11.0% allowed, without a 5xx");
    expect(KPI_WORDS.success.meaning).toMatch(/4xx such as 404 counts as success/);
  });

  it("draws the trend of success, not of failure", () => {
    const rows = [makeUsageRow(0, {}, { error_rate: 0.25 })];
    expect(toKpis(makeUsageReport({ rows, totals: NOW }))[1]?.trend).toEqual([0.75, null, null]);
  });
});
