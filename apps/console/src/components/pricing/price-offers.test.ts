import { describe, expect, it } from "vitest";
import { GRADUATED, METERS, makeFee, makePlan } from "#components/billing/plan.fixture.ts";
import { preparePricing } from "./price-offers.ts";

function priceOf(rateCards: object[], units: number, more: object = {}) {
  const plan = makePlan({ phases: [{ rateCards: rateCards as never, ...more }] });
  return preparePricing([plan], METERS)
    .get("pro")
    ?.price(new Map([["requests", units]]));
}

describe("preparePricing", () => {
  it("prices usage by the functions that bill, tier by tier", () => {
    const priced = priceOf([makeFee("49"), GRADUATED], 12_000);
    // 49.00 + 9,000 at 0.002 + 2,000 at 0.001.
    expect(priced?.perMonthMinor).toBe(6_900n);
    expect(priced?.isAverage).toBe(false);
    expect(priced?.lines.map(({ name, amountMinor }) => [name, amountMinor])).toEqual([
      ["Base fee", 4_900n],
      ["calls", 2_000n],
    ]);
    expect(priced?.lines[1]?.tiers).toHaveLength(3);
  });

  it("prices nothing used as what is due without a call", () => {
    expect(priceOf([makeFee("49"), GRADUATED], 0)?.perMonthMinor).toBe(4_900n);
    expect(priceOf([GRADUATED], 0)?.perMonthMinor).toBe(0n);
    expect(priceOf([GRADUATED], 0, { minimum: "20" })?.perMonthMinor).toBe(2_000n);
  });

  it("counts a fee of a year as a twelfth a month, rounded once, and says that it is an average", () => {
    const yearly = [
      makeFee("100", { interval: { year: 1 } }),
      makeFee("100", { key: "support", interval: { year: 1 } }),
    ];
    expect(priceOf(yearly, 0)).toMatchObject({ perMonthMinor: 1_667n, isAverage: true });
    expect(priceOf([makeFee("120", { interval: { month: 12 } })], 0)).toMatchObject({
      perMonthMinor: 1_000n,
      isAverage: true,
    });
  });

  it("prices the last phase, which is the one that stays", () => {
    const plan = makePlan({
      phases: [{ duration: { days: 14 }, rateCards: [] }, { rateCards: [makeFee("49")] }],
    });
    const priced = preparePricing([plan], METERS).get("pro")?.price(new Map());
    expect(priced?.perMonthMinor).toBe(4_900n);
  });
});
