import { describe, expect, it } from "vitest";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import { toBreakdown, toDimensionName, toKeyNames } from "./breakdown.view-model.ts";

const KEY = "key_0199f3b0c1d27a4e8f60112233445566";
const OTHER = "key_0199f3b0c1d27a4e8f60112233445567";
const NAMES = toKeyNames([
  { keyId: KEY, name: "Production", start: "tp_live_ab", lastFour: "x7Qz" },
]);

describe("toBreakdown", () => {
  it("lists every status with its exact number, the most frequent first", () => {
    const report = makeUsageReport({
      grain: null,
      rows: [
        makeUsageRow(null, { status: "404" }, { requests: 213 }),
        makeUsageRow(null, { status: "200" }, { requests: 9126 }),
        makeUsageRow(null, { status: "304" }, { requests: 445 }),
      ],
      totals: { requests: 9784 },
    });
    const { items, total } = toBreakdown({
      report,
      dimension: "status",
      measure: "requests",
      keyNames: NAMES,
    });
    expect(items.map((item) => [item.label, item.value, item.tone])).toEqual([
      ["200", 9126, "ok"],
      ["304", 445, "info"],
      ["404", 213, "warning"],
    ]);
    expect(total).toBe(9784);
  });

  it("lists only denied calls as denials", () => {
    const report = makeUsageReport({
      grain: null,
      rows: [
        makeUsageRow(null, { outcome: "RATE_LIMITED" }, { requests: 8, denied: 8 }),
        makeUsageRow(null, { outcome: "VALID" }, { requests: 90, denied: 0 }),
      ],
      totals: { requests: 98, denied: 8 },
    });
    const { items, total } = toBreakdown({
      report,
      dimension: "outcome",
      measure: "denied",
      keyNames: NAMES,
    });
    expect(items).toEqual([
      {
        key: "RATE_LIMITED",
        label: "Rate limited",
        detail: "RATE_LIMITED",
        value: 8,
        tone: "warning",
      },
    ]);
    expect(total).toBe(8);
  });
});

describe("toDimensionName", () => {
  it.each([
    ["a key by its name", "key", KEY, { label: "Production", detail: "tp_live_ab…x7Qz" }],
    ["a key that is not on the page by its id", "key", OTHER, { label: OTHER }],
    ["calls without a key", "key", "", { label: "Unknown key" }],
    ["a route that is not known", "route", "", { label: "Unknown" }],
    ["routes that are not counted separately", "route", "{other}", { label: "Other routes" }],
    ["a route as it is", "route", "/v1/{id}", { label: "/v1/{id}" }],
    ["an outcome in words", "outcome", "QUOTA_EXCEEDED", { label: "Quota exceeded" }],
  ] as const)("names %s", (_, dimension, value, name) => {
    expect(toDimensionName(dimension, value, NAMES)).toEqual(name);
  });
});
