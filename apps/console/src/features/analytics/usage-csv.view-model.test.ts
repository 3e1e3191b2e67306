import { describe, expect, it } from "vitest";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import { toUsageCsv } from "./usage-csv.view-model.ts";

describe("toUsageCsv", () => {
  it("writes a line for each row, with time and dimensions first", () => {
    const report = makeUsageReport({
      dimensions: ["outcome"],
      measures: ["requests", "latency_p95"],
      rows: [makeUsageRow(0, { outcome: "VALID" }, { requests: 5, latency_p95: null })],
    });
    expect(toUsageCsv(report)).toBe(
      "time,outcome,requests,latency_p95\r\n2026-11-21T09:00:00.000Z,VALID,5,\r\n",
    );
  });

  it("names keys, quotes what needs it and lets no value become a formula", () => {
    const report = makeUsageReport({
      grain: null,
      dimensions: ["key", "route"],
      rows: [makeUsageRow(null, { key: "key_1", route: '/a,"b"' }, { requests: 1 })],
    });
    expect(toUsageCsv(report, () => "=HYPERLINK(1)")).toBe(
      'key,route,key_name,requests\r\nkey_1,"/a,""b""",\'=HYPERLINK(1),1\r\n',
    );
  });

  it("is a head alone when there is nothing", () => {
    expect(toUsageCsv(makeUsageReport({ grain: null }))).toBe("requests\r\n");
  });
});
