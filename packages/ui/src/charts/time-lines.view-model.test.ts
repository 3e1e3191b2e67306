import { describe, expect, it } from "vitest";
import { findLargest, findPeakCut, toLineRuns } from "./time-lines.view-model.ts";

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

describe("findPeakCut", () => {
  const of = (...values: (number | null)[]) => [
    { key: "p99", label: "", tone: "danger" as const, values },
  ];
  const usual = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1];

  it("cuts a rare peak a little above what is usual, and knows how high it was", () => {
    expect(findPeakCut(of(...usual, 60))).toEqual({ top: 3, largest: 60 });
  });

  it.each([
    ["a peak beside which the rest can be read", of(...usual, 6)],
    ["what lasts longer than a tenth of the time", of(...usual.slice(4), 60, 60, 60, 60)],
    ["few points", of(1, 1, 60)],
    ["points of which few are known", of(...usual.map(() => null), 1, 60)],
    ["nothing but zeros", of(...usual.map(() => 0), 60)],
    ["nothing", []],
  ])("leaves %s", (_, series) => {
    expect(findPeakCut(series)).toBe(undefined);
  });

  it("counts a point by the largest of its lines, the period before included", () => {
    const [line] = of(...usual, 1);
    const previous = [...usual.map(() => 0), 90];
    expect(findPeakCut([{ ...line!, previous }])?.largest).toBe(90);
  });
});
