import { createBelow } from "@turnpike/testkit/seeded-chance";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectAnomalies } from "./detect-anomalies.ts";
import { ANOMALOUS, createDetector, type SeriesPoint } from "./detector.ts";
import { REMEMBERED } from "./recent-points.ts";

const HOUR_MS = 60 * 60_000;
const START_MS = Date.UTC(2026, 0, 5);
const DAY = 24;

function toSeries(values: readonly number[], stepMs = HOUR_MS): SeriesPoint[] {
  return values.map((value, index) => ({ timeMs: START_MS + index * stepMs, value }));
}

/** Four weeks of hours with a daily rhythm and a little noise. */
function createUsual(length = 28 * DAY): number[] {
  const below = createBelow(7);
  return Array.from(
    { length },
    (_, hour) => 1000 + 400 * Math.sin((hour / DAY) * 2 * Math.PI) + below(60),
  );
}

function firesAt(series: readonly SeriesPoint[]): number[] {
  return detectAnomalies(series).flatMap(({ score }, at) => (score > ANOMALOUS ? [at] : []));
}

const EVENT_AT = 21 * DAY;

describe("detectAnomalies", () => {
  it("says nothing about a usual series", () => {
    expect(firesAt(toSeries(createUsual()))).toEqual([]);
  });

  it.each<[string, (value: number, since: number) => number, number]>([
    ["a spike", (value, since) => (since === 0 ? value * 4 : value), 0],
    ["a drop to zero", (value, since) => (since < 12 ? 0 : value), 2],
    ["a level shift", (value) => value * 1.6, 4],
    ["a slow leak", (value, since) => value + since * 20, 48],
    ["a rhythm that moves by half a day", (value) => 2000 - value, 12],
  ])("finds %s, once", (_name, change, withinHours) => {
    const values = createUsual().map((value, at) =>
      at < EVENT_AT ? value : change(value, at - EVENT_AT),
    );
    const fires = firesAt(toSeries(values));
    expect(fires[0]).toBeGreaterThanOrEqual(EVENT_AT);
    expect(fires[0]).toBeLessThanOrEqual(EVENT_AT + withinHours);
    expect(fires.filter((at) => at <= EVENT_AT + 100)).toHaveLength(1);
  });

  it("names what is unusual", () => {
    const spiked = createUsual().map((value, at) => (at === EVENT_AT ? value * 4 : value));
    expect(detectAnomalies(toSeries(spiked))[EVENT_AT]?.why).toBe("residual");
    expect(detectAnomalies(toSeries(createUsual(10)))[9]).toEqual({ score: 0, why: "warming-up" });
  });

  it("judges each point by the past alone: cutting the future changes no past score", () => {
    const point = fc.record({
      gapMs: fc.oneof(fc.constant(HOUR_MS), fc.integer({ min: -HOUR_MS, max: 9 * HOUR_MS })),
      value: fc.oneof(
        fc.integer({ min: -50, max: 50 }),
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      ),
    });
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 2, maxLength: 400, size: "max" }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (steps, share) => {
          let timeMs = START_MS;
          const series = steps.map(({ gapMs, value }) => {
            timeMs += gapMs;
            return { timeMs, value };
          });
          const cut = Math.ceil(series.length * share);
          const options = { warmUpPoints: 30, quietPoints: 10 };
          const whole = detectAnomalies(series, options);
          expect(detectAnomalies(series.slice(0, cut), options)).toEqual(whole.slice(0, cut));
          expect(whole.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("depends on no unit: other zero points and units of two's powers give the same scores", () => {
    const values = createUsual().map((value, at) => Math.round(at % 50 === 0 ? value * 3 : value));
    const moved = values.map((value) => (value - 4096) * 1024);
    expect(detectAnomalies(toSeries(moved))).toEqual(detectAnomalies(toSeries(values)));
  });

  it("stands constant, negative, empty and short series, gaps, and points at the same or an earlier time", () => {
    expect(detectAnomalies([])).toEqual([]);
    expect(detectAnomalies(toSeries([5]))).toHaveLength(1);
    expect(firesAt(toSeries(Array.from({ length: 900 }, () => 0.1)))).toEqual([]);
    expect(firesAt(toSeries(createUsual().map((value) => -value)))).toEqual([]);
    expect(firesAt(toSeries(createUsual()).filter((_, at) => at < 400 || at > 450))).toEqual([]);
    const repeated = toSeries(createUsual()).flatMap((point, at) =>
      at % 90 === 0 ? [point, point, { ...point, timeMs: point.timeMs - 10 * HOUR_MS }] : [point],
    );
    expect(firesAt(repeated).length).toBeLessThanOrEqual(1);
  });

  it("refuses what is no number", () => {
    const detector = createDetector();
    expect(() => detector.next({ timeMs: 0, value: Number.NaN })).toThrow(RangeError);
    expect(() => detector.next({ timeMs: Number.POSITIVE_INFINITY, value: 1 })).toThrow(RangeError);
  });

  it("goes on after it has forgotten the oldest points", () => {
    const values = createUsual(2 * REMEMBERED + 600);
    const eventAt = 2 * REMEMBERED + 300;
    const spiked = values.map((value, at) => (at === eventAt ? value * 9 : value));
    expect(firesAt(toSeries(spiked))).toContain(eventAt);
  });
});
