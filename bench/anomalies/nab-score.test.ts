import { expect, it } from "vitest";
import { scoreByNab } from "./nab-score.ts";

const LENGTH = 200;
const scoresWith = (...fires: number[]) =>
  Array.from({ length: LENGTH }, (_, at) => (fires.includes(at) ? 0.9 : 0));

it("gives 100 for the first point of each window, 0 for silence, and less for late and false alarms", () => {
  const windows: [number, number][] = [[100, 119]];
  const score = (...fires: number[]) => scoreByNab([{ scores: scoresWith(...fires), windows }]);
  expect(score(100)).toMatchObject({ score: 100, found: 1, windows: 1, falseAlarms: 0 });
  expect(score()).toMatchObject({ score: 0, found: 0 });
  // The last point of the window: y is -1/20.
  const late = (2 / (1 + Math.exp(-0.25)) - 1) / (2 / (1 + Math.exp(-5)) - 1);
  expect(score(119).score).toBeCloseTo(50 + 50 * late, 9);
  // Before any window a false alarm costs 0.11 of the 2 between silence and perfection.
  expect(score(50, 100).score).toBeCloseTo(100 - 5.5, 9);
  // In the first 15 % nothing is scored.
  expect(score(10, 100).score).toBe(100);
});
