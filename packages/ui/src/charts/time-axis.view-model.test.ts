import { describe, expect, it } from "vitest";
import { listBuckets } from "./list-buckets.fixture.ts";
import { listTimeTicks } from "./time-axis.view-model.ts";
import type { TimeGrain } from "./time-buckets.view-model.ts";

function ticks(
  from: string,
  to: string,
  grain: TimeGrain,
  { timeZone = "UTC", labelsMax = 10 } = {},
): string[] {
  const range = { fromMs: Date.parse(from), toMs: Date.parse(to) };
  const buckets = listBuckets({ ...range, grain, timeZone });
  return listTimeTicks({ buckets, timeZone, labelsMax }).map(
    (tick) => `${tick.unit} ${new Date(tick.instantMs).toISOString().slice(0, 16)}`,
  );
}

describe("listTimeTicks", () => {
  it("names midnight by its day and the hours by their time, so that no date stands twice", () => {
    expect(ticks("2026-11-20T15:00:00Z", "2026-11-21T15:00:00Z", "hour")).toEqual([
      "time 2026-11-20T15:00",
      "time 2026-11-20T18:00",
      "time 2026-11-20T21:00",
      "day 2026-11-21T00:00",
      "time 2026-11-21T03:00",
      "time 2026-11-21T06:00",
      "time 2026-11-21T09:00",
      "time 2026-11-21T12:00",
    ]);
  });

  it("labels a week of hours with one date a day", () => {
    const labels = ticks("2026-11-14T00:00:00Z", "2026-11-21T00:00:00Z", "hour");
    expect(labels).toHaveLength(7);
    expect(labels.every((label) => label.startsWith("day") && label.endsWith("00:00"))).toBe(true);
  });

  it.each([3, 5, 8, 12])("never gives more than %i labels when no more fit", (labelsMax) => {
    for (const days of [1, 2, 7, 31, 90, 400]) {
      const to = new Date(Date.parse("2026-01-01") + days * 86_400_000).toISOString();
      const grain = days > 14 ? "day" : "hour";
      const labels = ticks("2026-01-01T00:00:00Z", to, grain, { labelsMax });
      expect(labels.length).toBeGreaterThan(0);
      expect(labels.length).toBeLessThanOrEqual(labelsMax);
      expect(new Set(labels).size).toBe(labels.length);
    }
  });

  it("places midnight in the zone, on days of 23 and 25 hours too", () => {
    const labels = ticks("2026-10-23T22:00:00Z", "2026-10-27T23:00:00Z", "hour", {
      timeZone: "Europe/Berlin",
      labelsMax: 5,
    });
    expect(labels).toEqual([
      "day 2026-10-23T22:00",
      "day 2026-10-24T22:00",
      "day 2026-10-25T23:00",
      "day 2026-10-26T23:00",
    ]);
  });

  it("places hours by the half hour of the zone", () => {
    const labels = ticks("2026-11-21T00:00:00Z", "2026-11-21T06:00:00Z", "hour", {
      timeZone: "Asia/Kolkata",
      labelsMax: 3,
    });
    expect(labels.every((label) => label.endsWith(":30"))).toBe(true);
  });

  it("names months and years when days no longer fit", () => {
    const labels = ticks("2025-03-01T00:00:00Z", "2026-11-21T00:00:00Z", "month");
    expect(labels).toContain("year 2026-01-01T00:00");
    expect(labels).toContain("month 2025-07-01T00:00");
  });

  it("keeps the last day of a month from standing on the first of the next", () => {
    const labels = ticks("2026-10-22T00:00:00Z", "2026-11-08T00:00:00Z", "day");
    expect(labels).toContain("day 2026-11-01T00:00");
    expect(labels).not.toContain("day 2026-10-31T00:00");
  });

  it("labels weeks where they begin, and days although the first one is cut short", () => {
    expect(ticks("2026-10-05T00:00:00Z", "2026-11-16T00:00:00Z", "week", { labelsMax: 3 })).toEqual(
      ["day 2026-10-05T00:00", "day 2026-10-19T00:00", "day 2026-11-02T00:00"],
    );
    const buckets = [
      { fromMs: Date.parse("2026-11-01T22:00Z"), toMs: Date.parse("2026-11-02T00:00Z") },
      { fromMs: Date.parse("2026-11-02T00:00Z"), toMs: Date.parse("2026-11-03T00:00Z") },
    ];
    expect(listTimeTicks({ buckets, timeZone: "UTC", labelsMax: 9 })).toEqual([
      { instantMs: buckets[1]?.fromMs, unit: "day" },
    ]);
  });

  it("labels one bucket alone, and nothing where there is none", () => {
    expect(ticks("2026-11-21T13:07:00Z", "2026-11-21T13:08:00Z", "minute")).toEqual([
      "time 2026-11-21T13:07",
    ]);
    expect(listTimeTicks({ buckets: [], timeZone: "UTC", labelsMax: 5 })).toEqual([]);
  });
});
