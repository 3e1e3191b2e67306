import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORECAST_VALUES_MIN, type Forecast, forecastSeries } from "./forecast-series.ts";

function forecast(
  values: readonly (number | null)[],
  { horizon = 14, seasons = [7] }: { horizon?: number; seasons?: number[] } = {},
): Forecast {
  const result = forecastSeries({ values, horizon, seasons });
  if (!result.isEnough) {
    throw new Error(`It takes ${String(result.needed)} values.`);
  }
  return result;
}

const WEEK = [120, 130, 125, 135, 110, 30, 20];
const weekly = (weeks: number, at: (index: number) => number = () => 1) =>
  Array.from({ length: 7 * weeks }, (_, index) => (WEEK[index % 7] ?? 0) * at(index));

const history = fc.array(
  fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constant(0), fc.constant(null)),
  {
    minLength: FORECAST_VALUES_MIN,
    maxLength: 80,
  },
);

describe("forecastSeries", () => {
  it("continues a weekly pattern", () => {
    const { mean } = forecast(weekly(12));
    for (const [step, value] of mean.entries()) {
      expect(value).toBeCloseTo(WEEK[step % 7] ?? 0, 0);
    }
  });

  it("follows growth, and a pattern that grows with it", () => {
    const grows = (index: number) => 1.01 ** index;
    const { mean } = forecast(weekly(20, grows));
    const actual = weekly(22, grows).slice(-14);
    const missed = mean.reduce(
      (sum, value, step) => sum + Math.abs(value - (actual[step] ?? 0)),
      0,
    );
    expect(missed / actual.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.05);
  });

  it("forecasts the mean of values that are mostly 0, not 0", () => {
    const values = Array.from({ length: 120 }, (_, index) => (index % 5 === 0 ? 10 : 0));
    const { mean } = forecast(values, { horizon: 30, seasons: [] });
    const total = mean.reduce((sum, value) => sum + value, 0);
    expect(total).toBeGreaterThan(45);
    expect(total).toBeLessThan(75);
  });

  it("leaves what never changes as it is, without a doubt", () => {
    const { mean, lower95, upper95 } = forecast(new Array<number>(60).fill(5));
    for (const value of [...mean, ...lower95, ...upper95]) {
      expect(value).toBeCloseTo(5);
    }
  });

  it("is sure of a regular series, and less of a noisy one", () => {
    // Without a random source: an irrational step is as scattered.
    const noisy = weekly(20, (index) => 1 + 0.6 * (((index * Math.SQRT2) % 1) - 0.5));
    const width = ({ lower80, upper80 }: Forecast) =>
      upper80.reduce((sum, value, step) => sum + value - (lower80[step] ?? 0), 0);
    expect(width(forecast(weekly(20)))).toBeLessThan(width(forecast(noisy)) / 10);
  });

  it("says how many values it takes when there are too few", () => {
    expect(forecastSeries({ values: [1, null, 3], horizon: 5, seasons: [7] })).toEqual({
      isEnough: false,
      values: 2,
      needed: FORECAST_VALUES_MIN,
    });
  });

  it("fills a gap from a season before", () => {
    const values: (number | null)[] = weekly(12);
    values.splice(70, 5, null, null, null, null, null);
    const { mean } = forecast(values);
    expect(mean[0]).toBeCloseTo(WEEK[0] ?? 0, -1);
  });

  it.each([
    { values: [1, 2, Number.NaN, 4, 5, 6, 7, 8], horizon: 1, seasons: [] },
    { values: [1, 2, 3, 4, 5, 6, 7, Number.POSITIVE_INFINITY], horizon: 1, seasons: [] },
    { values: WEEK, horizon: 0, seasons: [] },
    { values: WEEK, horizon: 1.5, seasons: [] },
    { values: WEEK, horizon: 1, seasons: [-7] },
  ])("refuses what is no series, no horizon or no season: %j", (input) => {
    expect(() => forecastSeries(input)).toThrow(RangeError);
  });

  it("gives finite values, intervals inside each other, and the same answer each time", () => {
    fc.assert(
      fc.property(
        history,
        fc.integer({ min: 1, max: 20 }),
        fc.subarray([2, 5, 7, 24]),
        (values, horizon, seasons) => {
          const result = forecastSeries({ values, horizon, seasons });
          expect(forecastSeries({ values, horizon, seasons })).toEqual(result);
          if (!result.isEnough) {
            expect(values.filter((value) => value !== null).length).toBeLessThan(result.needed);
            return;
          }
          const isNeverNegative = values.every((value) => value === null || value >= 0);
          for (const [step, value] of result.mean.entries()) {
            const bounds = [
              result.lower95[step],
              result.lower80[step],
              value,
              result.upper80[step],
              result.upper95[step],
            ];
            expect(bounds.every(Number.isFinite)).toBe(true);
            expect(bounds.toSorted((a = 0, b = 0) => a - b)).toEqual(bounds);
            expect(isNeverNegative && (bounds[0] ?? 0) < 0).toBe(false);
          }
          expect(result.mean).toHaveLength(horizon);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("does not depend on the unit of the values", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 50, max: 150 }), { minLength: 60, maxLength: 90 }),
        (values) => {
          const { mean } = forecast(values);
          const scaled = forecast(values.map((value) => value * 1000)).mean;
          for (const [step, value] of mean.entries()) {
            expect(Math.abs((scaled[step] ?? 0) / 1000 - value)).toBeLessThan(0.05 * value);
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});
