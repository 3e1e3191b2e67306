import { type Currency, roundToMinor } from "../../money/currency.ts";
import { divideHalfAway } from "../../money/exact.ts";
import { costOf } from "../../pricing/cost.ts";
import type { Price, Quantity } from "../../pricing/price.ts";
import type { Line } from "./line.ts";

/** Minor units that the first `quantity` units of a line come to. */
export type RunningTotal = (quantity: Quantity) => bigint;

type Priced = Pick<Line, "amount" | "quantity" | "source">;

/** The price of a line whose units have an order: with volume prices a later unit makes all before it cheaper. */
function orderedPriceOf({ source }: Priced): Price | undefined {
  return source?.of === "usage" && source.price.model !== "volume" ? source.price : undefined;
}

/**
 * Splits a line's amount over its units, in their order: parts are differences of the running total, so they sum to the amount to the
 * cent, however the line is cut. The total follows the price where that gives the amount (the units of a free tier cost nothing), and
 * is in proportion to the units elsewhere: volume prices, late usage, lines that were cut by tax. It never falls.
 *
 * @returns 0 for no units, the amount for all of them.
 */
export function createRunningTotal(line: Priced, currency: Currency): RunningTotal {
  const { amount, quantity: all = 0n } = line;
  const price = orderedPriceOf(line);
  const byPrice = (price: Price) => (quantity: Quantity) =>
    roundToMinor(costOf(price, quantity), currency);
  const byShare = (quantity: Quantity) => divideHalfAway(amount * quantity, all);
  const total = price !== undefined && byPrice(price)(all) === amount ? byPrice(price) : byShare;
  return (quantity) => {
    if (quantity <= 0n) {
      return 0n;
    }
    return quantity >= all ? amount : total(quantity);
  };
}
