import { createBelow } from "@turnpike/testkit/seeded-chance";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BAND_PARTS, forecastTotals, type TotalsForecast } from "./forecast-totals.ts";

const HORIZON = 30;

/** Weeks of noise about a rhythm. */
function makeDays(seed: number, days: number): number[] {
  const below = createBelow(seed);
  return Array.from({ length: days }, (_, day) => (day % 7 < 5 ? 1000 : 300) + below(400));
}

function forecast(values: readonly number[]): TotalsForecast {
  const result = forecastTotals({ values, horizon: HORIZON, seasons: [7] });
  return result.isEnough ? result : expect.fail("There are enough values.");
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("the forecast of a sum", () => {
  it("is the sum of its parts, with nested bounds that never get nearer for a longer or later one", () => {
    const values = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 21, maxLength: 80 });
    const position = fc.double({ min: 0, max: HORIZON, noNaN: true });
    fc.assert(
      fc.property(values, fc.tuple(position, position, position), (known, cuts) => {
        const [from = 0, middle = 0, to = 0] = cuts.toSorted((a, b) => a - b);
        const { total, steps } = forecast(known);
        const whole = total(from, to);
        expect(whole.mean).toBeCloseTo(total(from, middle).mean + total(middle, to).mean, 6);
        expect(total(0, HORIZON).mean).toBeCloseTo(sum(steps.mean), 6);
        const parts = BAND_PARTS.map((part) => whole[part]);
        expect(parts).toEqual(parts.toSorted((a, b) => a - b));
        expect(whole.lower95).toBeGreaterThanOrEqual(0);
        const width = (a: number, b: number) => total(a, b).upper80 - total(a, b).mean;
        expect(width(from, to) + 1e-6).toBeGreaterThanOrEqual(width(from, middle));
        expect(width(to - (middle - from), to) + 1e-6).toBeGreaterThanOrEqual(width(from, middle));
      }),
      { numRuns: 60 },
    );
  });

  it("holds what comes as often as it says, and is nearer than the sum of the bounds of days", () => {
    let held = 0;
    let narrower = 0;
    const seeds = 60;
    for (let seed = 0; seed < seeds; seed += 1) {
      const days = makeDays(seed, 90 + HORIZON);
      const { steps, total } = forecast(days.slice(0, 90));
      const { lower80, upper80 } = total(0, HORIZON);
      const actual = sum(days.slice(90));
      held += Number(lower80 <= actual && actual <= upper80);
      narrower += Number(upper80 - lower80 < (sum(steps.upper80) - sum(steps.lower80)) / 2);
    }
    expect(held / seeds).toBeGreaterThan(0.7);
    expect(held / seeds).toBeLessThan(1);
    expect(narrower / seeds).toBeGreaterThan(0.8);
  });

  it("asks for more values where there are too few", () => {
    expect(forecastTotals({ values: [1, 2, 3], horizon: 1, seasons: [] })).toEqual({
      isEnough: false,
      values: 3,
      needed: 8,
    });
  });
});
