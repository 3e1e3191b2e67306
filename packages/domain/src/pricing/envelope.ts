import { SCALE } from "../money/decimal.ts";
import { compareExact, type Exact, maxExact } from "../money/exact.ts";
import { costOf } from "./cost.ts";
import type { Price, Quantity } from "./price.ts";

/** Quantities up to `quantity` where the cost may be higher than at `quantity`: the ends of volume tiers. */
function listPeaks(price: Price, quantity: Quantity): Quantity[] {
  if (price.model !== "volume") {
    return [];
  }
  const included = price.included ?? 0n;
  return price.tiers.flatMap(({ upTo }) =>
    upTo !== null && upTo + included < quantity ? [upTo + included] : [],
  );
}

/**
 * The highest cost of any quantity from 0 to `quantity`. Unlike the cost itself it never falls, so a spend cap that holds for it
 * holds for every quantity on the way.
 *
 * Example: volume tiers of 150.00 up to 10 units and 5.00 a unit beyond 15 give 150.00 at 16 units, although they cost 80.00.
 */
export function highestCostOf(price: Price, quantity: Quantity): Exact {
  return listPeaks(price, quantity)
    .map((peak) => costOf(price, peak))
    .reduce(maxExact, costOf(price, quantity));
}

/**
 * Finds the largest whole number up to `max` that fits.
 *
 * @param fits - Monotone: what holds for a number holds for every smaller one. It is not asked about 0.
 * @returns 0 when nothing fits.
 */
export function largestWhole(max: bigint, fits: (units: bigint) => boolean): bigint {
  let low = 0n;
  let high = max;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1n;
    }
  }
  return low;
}

/**
 * Finds how many whole units a budget has room for, beyond what is used: the inverse of {@link highestCostOf}.
 *
 * @param input.max - The most units to grant, in whole units.
 */
export function unitsWithin(
  price: Price,
  { used, budget, max }: { used: Quantity; budget: Exact; max: bigint },
): bigint {
  return largestWhole(
    max,
    (units) => compareExact(highestCostOf(price, used + units * SCALE), budget) <= 0,
  );
}
