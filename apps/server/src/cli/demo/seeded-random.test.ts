import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawCount, seededRandom, splitByWeight } from "./seeded-random.ts";

describe("seededRandom", () => {
  it("gives the same numbers for the same words, evenly over [0, 1)", () => {
    const [a, b, c] = [seededRandom(1, "x"), seededRandom(1, "x"), seededRandom(2, "x")];
    const numbers = Array.from({ length: 5_000 }, a);
    expect(Array.from({ length: 5_000 }, b)).toEqual(numbers);
    expect(Array.from({ length: 5_000 }, c)).not.toEqual(numbers);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
  });
});

describe("drawCount", () => {
  it("gives whole numbers around what is expected", () => {
    const random = seededRandom("counts");
    const counts = Array.from({ length: 2_000 }, () => drawCount(40, random));
    expect(counts.every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    expect(Math.abs(mean - 40)).toBeLessThan(1);
  });
});

describe("splitByWeight", () => {
  it("loses nothing and adds nothing", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.array(fc.double({ min: 0.01, max: 1000, noNaN: true }), { minLength: 1, maxLength: 12 }),
        fc.integer(),
        (total, weights, seed) => {
          const parts = splitByWeight(total, weights, seededRandom(seed));
          expect(parts.every((part) => Number.isInteger(part) && part >= 0)).toBe(true);
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
        },
      ),
    );
  });
});
