import { createBelow } from "@turnpike/testkit/seeded-chance";
import { expect, it } from "vitest";
import { createNearestShape, measureNearest, SHAPE_POINTS } from "./nearest-shape.ts";
import { addPoint, createRecentPoints, REMEMBERED } from "./recent-points.ts";

/** The definition, at the cost of every pair. */
function findNearest(values: readonly number[], last: number, oldest: number): number | undefined {
  let nearest = Number.POSITIVE_INFINITY;
  for (let end = oldest; end <= last - SHAPE_POINTS; end += 1) {
    let sum = 0;
    for (let back = 0; back < SHAPE_POINTS; back += 1) {
      sum += ((values[last - back] ?? 0) - (values[end - back] ?? 0)) ** 2;
    }
    nearest = Math.min(nearest, sum);
  }
  return nearest === Number.POSITIVE_INFINITY ? undefined : Math.sqrt(nearest);
}

it("finds the distance of the definition, also after the oldest points are forgotten", () => {
  const below = createBelow(3);
  const points = createRecentPoints();
  const shape = createNearestShape(points.values.length);
  const all: number[] = [];
  const length = 2 * REMEMBERED + 200;
  for (let at = 0; at < length; at += 1) {
    const value = below(100) - 50;
    all.push(value);
    const forgotten = addPoint(points, at, value);
    const found = measureNearest(shape, points.values, { last: points.length - 1, forgotten });
    if (at < 300 || at === 700 || at > length - 3) {
      const oldest = Math.max(SHAPE_POINTS - 1, at - REMEMBERED);
      const expected = findNearest(all, at, oldest);
      expect(found === undefined).toBe(expected === undefined);
      expect(found ?? 0).toBeCloseTo(expected ?? 0, 6);
    }
  }
});
