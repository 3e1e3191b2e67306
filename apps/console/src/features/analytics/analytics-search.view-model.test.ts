import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AnalyticsView,
  chooseGrain,
  clearFilters,
  countFilters,
  FILTER_DIMENSIONS,
  isLiveRange,
  listGrains,
  parseAnalyticsSearch,
  RANGE_PRESETS,
  setChartView,
  setFilter,
  toAnalyticsSearch,
  toAnalyticsView,
  toggleFilter,
  toUsageRange,
} from "./analytics-search.view-model.ts";

const KEY = "key_0199f3b0c1d27a4e8f60112233445566";
const PLAIN = toAnalyticsView({});

describe("the address of analytics", () => {
  it("is empty for the default view", () => {
    expect(toAnalyticsSearch(PLAIN)).toEqual({});
    expect(PLAIN).toMatchObject({ range: { preset: "24h" }, isCompared: false, filters: {} });
  });

  it("accepts a status that the router parsed as a number", () => {
    expect(toAnalyticsView({ status: 404 }).filters).toEqual({ status: ["404"] });
    expect(toAnalyticsSearch(toAnalyticsView({ status: "404" })).status).toBe(404);
    expect(toAnalyticsSearch(toAnalyticsView({ status: "404,500" })).status).toBe("404,500");
  });

  it("keeps a route with a comma whole, and keeps the empty route", () => {
    const view = setFilter(PLAIN, "route", ["/a,b", ""]);
    expect(toAnalyticsView(toAnalyticsSearch(view)).filters).toEqual({ route: ["/a,b", ""] });
  });

  it.each([
    ["a range that ends before it begins", { from: "2026-11-21", to: "2026-11-20" }],
    ["a range without an end", { from: "2026-11-21" }],
    ["an unknown range, grain and zone", { range: "9y", grain: "second", timeZone: "Mars/One" }],
    [
      "values of the wrong kind",
      { status: "abc", key: "key_1", environment: "prod", outcome: "<b>" },
    ],
    ["an invalid meter, dimension or event", { meter: "Tokens!", part: "a-b", event: "model,7:x" }],
    ["both environments, which are all", { environment: "live,test" }],
    ["values that are not text", { range: {}, key: ["a"], tables: 7, live: true, compare: null }],
  ])("leaves out %s", (_, search) => {
    expect(parseAnalyticsSearch(search)).toEqual({});
  });

  it("round-trips every view", () => {
    const word = fc.constantFrom("VALID", "RATE_LIMITED", "QUOTA_EXCEEDED");
    fc.assert(
      fc.property(
        fc.record({
          range: fc.oneof(
            fc.constantFrom(...RANGE_PRESETS.map(({ value }) => ({ preset: value }))),
            fc.record({
              fromMs: fc.integer({ min: 0, max: 1e12 }),
              toMs: fc.integer({ min: 1e12 + 1, max: 2e12 }),
            }),
          ),
          grain: fc.constantFrom(undefined, "minute" as const, "day" as const),
          timeZone: fc.constantFrom(undefined, "UTC", "Asia/Kolkata"),
          isCompared: fc.boolean(),
          tables: fc.subarray(["requests" as const, "latency" as const]),
          isPaused: fc.boolean(),
          models: fc.constantFrom(undefined, "output-tokens"),
          meter: fc.constantFrom(undefined, "tokens", "gb-hours"),
          part: fc.constantFrom(undefined, "model"),
          savedView: fc.constantFrom(undefined, "view-0199f3b0"),
          events: fc.uniqueArray(
            fc.string({ maxLength: 20 }).map((value) => `model:${value}`),
            { maxLength: 5 },
          ),
          outcomes: fc.uniqueArray(word),
          routes: fc.uniqueArray(fc.string({ maxLength: 20 }), { maxLength: 5 }),
        }),
        ({ outcomes, routes, ...rest }) => {
          const filtered = setFilter({ ...rest, filters: {} }, "outcome", outcomes);
          const view: AnalyticsView = setFilter(filtered, "route", routes);
          expect(toAnalyticsView(toAnalyticsSearch(view))).toEqual(view);
        },
      ),
    );
  });
});

describe("filters", () => {
  it("are added and removed one by one, or all at once", () => {
    const once = toggleFilter(toggleFilter(PLAIN, "status", "404"), "status", "500");
    expect(once.filters).toEqual({ status: ["404", "500"] });
    expect(countFilters(toggleFilter(once, "key", KEY))).toBe(3);
    expect(toggleFilter(toggleFilter(once, "status", "404"), "status", "500").filters).toEqual({});
    expect(countFilters(clearFilters(once))).toBe(0);
  });

  it("hold no more values than the API accepts", () => {
    const many = Array.from({ length: 150 }, (_, index) => `/r${String(index)}`).join(",");
    expect(toAnalyticsView({ route: many }).filters.route).toHaveLength(100);
    expect(FILTER_DIMENSIONS).toContain("method");
  });
});

describe("grain", () => {
  it("follows range and width, or the choice where the range allows it", () => {
    expect(chooseGrain(toAnalyticsView({ range: "1h" }), 700)).toBe("minute");
    expect(chooseGrain(toAnalyticsView({ range: "30d" }), 700)).toBe("day");
    expect(chooseGrain(toAnalyticsView({ range: "30d", grain: "hour" }), 700)).toBe("hour");
    expect(chooseGrain(toAnalyticsView({ range: "90d", grain: "minute" }), 700)).toBe("day");
  });

  it("is offered only where it gives neither thousands of buckets nor a single one", () => {
    expect(listGrains(toAnalyticsView({ range: "1h" }))).toEqual(["minute"]);
    expect(listGrains(toAnalyticsView({ range: "24h" }))).toEqual(["hour"]);
    expect(listGrains(toAnalyticsView({ range: "30d" }))).toEqual(["hour", "day", "week"]);
  });

  it.each([
    [731, ["day", "week", "month"], "week"],
    [732, ["week", "month"], "week"],
    [1_827, ["week", "month"], "week"],
    [1_828, ["month"], "month"],
    [3_653, ["month"], "month"],
  ])("is one that the API answers for %s days", (days, offered, chosen) => {
    const toMs = Date.parse("2026-01-01T00:00Z");
    const from = new Date(toMs - days * 86_400_000).toISOString();
    const search = { from, to: "2026-01-01T00:00Z" };
    expect(listGrains(toAnalyticsView(search))).toEqual(offered);
    expect(chooseGrain(toAnalyticsView({ ...search, grain: "day" }), 5_000)).toBe(
      days > 731 ? chosen : "day",
    );
    expect(chooseGrain(toAnalyticsView(search), 1_400)).toBe(chosen);
  });
});

describe("range", () => {
  it("is live while it contains now", () => {
    const nowMs = Date.parse("2026-11-21T12:00Z");
    expect(isLiveRange(PLAIN, nowMs)).toBe(true);
    const past = toAnalyticsView({ from: "2026-11-20T00:00Z", to: "2026-11-21T00:00Z" });
    expect(isLiveRange(past, nowMs)).toBe(false);
    expect(toUsageRange(past)).toEqual({
      fromMs: Date.parse("2026-11-20T00:00Z"),
      toMs: Date.parse("2026-11-21T00:00Z"),
    });
    expect(isLiveRange(toAnalyticsView({ from: "2026-11-20", to: "2026-11-22" }), nowMs)).toBe(
      true,
    );
  });
});

describe("tables", () => {
  it("are remembered per chart", () => {
    const both = setChartView(setChartView(PLAIN, "latency", "table"), "requests", "table");
    expect(toAnalyticsView(toAnalyticsSearch(both)).tables).toEqual(["requests", "latency"]);
    expect(setChartView(both, "latency", "chart").tables).toEqual(["requests"]);
  });
});
