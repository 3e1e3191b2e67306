import { larger } from "../../money/bounds.ts";
import { SCALE } from "../../money/decimal.ts";
import { largestWhole } from "../../pricing/envelope.ts";
import { highestSpend, type Spend } from "./spend.ts";

/** Room for usage that costs nothing: more than anyone uses in a period, and a whole number that a double holds exactly. */
export const ROOM_MAX = 10n ** 15n;

/**
 * How many whole units of a meter still fit under a cap, in every one of the periods.
 *
 * @param cap - Minor units.
 * @returns Below zero when the cap is passed already: so many units would have to go for the rest to fit, or all that are there.
 */
export function unitsWithinCap(cap: bigint, spends: readonly Spend[], meterId: string): bigint {
  const fits = (units: bigint) =>
    spends.every((spend) => highestSpend(spend, meterId, units * SCALE) <= cap);
  if (fits(0n)) {
    return largestWhole(ROOM_MAX, fits);
  }
  const used = spends
    .flatMap(({ cards }) => cards)
    .filter((card) => card.meterId === meterId)
    .reduce((most, card) => larger(most, card.used), 0n);
  const units = (used + SCALE - 1n) / SCALE;
  return largestWhole(units, (kept) => fits(kept - units)) - units;
}
