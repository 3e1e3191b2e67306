import { describe, expect, it } from "vitest";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import { toAnalyticsView } from "./analytics-search.view-model.ts";
import {
  listUnansweredFilters,
  type Meter,
  pickMeter,
  toMeterFilters,
  toMeterGrain,
  toMeterRange,
  toMeterValues,
  toWidenedRange,
} from "./meters.view-model.ts";

const CALLS: Meter = {
  meterId: "requests",
  name: "Requests",
  unit: "request",
  aggregation: "count",
};
const SUM: Meter = { ...CALLS, meterId: "tokens", aggregation: "sum", eventType: "llm.call" };
const MEAN: Meter = { ...SUM, meterId: "size", aggregation: "avg" };
const KEY = `key_${"0".repeat(32)}`;
const VIEW = toAnalyticsView({ status: 404, key: KEY, environment: "live" });

describe("the open meter", () => {
  const METERS = [CALLS, SUM, MEAN];
  const none = { "meter:requests": "0" };

  it.each([
    ["the chosen one, even without usage", [none, undefined, undefined], "size", "size"],
    [
      "the first that has usage",
      [none, { "meter:tokens": "1250" }, undefined],
      undefined,
      "tokens",
    ],
    [
      "none until earlier meters are known to have no usage",
      [undefined, { "meter:tokens": "1" }, {}],
      undefined,
      undefined,
    ],
    [
      "the first when none has any",
      [none, { "meter:tokens": "0" }, { "meter:size": null }],
      undefined,
      "requests",
    ],
    ["the first when the chosen one does not exist", [none, {}, {}], "gone", "requests"],
  ] as const)("is %s", (_, totals, chosen, expected) => {
    expect(pickMeter(METERS, totals, chosen)?.meterId).toBe(expected);
  });
});

describe("the questions about a meter", () => {
  it.each([
    ["a meter of calls, by everything", CALLS, [], ["environment", "key", "status"], []],
    ["a sum of events", SUM, [], ["environment", "key"], ["status"]],
    ["a sum for one dimension value", SUM, ["model:a"], ["environment", "event"], ["status"]],
    ["a mean", MEAN, [], ["environment"], ["status", "key"]],
  ] as const)("about %s use the filters that apply to it", (_, meter, events, names, left) => {
    expect(Object.keys(toMeterFilters(meter, VIEW, events)).toSorted()).toEqual([...names]);
    const unanswered = listUnansweredFilters(meter, VIEW);
    expect(unanswered).toEqual(expect.arrayContaining([...left]));
  });

  it("are by the minute only where that grain is stored", () => {
    expect(toMeterGrain(CALLS, "minute", [])).toBe("minute");
    expect(toMeterGrain(SUM, "minute", [])).toBe("minute");
    expect(toMeterGrain(SUM, "minute", ["model:a"])).toBe("hour");
    expect(toMeterGrain(MEAN, "minute", [])).toBe("hour");
    expect(toMeterGrain(MEAN, "day", [])).toBe("day");
  });
});

describe("the page filters that a meter does not follow", () => {
  it("include the key when a sum is broken down by a dimension, which is not stored by key", () => {
    const view = toAnalyticsView({ key: KEY, environment: "live" });
    expect(listUnansweredFilters(SUM, view)).toEqual([]);
    expect(listUnansweredFilters(SUM, view, true)).toEqual(["key"]);
    expect(toMeterFilters(SUM, view, [], true)).toEqual({ environment: ["live"] });
    expect(listUnansweredFilters(CALLS, view, true)).toEqual([]);
  });
});

describe("the range that a meter is asked for", () => {
  const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
  const view = (from: string, to: string) =>
    toAnalyticsView({ from: `2026-11-21T${from}Z`, to: `2026-11-21T${to}Z` });
  const quarter = { fromMs: at("10:15"), toMs: at("10:30") };

  it.each([
    ["a mean within 15 minutes", MEAN, view("10:17", "10:19"), false, quarter],
    ["a breakdown of a sum", SUM, view("10:17", "10:19"), true, quarter],
    [
      "a mean over several steps",
      MEAN,
      view("10:15", "10:31"),
      false,
      { ...quarter, toMs: at("10:45") },
    ],
    ["a sum, which is stored by the minute", SUM, view("10:17", "10:19"), false, undefined],
    ["a meter of calls", CALLS, view("10:17", "10:19"), true, undefined],
    ["whole steps", MEAN, view("10:15", "10:30"), false, undefined],
  ])(
    "is widened to 15-minute steps where nothing finer is stored: %s",
    (_, meter, seen, hasParts, widened) => {
      expect(toWidenedRange(meter, seen, hasParts)).toEqual(widened);
      expect(toMeterRange(meter, seen, hasParts)).toEqual(widened ?? seen.range);
    },
  );

  it("is the last hours when the page shows the last hours", () => {
    const seen = toAnalyticsView({ range: "1h" });
    expect(toMeterRange(MEAN, seen, false)).toEqual({ lastMs: 3_600_000 });
  });
});

describe("a meter over time", () => {
  it("is 0 where nothing was counted, and unknown where a mean has no event", () => {
    const report = (measure: "meter:tokens" | "meter:size") =>
      makeUsageReport({ rows: [makeUsageRow(1, {}, { [measure]: "2.5" })] });
    expect(toMeterValues(SUM, report("meter:tokens"))).toEqual([0, 2.5, 0]);
    expect(toMeterValues(MEAN, report("meter:size"))).toEqual([null, 2.5, null]);
  });
});
