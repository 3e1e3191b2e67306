import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  alignToBuckets,
  BAR_GAP_PX,
  BAR_WIDTH_MIN_PX,
  BUCKETS_MAX,
  listBuckets,
  mergeBuckets,
  pickGrain,
  pickMergeStep,
  sumMerged,
  TIME_GRAINS,
} from "./time-buckets.view-model.ts";

const at = (iso: string) => Date.parse(iso);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe"];

function list(from: string, to: string, grain: (typeof TIME_GRAINS)[number], timeZone: string) {
  return listBuckets({ fromMs: at(from), toMs: at(to), grain, timeZone });
}

describe("listBuckets", () => {
  it.each([
    ["the clocks go forward", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23],
    ["the clocks go back", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25],
  ])("gives a day on which %s its own number of hours", (_, from, to, hours) => {
    expect(list(from, to, "hour", "Europe/Berlin")).toHaveLength(hours);
    expect(list(from, to, "day", "Europe/Berlin")).toEqual([{ fromMs: at(from), toMs: at(to) }]);
  });

  it("begins hours at half past in UTC where the zone is half an hour off", () => {
    const [first] = list("2026-11-21T10:00:00Z", "2026-11-21T12:00:00Z", "hour", "Asia/Kolkata");
    expect(first?.fromMs).toBe(at("2026-11-21T09:30:00Z"));
  });

  it("begins weeks on Monday and months on the first, in the zone", () => {
    const [week] = list("2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "week", "Europe/Berlin");
    expect(week).toEqual({ fromMs: at("2026-11-15T23:00:00Z"), toMs: at("2026-11-22T23:00:00Z") });
    const months = list("2026-10-10T00:00:00Z", "2026-12-02T00:00:00Z", "month", "Europe/Berlin");
    expect(months.map((month) => new Date(month.fromMs).toISOString())).toEqual([
      "2026-09-30T22:00:00.000Z",
      "2026-10-31T23:00:00.000Z",
      "2026-11-30T23:00:00.000Z",
    ]);
  });

  it("is empty for an empty range", () => {
    expect(list("2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z", "hour", "UTC")).toEqual([]);
  });

  it("covers every range without gap or overlap, in every zone", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at("2024-01-01"), max: at("2028-01-01") }),
        fc.integer({ min: 1, max: 20 * DAY_MS }),
        fc.constantFrom(...TIME_GRAINS.slice(1)),
        fc.constantFrom(...ZONES),
        (fromMs, lengthMs, grain, timeZone) => {
          const toMs = fromMs + lengthMs;
          const buckets = listBuckets({ fromMs, toMs, grain, timeZone });
          expect(buckets[0]?.fromMs).toBeLessThanOrEqual(fromMs);
          expect(buckets[0]?.toMs).toBeGreaterThan(fromMs);
          expect(buckets.at(-1)?.toMs).toBeGreaterThanOrEqual(toMs);
          for (const [index, bucket] of buckets.entries()) {
            expect(bucket.toMs).toBeGreaterThan(bucket.fromMs);
            expect(buckets[index + 1]?.fromMs ?? bucket.toMs).toBe(bucket.toMs);
          }
        },
      ),
      { numRuns: 60 },
    );
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
