import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCurrency, roundToMinor } from "../money/currency.ts";
import { SCALE, toScaled } from "../money/decimal.ts";
import { compareExact, toExact } from "../money/exact.ts";
import { type CatalogFault, createReader } from "./catalog-fault.ts";
import { costOf, listTierParts } from "./cost.ts";
import { highestCostOf, largestWhole, unitsWithin } from "./envelope.ts";
import { money, price, quantity } from "./price.fixture.ts";
import type { Price } from "./price.ts";
import { readPrice } from "./read-price.ts";

const USD = findCurrency("USD") ?? { code: "USD", digits: 2 };

describe("costOf", () => {
  it("telescopes: the parts of any cut, each rounded as a difference of totals, sum to the rounded whole", () => {
    fc.assert(
      fc.property(price, fc.array(quantity, { maxLength: 8 }), quantity, (of, cuts, end) => {
        const totals = [0n, ...cuts.filter((cut) => cut < end), end]
          .sort((a, b) => (a < b ? -1 : 1))
          .map((used) => roundToMinor(costOf(of, used), USD));
        const parts = totals.slice(1).map((total, index) => total - (totals[index] ?? 0n));
        const sum = parts.reduce((left, part) => left + part, totals[0] ?? 0n);
        expect(sum).toBe(roundToMinor(costOf(of, end), USD));
      }),
    );
  });

  it("is the sum of its tiers, which hold everything that is not included", () => {
    fc.assert(
      fc.property(price, quantity, ({ maximum: _, ...of }, used) => {
        const parts = listTierParts(of, used);
        if (of.model !== "graduated" && of.model !== "volume") {
          expect(parts).toEqual([]);
          return;
        }
        const charged = used - (of.included ?? 0n);
        const held = parts.reduce((sum, part) => sum + part.quantity, 0n);
        expect(held).toBe(charged > 0n ? charged : 0n);
        const amount = parts.reduce((sum, part) => sum + part.amount.numerator, 0n);
        expect(compareExact({ numerator: amount, denominator: SCALE }, costOf(of, used))).toBe(0);
      }),
    );
  });

  it("never passes its maximum", () => {
    fc.assert(
      fc.property(price, quantity, (of, used) => {
        const isBounded =
          of.maximum === undefined || compareExact(costOf(of, used), toExact(of.maximum)) <= 0;
        expect(isBounded).toBe(true);
      }),
    );
  });

  it("enters a tier a thousandth after its bound, and bills its flat fee from there", () => {
    const of: Price = {
      model: "graduated",
      tiers: [
        { upTo: toScaled("10"), unitAmount: toScaled("1"), flatAmount: 0n },
        { upTo: null, unitAmount: 0n, flatAmount: toScaled("5") },
      ],
    };
    expect(roundToMinor(costOf(of, toScaled("10")), USD)).toBe(1000n);
    expect(roundToMinor(costOf(of, toScaled("10.001")), USD)).toBe(1500n);
  });
});

describe("highestCostOf", () => {
  it("never falls and is never below the cost", () => {
    fc.assert(
      fc.property(price, quantity, quantity, (of, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(compareExact(highestCostOf(of, less), highestCostOf(of, more))).toBeLessThanOrEqual(
          0,
        );
        expect(compareExact(costOf(of, less), highestCostOf(of, more))).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("is reached: some quantity on the way costs as much", () => {
    fc.assert(
      fc.property(price, quantity, (of, used) => {
        const ends =
          of.model === "volume"
            ? of.tiers.flatMap(({ upTo }) => (upTo === null ? [] : [upTo + (of.included ?? 0n)]))
            : [];
        const costs = [...ends.filter((end) => end <= used), used].map((end) => costOf(of, end));
        const isReached = costs.some((cost) => compareExact(cost, highestCostOf(of, used)) === 0);
        expect(isReached).toBe(true);
      }),
    );
  });
});

describe("unitsWithin", () => {
  it("grants all that the budget has room for, and not one unit more", () => {
    fc.assert(
      fc.property(price, quantity, money, (of, used, picos) => {
        const budget = toExact(picos);
        const max = 300n;
        const fits = (units: bigint) =>
          compareExact(highestCostOf(of, used + units * SCALE), budget) <= 0;
        const units = unitsWithin(of, { used, budget, max });
        expect(units === 0n || fits(units)).toBe(true);
        expect(units === max || !fits(units + 1n)).toBe(true);
      }),
    );
  });

  it("finds the largest number that fits, or 0", () => {
    expect(largestWhole(10n, (units) => units <= 7n)).toBe(7n);
    expect(largestWhole(10n, () => true)).toBe(10n);
    expect(largestWhole(10n, () => false)).toBe(0n);
  });
});

describe("readPrice", () => {
  function codesOf(value: unknown): string[] {
    const faults: CatalogFault[] = [];
    readPrice(value, createReader(faults));
    return faults.map(({ code, pointer }) => `${code} ${pointer}`);
  }
  const tier = { unitAmount: "1" };

  it.each([
    [{ model: "per_unit", unitAmount: "0.002" }, []],
    [{ model: "graduated", tiers: [{ upTo: "0" }, { upTo: null, ...tier }] }, []],
    [{ model: "graduated", tiers: [] }, ["tiers_open /tiers"]],
    [{ model: "volume", tiers: [{ upTo: "5", ...tier }] }, ["tiers_open /tiers/0/upTo"]],
    [{ model: "volume", tiers: [{ upTo: null }, { upTo: null }] }, ["tiers_open /tiers/0/upTo"]],
    [
      { model: "volume", tiers: [{ upTo: "5" }, { upTo: "5" }, { upTo: null }] },
      ["tiers_order /tiers/1/upTo"],
    ],
    [{ model: "flat", amount: "-1" }, ["bad_value /amount"]],
    [{ model: "flat", amount: 1 }, ["bad_value /amount"]],
    [{ model: "flat" }, ["bad_value /amount"]],
    [{ model: "flat", amount: "0.0000000000001" }, ["too_precise /amount"]],
    [{ model: "package", amount: "1", size: "0" }, ["bad_value /size"]],
    [{ model: "package", amount: "1" }, ["bad_value /size"]],
    [{ model: "per_unit", unitAmount: "1", size: "5" }, ["unknown_member /size"]],
    [{ model: "volume", tiers: [{ upTo: null, from: "0" }] }, ["unknown_member /tiers/0/from"]],
    [{ model: "stairs" }, ["unknown_model /model"]],
    [
      { model: "per_unit", unitAmount: "1", minimum: "2", maximum: "1" },
      ["minimum_over_maximum /minimum"],
    ],
  ])("reads %j and reports %j", (value, codes) => {
    expect(codesOf(value)).toEqual(codes);
  });
});
