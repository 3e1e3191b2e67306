import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCALE } from "../money/decimal.ts";
import { costOf } from "../pricing/cost.ts";
import type { Price } from "../pricing/price.ts";
import { chargeHours } from "./charge-hours.ts";

const HOUR_MS = 60 * 60_000;
const PERIOD_HOURS = 10;
const periodFromMs = (atMs: number) => atMs - (atMs % (PERIOD_HOURS * HOUR_MS));
const CENT = SCALE / 100n;

const PRICES: readonly Price[] = [
  { model: "per_unit", unitAmount: CENT, included: 40n * SCALE },
  { model: "package", amount: 3n * SCALE, size: 7n * SCALE },
  {
    model: "graduated",
    tiers: [
      { upTo: 100n * SCALE, unitAmount: 0n, flatAmount: 0n },
      { upTo: null, unitAmount: 2n * CENT, flatAmount: SCALE },
    ],
  },
  { model: "per_unit", unitAmount: CENT, maximum: SCALE },
];
const VOLUME: Price = {
  model: "volume",
  tiers: [
    { upTo: 10n * SCALE, unitAmount: SCALE, flatAmount: 0n },
    { upTo: null, unitAmount: CENT, flatAmount: 0n },
  ],
};

const toHours = (counts: readonly number[]) =>
  counts.map((count, at) => ({ timeMs: at * HOUR_MS, quantity: BigInt(count) * SCALE }));
const counts = fc.array(fc.nat(30), { minLength: PERIOD_HOURS, maxLength: 3 * PERIOD_HOURS });

describe("the charge of an hour", () => {
  it("sums with the others of a period to what the period costs", () => {
    fc.assert(
      fc.property(counts, fc.constantFrom(...PRICES), fc.nat(60), (units, price, before) => {
        const usedBefore = BigInt(before) * SCALE;
        const hours = toHours(units);
        const charges = chargeHours(hours, { price, periodFromMs, usedBefore });
        for (const [fromMs, indices] of Map.groupBy(hours.keys(), (at) =>
          periodFromMs(hours[at]?.timeMs ?? 0),
        )) {
          const sum = <Item>(items: Item[], read: (item: Item) => bigint) =>
            items.reduce((all, item) => all + read(item), 0n);
          const used = sum(indices, (at) => hours[at]?.quantity ?? 0n);
          const earlier = fromMs === 0 ? usedBefore : 0n;
          const cost = (quantity: bigint) => {
            const { numerator, denominator } = costOf(price, quantity);
            return numerator / denominator;
          };
          expect(sum(indices, (at) => charges[at] ?? 0n)).toBe(
            cost(earlier + used) - cost(earlier),
          );
        }
      }),
    );
  });

  it("is changed by no later hour, and never below zero", () => {
    fc.assert(
      fc.property(
        counts,
        fc.constantFrom(...PRICES, VOLUME),
        fc.nat(3 * PERIOD_HOURS),
        (units, price, until) => {
          const charge = (seen: number[]) =>
            chargeHours(toHours(seen), { price, periodFromMs, usedBefore: 0n });
          const all = charge(units);
          expect(charge(units.slice(0, until))).toEqual(all.slice(0, until));
          expect(all.every((picos) => picos >= 0n)).toBe(true);
        },
      ),
    );
  });
});
