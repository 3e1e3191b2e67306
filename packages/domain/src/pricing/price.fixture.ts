import fc from "fast-check";
import { SCALE } from "../money/decimal.ts";
import type { Price, PriceTier } from "./price.ts";

/** Prices and quantities for properties; quantities reach into each tier. */
export const money = fc.bigInt({ min: 0n, max: 1_000n * SCALE });
export const quantity = fc.bigInt({ min: 0n, max: 200n * SCALE });

const tiers: fc.Arbitrary<PriceTier[]> = fc
  .record({
    steps: fc.array(fc.bigInt({ min: 1n, max: 40n * SCALE }), { maxLength: 4 }),
    prices: fc.array(fc.record({ unitAmount: money, flatAmount: money }), {
      minLength: 5,
      maxLength: 5,
    }),
  })
  .map(({ steps, prices }) => {
    let bound = 0n;
    const closed = steps.map((step, index) => {
      bound += step;
      return { upTo: bound, unitAmount: 0n, flatAmount: 0n, ...prices[index] };
    });
    return [...closed, { upTo: null, unitAmount: 0n, flatAmount: 0n, ...prices[4] }];
  });

const bounds = fc.record(
  { included: fc.bigInt({ min: 0n, max: 20n * SCALE }), maximum: money },
  { requiredKeys: [] },
);
const model = fc.oneof(
  fc.record({ model: fc.constant("per_unit" as const), unitAmount: money }),
  fc.record({ model: fc.constantFrom("graduated" as const, "volume" as const), tiers }),
  fc.record({
    model: fc.constant("package" as const),
    amount: money,
    size: fc.bigInt({ min: 1n, max: 30n * SCALE }),
  }),
  fc.record({ model: fc.constant("percentage" as const), rate: money }),
);
export const price: fc.Arbitrary<Price> = fc
  .tuple(model, bounds)
  .map(([of, by]) => ({ ...of, ...by }));
