import { SCALE } from "../../money/decimal.ts";
import { largestWhole } from "../../pricing/envelope.ts";
import type { Quantity } from "../../pricing/price.ts";

/**
 * Decides how much of a use is served: all of it, or the largest whole number of units that both the limit and the cap have room for.
 *
 * @param input.quotaLeft - Undefined without a hard limit.
 * @param input.fitsCap - Monotone; undefined without a cap.
 */
export function admitUsage(
  quantity: Quantity,
  {
    quotaLeft,
    fitsCap,
  }: {
    quotaLeft: Quantity | undefined;
    fitsCap: ((quantity: Quantity) => boolean) | undefined;
  },
): Quantity {
  const fits = (amount: Quantity) =>
    (quotaLeft === undefined || amount <= quotaLeft) && (fitsCap?.(amount) ?? true);
  return fits(quantity)
    ? quantity
    : largestWhole(quantity / SCALE, (units) => fits(units * SCALE)) * SCALE;
}
