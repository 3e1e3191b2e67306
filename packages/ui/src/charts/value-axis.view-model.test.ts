import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toValueAxis } from "./value-axis.view-model.ts";

describe("toValueAxis", () => {
  it.each([
    ["nothing", 0, true, 1, [0, 1]],
    ["nothing measured", 0, false, 1, [0]],
    ["one call", 1, true, 1, [0, 1]],
    ["three calls", 3, true, 3, [0, 1, 2, 3]],
    ["a round hundred", 87, true, 100, [0, 20, 40, 60, 80, 100]],
    ["something tiny", 0.0003, false, 0.0003, [0, 0.0001, 0.0002, 0.0003]],
    ["something huge", 9.1e15, true, 1e16, [0, 2e15, 4e15, 6e15, 8e15, 1e16]],
    ["no number", Number.NaN, true, 1, [0, 1]],
  ])("draws %s from zero to a round end", (_, largest, isWhole, max, ticks) => {
    expect(toValueAxis({ largest, isWhole, tickCount: 4 })).toEqual({ max, ticks });
  });

  it("always begins at zero, holds the largest value and has whole labels for counts", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (largest) => {
        const { max, ticks } = toValueAxis({ largest, isWhole: true, tickCount: 5 });
        expect(ticks[0]).toBe(0);
        expect(max).toBeGreaterThanOrEqual(largest);
        expect(ticks.every(Number.isInteger)).toBe(true);
        expect(ticks.length).toBeGreaterThan(1);
      }),
    );
  });
});
