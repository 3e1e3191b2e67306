import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCurrency, roundToMinor } from "../../money/currency.ts";
import { SCALE, toScaled } from "../../money/decimal.ts";
import { costOf } from "../../pricing/cost.ts";
import { price, quantity } from "../../pricing/price.fixture.ts";
import { createRunningTotal } from "./running-total.ts";

const USD = findCurrency("USD") ?? { code: "USD", digits: 2 };

function sumParts(
  line: Parameters<typeof createRunningTotal>[0],
  cuts: readonly bigint[],
): { amounts: bigint[]; sum: bigint } {
  const total = createRunningTotal(line, USD);
  const all = line.quantity ?? 0n;
  const bounds = [0n, ...cuts.filter((cut) => cut < all), all].sort((a, b) => (a < b ? -1 : 1));
  const amounts = bounds.slice(1).map((to, index) => total(to) - total(bounds[index] ?? 0n));
  return { amounts, sum: amounts.reduce((sum, amount) => sum + amount, 0n) };
}

describe("createRunningTotal", () => {
  it("gives parts that sum to the amount, none below zero, for any price and any cut of the line", () => {
    fc.assert(
      fc.property(price, quantity, fc.array(quantity, { maxLength: 8 }), (of, used, cuts) => {
        const amount = roundToMinor(costOf(of, used), USD);
        const source = { of: "usage" as const, price: of, uses: [] };
        const { amounts, sum } = sumParts({ amount, quantity: used, source }, cuts);
        expect(sum).toBe(used === 0n ? 0n : amount);
        expect(amounts.every((part) => part >= 0n)).toBe(true);
      }),
    );
  });

  it("sums to amounts that no price gives: of late usage, and of lines that were cut", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        price,
        quantity,
        fc.array(quantity, { maxLength: 8 }),
        (amount, of, used, cuts) => {
          const source = { of: "usage" as const, price: of, uses: [] };
          for (const line of [
            { amount, quantity: used, source },
            { amount, quantity: used, source: undefined },
          ]) {
            expect(sumParts(line, cuts).sum).toBe(used === 0n ? 0n : amount);
          }
        },
      ),
    );
  });

  it("follows the tiers: what came first is free", () => {
    const tiers = [
      { upTo: 100n * SCALE, unitAmount: 0n, flatAmount: 0n },
      { upTo: null, unitAmount: toScaled("0.01"), flatAmount: 0n },
    ];
    const line = {
      amount: 150n,
      quantity: 250n * SCALE,
      source: { of: "usage" as const, price: { model: "graduated" as const, tiers }, uses: [] },
    };
    expect(sumParts(line, [60n * SCALE, 110n * SCALE]).amounts).toEqual([0n, 10n, 140n]);
    const volume = {
      ...line,
      source: { ...line.source, price: { model: "volume" as const, tiers } },
    };
    expect(sumParts({ ...volume, amount: 250n }, [50n * SCALE]).amounts).toEqual([50n, 200n]);
  });
});
