const SHRINK = 0.5;

/**
 * Finds a low point of a function in a box by trying steps along each axis, halved when none helps. Coarse on purpose: smoothing
 * parameters that differ by a hundredth forecast the same.
 *
 * @param input.start - Inside the box.
 * @param input.stepMin - Ends when steps are this share of the box.
 */
export function minimize(
  cost: (point: readonly number[]) => number,
  {
    start,
    low,
    high,
    stepMin = 0.02,
  }: {
    start: readonly number[];
    low: readonly number[];
    high: readonly number[];
    stepMin?: number;
  },
): number[] {
  let best = [...start];
  let bestCost = cost(best);
  for (let step = 0.25; step >= stepMin; ) {
    let isBetter = false;
    for (const [axis, at] of best.entries()) {
      const from = low[axis] ?? at;
      const to = high[axis] ?? at;
      for (const direction of [1, -1]) {
        const moved = Math.min(
          to,
          Math.max(from, (best[axis] ?? at) + direction * step * (to - from)),
        );
        if (moved === best[axis]) {
          continue;
        }
        const point = best.with(axis, moved);
        const pointCost = cost(point);
        if (pointCost < bestCost) {
          best = point;
          bestCost = pointCost;
          isBetter = true;
          break;
        }
      }
    }
    if (!isBetter) {
      step *= SHRINK;
    }
  }
  return best;
}
