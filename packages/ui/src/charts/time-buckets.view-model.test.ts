import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listBuckets } from "./list-buckets.fixture.ts";
import {
  alignToBuckets,
  BAR_GAP_PX,
  BAR_WIDTH_MIN_PX,
  BUCKETS_MAX,
  markIncomplete,
  mergeBuckets,
  pickGrain,
  pickMergeStep,
  sumMerged,
  type TIME_GRAINS,
  toBuckets,
} from "./time-buckets.view-model.ts";

const at = (iso: string) => Date.parse(iso);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe"];

function list(from: string, to: string, grain: (typeof TIME_GRAINS)[number], timeZone: string) {
  return listBuckets({ fromMs: at(from), toMs: at(to), grain, timeZone });
}

describe("markIncomplete", () => {
  it.each([
    ["hour", "2026-11-21T00:00Z", "2026-11-21T03:00Z", [false, false, false]],
    ["hour", "2026-11-21T00:20Z", "2026-11-21T02:40Z", [true, false, true]],
    ["day", "2026-03-28T23:00Z", "2026-03-30T22:00Z", [false, false]],
    ["day", "2026-03-28T23:00Z", "2026-03-30T21:59Z", [false, true]],
    ["week", "2026-11-15T23:00Z", "2026-11-28T00:00Z", [false, true]],
    ["month", "2026-01-31T23:00Z", "2026-02-28T23:00Z", [false]],
    ["month", "2025-12-31T23:00Z", "2026-01-31T00:00Z", [true]],
  ] as const)(
    "tells cut buckets by the calendar of the zone: by %s from %s to %s",
    (grain, from, to, expected) => {
      const timeZone = "Europe/Berlin";
      const whole = list(from.replace(/:[1-9]\d?Z|:20Z/, ":00Z"), to, grain, timeZone);
      const startsMs = whole.map(({ fromMs }) => fromMs);
      const buckets = toBuckets(startsMs, { fromMs: at(from), toMs: at(to) });
      const marked = markIncomplete(buckets, { startsMs, grain, timeZone });
      expect(marked.map(({ isIncomplete }) => isIncomplete === true)).toEqual(expected);
    },
  );

  it("survives joining, as does the time of comparison", () => {
    const hours = list("2026-11-21T00:00Z", "2026-11-21T08:00Z", "hour", "UTC").map((bucket) => ({
      ...bucket,
      previous: { fromMs: bucket.fromMs - DAY_MS, toMs: bucket.toMs - DAY_MS },
    }));
    const merged = mergeBuckets({ buckets: hours, grain: "hour", step: 6, timeZone: "UTC" });
    expect(merged.map(({ isIncomplete }) => isIncomplete === true)).toEqual([false, true]);
    expect(merged[0]?.previous).toEqual({
      fromMs: at("2026-11-20T00:00Z"),
      toMs: at("2026-11-20T06:00Z"),
    });
  });
});

describe("toBuckets", () => {
  it("keeps a day of 23 hours and one of 25 as long as they are", () => {
    const startsMs = ["2026-03-28T23:00Z", "2026-03-29T22:00Z", "2026-03-30T22:00Z"].map(at);
    const range = { fromMs: at("2026-03-28T23:00Z"), toMs: at("2026-03-31T22:00Z") };
    const hours = toBuckets(startsMs, range).map((one) => (one.toMs - one.fromMs) / HOUR_MS);
    expect(hours).toEqual([23, 24, 24]);
  });

  it("claims no more than the range at either end", () => {
    const startsMs = [at("2026-11-21T00:00Z"), at("2026-11-21T01:00Z")];
    const range = { fromMs: at("2026-11-21T00:20Z"), toMs: at("2026-11-21T01:40Z") };
    expect(toBuckets(startsMs, range)).toEqual([
      { fromMs: range.fromMs, toMs: startsMs[1] },
      { fromMs: startsMs[1], toMs: range.toMs },
    ]);
    expect(toBuckets([], range)).toEqual([]);
  });
});

describe("pickGrain", () => {
  it.each([
    ["15 minutes on a desk", 15 / 60, 700, "minute"],
    ["3 hours on a desk", 3, 700, "minute"],
    ["24 hours on a desk", 24, 700, "hour"],
    ["24 hours on a phone", 24, 280, "hour"],
    ["7 days on a phone", 168, 280, "hour"],
    ["90 days on a desk", 90 * 24, 700, "day"],
    ["1 year on a phone", 365 * 24, 280, "week"],
    ["20 years", 20 * 365 * 24, 700, "month"],
  ])("%s", (_, hours, widthPx, grain) => {
    expect(pickGrain({ fromMs: 0, toMs: hours * HOUR_MS, widthPx })).toBe(grain);
  });

  it("lets no bar be narrower than 3 px and no answer hold too many buckets", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60_000, max: 3 * 365 * DAY_MS }),
        fc.integer({ min: 200, max: 2000 }),
        fc.constantFrom(...ZONES),
        (lengthMs, widthPx, timeZone) => {
          const fromMs = at("2026-03-14T15:09:26Z");
          const range = { fromMs, toMs: fromMs + lengthMs };
          const grain = pickGrain({ ...range, widthPx });
          const buckets = listBuckets({ ...range, grain, timeZone });
          const step = pickMergeStep(grain, buckets.length, widthPx);
          const bars = mergeBuckets({ buckets, grain, step, timeZone });
          expect(buckets.length).toBeLessThanOrEqual(BUCKETS_MAX + 2);
          // A change of the clocks may cut one bar in two.
          const roomPx = widthPx + 2 * (BAR_WIDTH_MIN_PX + BAR_GAP_PX);
          expect(roomPx / bars.length).toBeGreaterThanOrEqual(BAR_WIDTH_MIN_PX + BAR_GAP_PX);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("mergeBuckets", () => {
  it("joins hours at 0, 6, 12 and 18 o'clock of the zone, also when the clocks change", () => {
    const buckets = list("2026-10-24T20:00:00Z", "2026-10-25T23:00:00Z", "hour", "Europe/Berlin");
    const merged = mergeBuckets({ buckets, grain: "hour", step: 6, timeZone: "Europe/Berlin" });
    expect(merged.map((bucket) => bucket.toIndex - bucket.fromIndex)).toEqual([2, 7, 6, 6, 6]);
  });

  it("loses no count and keeps unknown what is wholly unknown", () => {
    const buckets = list("2026-11-21T00:00:00Z", "2026-11-21T00:04:00Z", "minute", "UTC");
    const merged = mergeBuckets({ buckets, grain: "minute", step: 2, timeZone: "UTC" });
    expect(sumMerged(merged, [1, 2, null, null])).toEqual([3, null]);
    expect(sumMerged(merged, [1, null, 0, 5])).toEqual([1, 5]);
  });
});

describe("alignToBuckets", () => {
  const buckets = list("2026-11-21T00:00:00Z", "2026-11-21T03:00:00Z", "hour", "UTC");

  it("keeps a gap a gap and a missing count zero", () => {
    const points = [{ timeMs: at("2026-11-21T01:00:00Z"), value: 7 }];
    expect(alignToBuckets(buckets, points, null)).toEqual([null, 7, null]);
    expect(alignToBuckets(buckets, points, 0)).toEqual([0, 7, 0]);
  });

  it("leaves out what lies outside of the range", () => {
    const points = [
      { timeMs: at("2026-11-20T23:59:59Z"), value: 1 },
      { timeMs: at("2026-11-21T03:00:00Z"), value: 2 },
    ];
    expect(alignToBuckets(buckets, points, 0)).toEqual([0, 0, 0]);
    expect(alignToBuckets([], points, 0)).toEqual([]);
  });
});
