import { describe, expect, it } from "vitest";
import { findLargest, toLineRuns } from "./time-lines.view-model.ts";

describe("toLineRuns", () => {
  it("ends a line at a gap and begins a new one after it", () => {
    expect(toLineRuns([1, 2, null, 3, 4])).toEqual({
      runs: [
        [
          { index: 0, value: 1 },
          { index: 1, value: 2 },
        ],
        [
          { index: 3, value: 3 },
          { index: 4, value: 4 },
        ],
      ],
      dots: [],
    });
  });

  it("shows a point without neighbours as a dot", () => {
    expect(toLineRuns([null, 5, null])).toEqual({ runs: [], dots: [{ index: 1, value: 5 }] });
    expect(toLineRuns([5])).toEqual({ runs: [], dots: [{ index: 0, value: 5 }] });
  });

  it("keeps a measured zero, and draws nothing where nothing is known", () => {
    expect(toLineRuns([0, 0]).runs).toHaveLength(1);
    expect(toLineRuns([null, Number.NaN, null])).toEqual({ runs: [], dots: [] });
    expect(toLineRuns([])).toEqual({ runs: [], dots: [] });
  });
});

describe("findLargest", () => {
  it("looks at all of 200 series and at the previous period", () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      key: String(index),
      label: "",
      tone: "info" as const,
      values: [null, index],
    }));
    expect(findLargest(many)).toBe(199);
    expect(findLargest([{ ...many[0]!, previous: [500, null] }])).toBe(500);
    expect(findLargest([])).toBe(0);
  });
});
