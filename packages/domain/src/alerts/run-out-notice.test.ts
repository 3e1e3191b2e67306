import { describe, expect, it } from "vitest";
import { decideRunOut, type ToldRunOut } from "./run-out-notice.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Lets days pass with what was forecast on each, in days from then. */
function follow(
  forecasts: readonly (number | null)[],
  { resetsOn, days = 7 }: { resetsOn?: (day: number) => number; days?: number | null } = {},
): number[] {
  let told: ToldRunOut | null = null;
  return forecasts.flatMap((left, day) => {
    const step = decideRunOut({
      atMs: left === null ? null : (day + left) * DAY_MS,
      resetsAtMs: resetsOn === undefined ? null : resetsOn(day) * DAY_MS,
      nowMs: day * DAY_MS,
      days,
      told,
    });
    told = step.told;
    return step.tell ? [day] : [];
  });
}

describe("what is forecast to run out", () => {
  it("has one notice in a period, within the chosen days, and not of a period that has not begun", () => {
    const month = (day: number) => (Math.floor(day / 10) + 1) * 10;
    const left = [20, 6, 5, 9, 4, 3, 2, 1, 0, 0, 6, 5, 12, 30];
    expect(follow(left, { resetsOn: month })).toEqual([1, 10]);
    expect(follow([3, 3], { resetsOn: () => 2 })).toEqual([]);
    expect(follow(left, { resetsOn: month, days: null })).toEqual([]);
  });

  it("has another one, where it has no period, once it was twice as far away, or gone", () => {
    expect(follow([7, 6, 8, 12, 7, 6])).toEqual([0]);
    expect(follow([7, 15, 7, null, 6])).toEqual([0, 2, 4]);
  });
});
