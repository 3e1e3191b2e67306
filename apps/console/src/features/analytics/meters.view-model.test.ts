import { describe, expect, it } from "vitest";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import { toAnalyticsView } from "./analytics-search.view-model.ts";
import {
  listUnansweredFilters,
  type Meter,
  pickMeter,
  toMeterFilters,
  toMeterGrain,
  toMeterValues,
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

describe("a meter over time", () => {
  it("is 0 where nothing was counted, and not known where a mean has no event", () => {
    const report = (measure: "meter:tokens" | "meter:size") =>
      makeUsageReport({ rows: [makeUsageRow(1, {}, { [measure]: "2.5" })] });
    expect(toMeterValues(SUM, report("meter:tokens"))).toEqual([0, 2.5, 0]);
    expect(toMeterValues(MEAN, report("meter:size"))).toEqual([null, 2.5, null]);
  });
});
