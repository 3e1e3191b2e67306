import { createBelow } from "@turnpike/testkit/seeded-chance";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, listBucketStarts } from "../time/zoned-buckets.ts";
import { backTestPeriods } from "./back-test-periods.ts";
import { describeDays, positionOf, toUsageDays, usedBetween } from "./usage-days.ts";

const FROM_MS = Date.UTC(2026, 2, 1, 23);
/** The clock of Berlin goes forward on 29 March. */
const STARTS = listBucketStarts("day", "Europe/Berlin", {
  fromMs: FROM_MS,
  toMs: FROM_MS + 120 * DAY_MS,
});

function makeDays(count: number, amountOn: (day: number) => number) {
  return toUsageDays(
    STARTS,
    Array.from({ length: count }, (_, day) => amountOn(day)),
    0,
  );
}

describe("usage by days", () => {
  it("begins with the first day that has some, and places instants in days of any length", () => {
    const days = makeDays(20, (day) => (day < 5 ? 0 : 1));
    expect(days.values).toHaveLength(15);
    expect(positionOf(days, STARTS[20] ?? 0)).toBe(0);
    expect(positionOf(days, (STARTS[19] ?? 0) + 6 * HOUR_MS)).toBe(-0.75);
    const short = STARTS.findIndex(
      (startMs, day) => startMs - (STARTS[day - 1] ?? 0) < DAY_MS && day > 0,
    );
    expect((STARTS[short] ?? 0) - (STARTS[short - 1] ?? 0)).toBe(23 * HOUR_MS);
    expect(positionOf(days, (STARTS[short - 1] ?? 0) + 11.5 * HOUR_MS)).toBe(short - 1 - 20 + 0.5);
  });

  it("sums to the same however it is cut", () => {
    const days = makeDays(30, (day) => day * day);
    const at = fc.integer({ min: FROM_MS - DAY_MS, max: FROM_MS + 40 * DAY_MS });
    fc.assert(
      fc.property(fc.tuple(at, at, at), (cuts) => {
        const [from = 0, middle = 0, to = 0] = cuts.toSorted((a, b) => a - b);
        const parts = usedBetween(days, from, middle) + usedBetween(days, middle, to);
        expect(parts).toBeCloseTo(usedBetween(days, from, to), 6);
      }),
    );
    const all = days.values.reduce((total, value) => total + value, 0);
    expect(usedBetween(days, 0, FROM_MS + 120 * DAY_MS)).toBeCloseTo(all, 6);
  });

  it("is called what it is: sparse, growing, falling", () => {
    const list = (amountOn: (day: number) => number) => describeDays(makeDays(60, amountOn).values);
    expect(list(() => 5)).toEqual([]);
    expect(list((day) => (day % 7 === 0 ? 9 : 0))).toEqual(["sparse"]);
    expect(list((day) => (day < 32 ? 10 : 25))).toEqual(["growing"]);
    expect(list((day) => (day < 32 ? 25 : 10))).toEqual(["falling"]);
  });
});

describe("the back-test of periods", () => {
  const below = createBelow(7);
  const noise = Array.from({ length: 100 }, () => below(50));
  const period = { fromMs: STARTS[60] ?? 0, toMs: STARTS[90] ?? 0 };
  const test = (amountOn: (day: number) => number) =>
    backTestPeriods(makeDays(95, amountOn), { periods: [period], season: 7, daysNeeded: 21 });
  const usual = (day: number) => 100 + (noise[day] ?? 0);

  it("knows the first five days of a period and nothing later", () => {
    const [found] = test(usual);
    expect(found?.madeAtMs).toBe(STARTS[65]);
    expect(found?.actual).toBeCloseTo(
      noise.slice(60, 90).reduce((total, value) => total + value, 3000),
      6,
    );
    expect(Math.abs((found?.forecast.mean ?? 0) - (found?.actual ?? 0))).toBeLessThan(250);
    const [changed] = test((day) => (day < 65 ? usual(day) : 9_999));
    expect(changed?.forecast).toEqual(found?.forecast);
    expect(changed?.actual).not.toBe(found?.actual);
  });

  it("leaves out periods that began before the first usage, or after too few days", () => {
    expect(test((day) => (day < 61 ? 0 : 1))).toEqual([]);
    expect(test((day) => (day < 45 ? 0 : 1))).toEqual([]);
  });
});
