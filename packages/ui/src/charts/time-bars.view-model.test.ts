import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TimeSeries } from "./chart-types.ts";
import { findLargestSum, sumSeries, toBarLayers } from "./time-bars.view-model.ts";

const series = (key: string, values: (number | null)[]): TimeSeries => ({
  key,
  label: key,
  tone: "accent",
  values,
});

describe("toBarLayers", () => {
  it("stacks the first series at the bottom, without gap or overlap", () => {
    const layers = toBarLayers([series("a", [60, 0]), series("b", [40, 20])], {
      max: 100,
      heightPx: 200,
    });
    expect(layers).toEqual([
      { key: "a", parts: [{ index: 0, topPx: 80, heightPx: 120 }] },
      {
        key: "b",
        parts: [
          { index: 0, topPx: 0, heightPx: 80 },
          { index: 1, topPx: 160, heightPx: 40 },
        ],
      },
    ]);
  });

  it("draws one failure among ten thousand calls a pixel high, and nothing for zero", () => {
    const layers = toBarLayers([series("ok", [9999]), series("failed", [1]), series("no", [0])], {
      max: 10_000,
      heightPx: 200,
    });
    expect(layers[1]?.parts[0]?.heightPx).toBe(1);
    expect(layers[2]?.parts).toEqual([]);
    // The bar as a whole is as high as its sum says.
    expect(layers[1]?.parts[0]?.topPx).toBeCloseTo(0);
  });

  it("draws nothing below zero and nothing that is unknown", () => {
    const [layer] = toBarLayers([series("a", [null, -5, 3])], { max: 3, heightPx: 30 });
    expect(layer?.parts).toEqual([{ index: 2, topPx: 0, heightPx: 30 }]);
  });

  it("keeps 200 series inside their box, but for the pixels that make the smallest seen", () => {
    const many = Array.from({ length: 200 }, (_, index) => series(String(index), [1000]));
    const layers = toBarLayers(many, { max: 200_000, heightPx: 400 });
    expect(layers).toHaveLength(200);
    expect(layers.at(-1)?.parts[0]?.topPx).toBeCloseTo(0);
  });

  it("gives heights in proportion wherever a pixel is enough", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 10, max: 1000 }), { maxLength: 9 }), (values) => {
        const layers = toBarLayers(
          values.map((value, index) => series(String(index), [value])),
          { max: 10_000, heightPx: 1000 },
        );
        const heights = layers.map((layer) => layer.parts[0]?.heightPx ?? 0);
        for (const [index, value] of values.entries()) {
          expect(heights[index]).toBeCloseTo(value / 10);
        }
      }),
    );
  });
});

describe("sums", () => {
  it("knows a sum where at least one series is known", () => {
    expect(
      sumSeries([
        [1, null, null],
        [2, 3, null],
      ]),
    ).toEqual([3, 3, null]);
    expect(sumSeries([])).toEqual([]);
  });

  it("makes room for the previous period", () => {
    const one = { ...series("a", [1, 2]), previous: [9, null] };
    expect(findLargestSum([one])).toBe(9);
    expect(findLargestSum([])).toBe(0);
  });
});
