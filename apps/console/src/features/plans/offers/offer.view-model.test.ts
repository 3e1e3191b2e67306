import { describe, expect, it } from "vitest";
import { GRADUATED, METERS, makeFee, makePlan } from "#components/billing/plan.fixture.ts";
import { toOffer } from "./offer.view-model.ts";

/** The terms of the only phase, each with its details. */
function write(card: object): string[] {
  const offer = toOffer(makePlan({ phases: [{ rateCards: [card as never] }] }), METERS);
  return offer.phases[0]?.terms.map(({ text, details }) => [text, ...details].join(" | ")) ?? [];
}

const usage = (price: object, more: object = {}) => ({
  ...{ key: "calls", meter: "requests", interval: { month: 1 }, price },
  ...more,
});

describe("toOffer", () => {
  it("sums the fees of one interval, seats included, as its price", () => {
    const seats = { key: "seats", price: { model: "flat", amount: "10.50" }, quantity: "3" };
    const cards = [makeFee("49"), makeFee("0", { ...seats })];
    expect(toOffer(makePlan({ phases: [{ rateCards: cards }] }), METERS)).toMatchObject({
      price: "$80.50",
      per: "a month",
    });
    const yearly = [makeFee("490", { interval: { month: 12 } })];
    expect(toOffer(makePlan({ phases: [{ rateCards: yearly }] }), METERS)).toMatchObject({
      price: "$490",
      per: "every 12 months",
    });
  });

  it("falls back to the price of a month where no one sum says it", () => {
    const mixed = [makeFee("10"), makeFee("120", { key: "support", interval: { year: 1 } })];
    expect(
      toOffer(makePlan({ pricePerMonth: "20", phases: [{ rateCards: mixed }] }), METERS),
    ).toMatchObject({ price: "$20", per: "a month" });
  });

  it.each([
    [makeFee("49"), ["Base fee: $49.00 a month"]],
    [
      makeFee("9", { name: "Seats", quantity: "3", timing: "arrears" }),
      ["Seats: $9.00 each a month, 3 to begin with | Charged at the end"],
    ],
    [usage({ model: "per_unit", unitAmount: "0.0025" }), ["Requests: $0.0025 for each request"]],
    [
      usage({ model: "package", amount: "5", size: "1000" }),
      ["Requests: $5.00 for every 1,000 requests begun"],
    ],
    [
      usage({ model: "percentage", rate: "2.5" }, { name: "Share" }),
      ["Share: 2.5% of the requests counted"],
    ],
    [
      usage({ model: "per_unit", unitAmount: "1", included: "100", minimum: "5", maximum: "50" }),
      [
        "Requests: $1.00 for each request | 100 requests a month included | At least $5.00 a month | At most $50.00 a month",
      ],
    ],
    [
      { key: "calls", meter: "requests", entitlement: { kind: "hard", limit: "50000" } },
      ["Up to 50,000 requests a month | Then calls are denied."],
    ],
    [
      {
        ...{ key: "calls", meter: "requests", interval: { month: 1 } },
        entitlement: { kind: "soft", limit: "100", refill: { day: 1 } },
      },
      ["100 requests a day | More is allowed, and not charged."],
    ],
    [{ key: "data-region", entitlement: { kind: "static", limit: "eu" } }, ["Data region: eu"]],
    [{ key: "sso", name: "Single sign-on", entitlement: { kind: "boolean" } }, ["Single sign-on"]],
  ])("writes card %#", (card, texts) => {
    expect(write(card)).toEqual(texts);
  });

  it("spells out every tier, with fees where a tier has one", () => {
    const tiersOf = (card: object) =>
      toOffer(makePlan({ phases: [{ rateCards: [card as never] }] }), METERS).phases[0]?.terms[0]
        ?.tiers;
    expect(tiersOf(GRADUATED)).toEqual({
      heading: "Requests",
      rows: [
        { key: "1000", range: "First 1,000", each: "$0.00", fee: undefined },
        { key: "10000", range: "1,001 to 10,000", each: "$0.002", fee: undefined },
        { key: "rest", range: "Over 10,000", each: "$0.001", fee: undefined },
      ],
    });
    const volume = { model: "volume", tiers: [{ upTo: null, unitAmount: "1", flatAmount: "5" }] };
    expect(tiersOf(usage(volume))?.rows).toEqual([
      { key: "rest", range: "All", each: "$1.00", fee: "$5.00" },
    ]);
  });

  it("names each phase by its time, and a head without prices a free trial", () => {
    const offer = toOffer(
      makePlan({
        phases: [
          { duration: { days: 14 }, rateCards: [] },
          { name: "Ramp", duration: { months: 1 }, rateCards: [makeFee("10")] },
          { minimum: "20", rateCards: [makeFee("49")] },
        ],
      }),
      METERS,
    );
    expect(offer.phases.map(({ title }) => title)).toEqual([
      "First 14 days: free trial",
      "Then, for 1 month: Ramp",
      "After that",
    ]);
    expect(offer.phases[2]?.terms.at(-1)?.text).toBe("At least $20.00 a month in total");
    expect(toOffer(makePlan(), METERS).phases[0]?.title).toBe(undefined);
  });

  it("lists limits and scopes, and “No limits” only where there is none of any kind", () => {
    const limitsOf = (more: Parameters<typeof makePlan>[0]) =>
      toOffer(makePlan(more), METERS).limits;
    expect(
      limitsOf({
        rateLimits: [{ name: "per-second", limit: 10, windowSeconds: 1 }],
        concurrency: 5,
        scopes: ["maps:read"],
      }),
    ).toEqual(["10 calls a second", "5 calls at once", "Scopes: maps:read"]);
    expect(limitsOf({})).toEqual(["No limits"]);
    const hard = { key: "calls", meter: "requests", entitlement: { kind: "hard", limit: "5" } };
    expect(limitsOf({ phases: [{ rateCards: [hard as never] }] })).toEqual([]);
  });
});
