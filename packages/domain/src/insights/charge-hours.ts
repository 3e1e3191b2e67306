import { larger } from "../money/bounds.ts";
import { SCALE } from "../money/decimal.ts";
import { divideHalfAway, type Picos } from "../money/exact.ts";
import { costOf } from "../pricing/cost.ts";
import type { Price, Quantity } from "../pricing/price.ts";

/** Units of one hour; hours are complete and in order. */
export type UsedHour = { timeMs: number; quantity: Quantity };

/** A price that units of a meter have. */
export type HourPricing = {
  price: Price;
  /** Start of the period that an instant is in. */
  periodFromMs: (atMs: number) => number;
  /** Units of the first hour's period before that hour. */
  usedBefore: Quantity;
};

function costIn(price: Price, quantity: Quantity): Picos {
  const { numerator, denominator } = costOf(price, quantity);
  return divideHalfAway(numerator, denominator);
}

/**
 * What each hour adds to the charge of its period, by what bills: tiers and included units are used up in the order of time. A volume
 * price that makes earlier units cheaper adds nothing rather than less.
 *
 * @returns Picos, at the places of the hours. No later hour changes an earlier one.
 */
export function chargeHours(
  hours: readonly UsedHour[],
  { price, periodFromMs, usedBefore }: HourPricing,
): Picos[] {
  let used = usedBefore;
  let cost = costIn(price, used);
  let fromMs = hours[0] === undefined ? 0 : periodFromMs(hours[0].timeMs);
  return hours.map(({ timeMs, quantity }) => {
    const startMs = periodFromMs(timeMs);
    if (startMs !== fromMs) {
      fromMs = startMs;
      used = 0n;
      cost = costIn(price, 0n);
    }
    used += quantity;
    const before = cost;
    cost = costIn(price, used);
    return larger(cost - before, 0n);
  });
}

/** Far beyond included units, and inside of what numbers of units are. */
const MANY = 1_000_000n;

/**
 * What units cost far beyond what comes with a price, in picos: the same in every hour, also when a period has used that up, and
 * so what hours can be compared by.
 */
export function valueUnits(price: Price, quantity: Quantity): Picos {
  return (costIn(price, MANY * SCALE) * quantity) / (MANY * SCALE);
}
