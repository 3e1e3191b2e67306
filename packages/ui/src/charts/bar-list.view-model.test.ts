import { describe, expect, it } from "vitest";
import { toBarRows } from "./bar-list.view-model.ts";

describe("toBarRows", () => {
  it("draws the longest in full, the others in proportion, and shares of the whole", () => {
    const rows = toBarRows([{ value: 50 }, { value: 25 }], 100);
    expect(rows.map((row) => [row.share, row.widthPercent])).toEqual([
      [0.5, 100],
      [0.25, 50],
    ]);
  });

  it("draws nothing for zero, and something for everything else", () => {
    const rows = toBarRows([{ value: 1_000_000 }, { value: 1 }, { value: 0 }], 1_000_001);
    expect(rows.map((row) => row.widthPercent)).toEqual([100, 0.5, 0]);
    expect(toBarRows([{ value: 0 }], 0)[0]).toMatchObject({ share: 0, widthPercent: 0 });
    expect(toBarRows([], 0)).toEqual([]);
  });
});
