import { describe, expect, it } from "vitest";
import { GRADUATED, METERS, makeFee, makePlan } from "#components/billing/plan.fixture.ts";
import {
  comparePrices,
  listComparedMeters,
  toIdleText,
  toWholeUnits,
} from "./comparison.view-model.ts";
import { preparePricing } from "./price-offers.ts";

const HARD = {
  key: "calls",
  meter: "requests",
  entitlement: { kind: "hard" as const, limit: "50000" },
};
const FREE = makePlan({ planId: "free", name: "Free", phases: [{ rateCards: [HARD] }] });
const USAGE = makePlan({ planId: "usage", name: "Usage", phases: [{ rateCards: [GRADUATED] }] });
const PRO = makePlan({ planId: "pro", name: "Pro", phases: [{ rateCards: [makeFee("49")] }] });
const EURO = makePlan({ planId: "euro", name: "Euro", currency: "EUR" });
const PLANS = [FREE, USAGE, PRO, EURO];

function compare(units: number) {
  return comparePrices({
    plans: PLANS,
    meters: METERS,
    pricers: preparePricing(PLANS, METERS),
    quantities: new Map([["requests", units]]),
  });
}
const cheapestAt = (units: number) =>
  compare(units)
    .filter(({ isCheapest }) => isCheapest)
    .map(({ name }) => name);

describe("comparePrices", () => {
  it("marks the cheapest of each currency that holds so much", () => {
    expect(cheapestAt(1_000)).toEqual(["Free", "Usage", "Euro"]);
    expect(cheapestAt(40_000)).toEqual(["Free", "Euro"]);
    // Usage costs 18.00 + 31.00 at 41,000 calls beyond 10,000, as much as Pro.
    expect(cheapestAt(60_000)).toEqual(["Pro", "Euro"]);
  });

  it("says what a hard limit refuses, also where it refills by the day", () => {
    expect(compare(50_000)[0]?.misfit).toBe(undefined);
    expect(compare(50_001)[0]).toMatchObject({
      misfit: "Denies calls beyond 50,000 requests a month.",
      isCheapest: false,
    });
    const daily = makePlan({
      phases: [
        {
          rateCards: [
            { ...HARD, entitlement: { ...HARD.entitlement, limit: "10", refill: { day: 1 } } },
          ],
        },
      ],
    });
    const [offer] = comparePrices({
      plans: [daily],
      meters: METERS,
      pricers: preparePricing([daily], METERS),
      quantities: new Map([["requests", 305]]),
    });
    expect(offer?.misfit).toBe("Denies calls beyond 10 requests a day.");
  });

  it("shows each line and each tier that was entered", () => {
    const usage = compare(12_000)[1];
    expect(usage).toMatchObject({ total: "$20.00", isAverage: false });
    expect(usage?.lines).toEqual([
      {
        key: "0 calls",
        name: "Requests",
        amount: "$20.00",
        tiers: [
          { key: "0", range: "First 1,000", text: "1,000 requests · $0.00" },
          { key: "1", range: "1,001 to 10,000", text: "9,000 requests · $18.00" },
          { key: "2", range: "Over 10,000", text: "2,000 requests · $2.00" },
        ],
      },
    ]);
  });
});

describe("toIdleText", () => {
  const cardsOf = ({ phases }: typeof PRO) => phases.at(-1)?.rateCards ?? [];
  const both = {
    ...PRO,
    planId: "both",
    phases: [{ rateCards: [...cardsOf(PRO), ...cardsOf(USAGE)] }],
  };
  const pricers = preparePricing([PRO, USAGE, both], METERS);
  const textOf = (plan: typeof PRO, fees: string, isMonthly = true) => {
    const pricer = pricers.get(plan.planId);
    return pricer && toIdleText(pricer, plan, { fees, isMonthly });
  };

  it("says what usage adds to the price, and nothing that the price says itself", () => {
    expect(textOf(both, "49")).toBe("plus usage");
    expect(textOf(USAGE, "0")).toBe("You pay for what you use");
    expect(textOf(PRO, "49")).toBe("");
  });

  it("says what a month without usage costs where the price does not", () => {
    expect(textOf(PRO, "40")).toBe("$49.00 a month without usage");
    expect(textOf(PRO, "49", false)).toBe("$49.00 a month without usage");
  });
});

describe("listComparedMeters", () => {
  it("leaves out meters that no plan speaks of", () => {
    const tokens = { ...METERS[0], meterId: "tokens", name: "Tokens" } as (typeof METERS)[number];
    expect(listComparedMeters(PLANS, [tokens, ...METERS])).toEqual(METERS);
    expect(listComparedMeters([PRO], METERS)).toEqual([]);
  });
});

describe("toWholeUnits", () => {
  it("counts what is begun", () => {
    expect([toWholeUnits("0"), toWholeUnits("0.1"), toWholeUnits("12500")]).toEqual([0, 1, 12_500]);
  });
});
