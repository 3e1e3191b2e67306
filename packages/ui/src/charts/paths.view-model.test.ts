import { expect, it } from "vitest";
import { toAreaPath, toLinePath } from "./paths.view-model.ts";

const UPPER = [
  { x: 0, y: 10 },
  { x: 1 / 3, y: 5 },
];
const LOWER = [
  { x: 0, y: 20 },
  { x: 1 / 3, y: 20 },
];

it("goes straight from place to place, and round a surface", () => {
  expect(toLinePath(UPPER)).toBe("M0,10L0.333,5");
  expect(toAreaPath(UPPER, LOWER)).toBe("M0,10L0.333,5L0.333,20L0,20Z");
});

it("draws nothing where there is nothing", () => {
  expect(toLinePath([])).toBe("");
  expect(toAreaPath([], [])).toBe("");
});
