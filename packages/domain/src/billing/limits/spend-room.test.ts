import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { larger, smaller } from "../../money/bounds.ts";
import { SCALE } from "../../money/decimal.ts";
import type { Price } from "../../pricing/price.ts";
import { currentCharge, highestSpend, type Spend } from "./spend.ts";
import { ROOM_MAX, unitsWithinCap } from "./spend-room.ts";

const USD = { code: "USD", digits: 2 };
const amounts = fc.bigInt({ min: 0n, max: 5n * SCALE });
const units = (max: number) => fc.integer({ min: 0, max }).map((count) => BigInt(count) * SCALE);

const tiers = fc
  .array(
    fc.record({
      width: fc.integer({ min: 1, max: 40 }),
      unitAmount: amounts,
      flatAmount: fc.oneof(fc.constant(0n), amounts),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((drawn) => {
    let upTo = 0n;
    return drawn.map(({ width, ...tier }, place) => {
      upTo += BigInt(width) * SCALE;
      return { ...tier, upTo: place === drawn.length - 1 ? null : upTo };
    });
  });

const price: fc.Arbitrary<Price> = fc
  .tuple(
    fc.oneof(
      fc.record({ model: fc.constant("per_unit" as const), unitAmount: amounts }),
      fc.record({ model: fc.constantFrom("graduated" as const, "volume" as const), tiers }),
      fc.record({
        model: fc.constant("package" as const),
        amount: amounts,
        size: fc.integer({ min: 1, max: 30 }).map((size) => BigInt(size) * SCALE),
      }),
    ),
    fc.option(units(20), { nil: undefined }),
  )
  .map(
    ([model, included]): Price => ({ ...model, ...(included === undefined ? {} : { included }) }),
  );

const spends: fc.Arbitrary<Spend> = fc.record({
  currency: fc.constant(USD),
  fees: fc.bigInt({ min: 0n, max: 5_000n }),
  cards: fc.array(
    fc.record({
      meterId: fc.constantFrom("a", "b", "c"),
      price,
      least: fc.bigInt({ min: 0n, max: 300n }),
      fromMs: fc.constant(0),
      used: units(60),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

describe("the units that a spend cap has room for", () => {
  it("keep every charge on the way within it, and are as many as do, for any prices", () => {
    fc.assert(
      fc.property(
        spends,
        fc.bigInt({ min: 0n, max: 20_000n }),
        fc.constantFrom("a", "b", "c"),
        fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 8 }),
        (spend, cap, meterId, shares) => {
          const room = unitsWithinCap(cap, [spend], meterId);
          const chargeAt = (more: bigint) =>
            currentCharge({
              ...spend,
              cards: spend.cards.map((card) =>
                card.meterId === meterId ? { ...card, used: card.used + more * SCALE } : card,
              ),
            });
          if (highestSpend(spend) > cap) {
            // Fees and minimums are charged in any case.
            expect(room).toBeLessThanOrEqual(0n);
            return;
          }
          const sample = smaller(room, 400n);
          for (const share of [...shares, 100]) {
            expect(chargeAt((sample * BigInt(share)) / 100n)).toBeLessThanOrEqual(cap);
          }
          if (room < ROOM_MAX && spend.cards.some((card) => card.meterId === meterId)) {
            expect(highestSpend(spend, meterId, (room + 1n) * SCALE)).toBeGreaterThan(cap);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("never grow when more is used", () => {
    fc.assert(
      fc.property(spends, fc.bigInt({ min: 0n, max: 20_000n }), units(30), (spend, cap, more) => {
        const later = {
          ...spend,
          cards: spend.cards.map((card) => ({ ...card, used: card.used + more })),
        };
        const before = unitsWithinCap(cap, [spend], "a");
        const after = unitsWithinCap(cap, [later], "a");
        expect(larger(after, 0n)).toBeLessThanOrEqual(larger(before, 0n));
      }),
      { numRuns: 200 },
    );
  });
});
