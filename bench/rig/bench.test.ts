import { expect, it } from "vitest";
import { type BenchResult, joinResults } from "./bench.ts";

it("joins results in their order, and says once what they share", () => {
  const result = (name: string): BenchResult => ({
    table: [{ server: name }],
    ratios: { [`${name}Ratio`]: 1 },
    figures: { [`${name}Figure`]: 2 },
    remarks: [name, "Not pinned."],
  });
  expect(joinResults([result("a"), result("b")])).toEqual({
    table: [{ server: "a" }, { server: "b" }],
    ratios: { aRatio: 1, bRatio: 1 },
    figures: { aFigure: 2, bFigure: 2 },
    remarks: ["a", "Not pinned.", "b"],
  });
});
