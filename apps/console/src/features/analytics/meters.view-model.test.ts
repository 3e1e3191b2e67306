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

describe("the meter that is open", () => {
  const METERS = [CALLS, SUM, MEAN];
  const none = { "meter:requests": "0" };

  it.each([
    ["the chosen one, also without usage", [none, undefined, undefined], "size", "size"],
    [
      "the first that has usage",
      [none, { "meter:tokens": "1250" }, undefined],
      undefined,
      "tokens",
    ],
    [
      "none while an earlier one may have some",
      [undefined, { "meter:tokens": "1" }, {}],
      undefined,
      undefined,
    ],
    [
      "the first where none has any",
      [none, { "meter:tokens": "0" }, { "meter:size": null }],
      undefined,
      "requests",
    ],
    ["the first where the chosen one is not there", [none, {}, {}], "gone", "requests"],
  ] as const)("is %s", (_, totals, chosen, expected) => {
    expect(pickMeter(METERS, totals, chosen)?.meterId).toBe(expected);
  });
});

describe("the questions about a meter", () => {
  it.each([
    ["a meter of calls, by everything", CALLS, [], ["environment", "key", "status"], []],
    ["a sum of events", SUM, [], ["environment", "key"], ["status"]],
    ["a sum of a part of events", SUM, ["model:a"], ["environment", "event"], ["status"]],
    ["a mean", MEAN, [], ["environment"], ["status", "key"]],
  ] as const)("are narrowed for %s by what is kept of it", (_, meter, events, names, left) => {
    expect(Object.keys(toMeterFilters(meter, VIEW, events)).toSorted()).toEqual([...names]);
    const unanswered = listUnansweredFilters(meter, VIEW);
    expect(unanswered).toEqual(expect.arrayContaining([...left]));
  });

  it("are by the minute only where that is kept", () => {
    expect(toMeterGrain(CALLS, "minute", [])).toBe("minute");
    expect(toMeterGrain(SUM, "minute", [])).toBe("minute");
    expect(toMeterGrain(SUM, "minute", ["model:a"])).toBe("hour");
    expect(toMeterGrain(MEAN, "minute", [])).toBe("hour");
    expect(toMeterGrain(MEAN, "day", [])).toBe("day");
  });
});

describe("the filters of the page that a meter does not follow", () => {
  it("are more where a sum is broken down by a part of its events, which is not kept by key", () => {
    const view = toAnalyticsView({ key: KEY, environment: "live" });
    expect(listUnansweredFilters(SUM, view)).toEqual([]);
    expect(listUnansweredFilters(SUM, view, true)).toEqual(["key"]);
    expect(toMeterFilters(SUM, view, [], true)).toEqual({ environment: ["live"] });
    expect(listUnansweredFilters(CALLS, view, true)).toEqual([]);
  });
});

describe("the range that a meter is asked about", () => {
  const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
  const view = (from: string, to: string) =>
    toAnalyticsView({ from: `2026-11-21T${from}Z`, to: `2026-11-21T${to}Z` });
  const quarter = { fromMs: at("10:15"), toMs: at("10:30") };

  it.each([
    ["a mean within a quarter of an hour", MEAN, view("10:17", "10:19"), false, quarter],
    ["a part of a sum", SUM, view("10:17", "10:19"), true, quarter],
    ["a mean over several", MEAN, view("10:15", "10:31"), false, { ...quarter, toMs: at("10:45") }],
    ["a sum, which is kept by the minute", SUM, view("10:17", "10:19"), false, undefined],
    ["a meter of calls", CALLS, view("10:17", "10:19"), true, undefined],
    ["whole quarters", MEAN, view("10:15", "10:30"), false, undefined],
  ])(
    "is in whole quarters of an hour where nothing finer is kept: %s",
    (_, meter, seen, hasParts, widened) => {
      expect(toWidenedRange(meter, seen, hasParts)).toEqual(widened);
      expect(toMeterRange(meter, seen, hasParts)).toEqual(widened ?? seen.range);
    },
  );

  it("is the last hours where these are looked at", () => {
    const seen = toAnalyticsView({ range: "1h" });
    expect(toMeterRange(MEAN, seen, false)).toEqual({ lastMs: 3_600_000 });
  });
});

describe("a meter over time", () => {
  it("is 0 where nothing was counted, and not known where a mean has no event", () => {
    const report = (measure: "meter:tokens" | "meter:size") =>
      makeUsageReport({ rows: [makeUsageRow(1, {}, { [measure]: "2.5" })] });
    expect(toMeterValues(SUM, report("meter:tokens"))).toEqual([0, 2.5, 0]);
    expect(toMeterValues(MEAN, report("meter:size"))).toEqual([null, 2.5, null]);
  });
});
