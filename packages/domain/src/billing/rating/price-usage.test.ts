import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PriceTerms, RateCardTerms } from "../../catalog/plan-phase.ts";
import { type Currency, findCurrency } from "../../money/currency.ts";
import { fromScaled, SCALE, toScaled } from "../../money/decimal.ts";
import { createReader } from "../../pricing/catalog-fault.ts";
import type { BillingMeter } from "../catalog/billing-plan.ts";
import { readPlan } from "../catalog/read-plan.ts";
import { playStory } from "../rehearsal/play-story.ts";
import { pricePeriod } from "./price-usage.ts";

const METERS = new Map<string, BillingMeter>(
  ["calls", "spent"].map((meterId) => [
    meterId,
    { meterId, aggregation: "sum", valueMax: undefined },
  ]),
);
const MONTH = { month: 1 };

function currencyOf(code: string): Currency {
  return findCurrency(code) ?? { code, digits: 2 };
}

function planOf(phase: { minimum?: string | undefined; rateCards: RateCardTerms[] }) {
  return readPlan(
    { planId: "pro", phases: [phase] },
    { place: 0, meters: METERS },
    createReader([]),
  );
}

const decimal = fc
  .bigInt({ min: 0n, max: 100n * SCALE })
  .map((scaled) => fromScaled((scaled / 10n ** 8n) * 10n ** 8n));
const tiers = fc.tuple(decimal, decimal, decimal).map(([unitAmount, flatAmount, last]) => [
  { upTo: "10", unitAmount, flatAmount },
  { upTo: "30.5", unitAmount: flatAmount },
  { upTo: null, unitAmount: last, flatAmount },
]);
const model: fc.Arbitrary<PriceTerms> = fc.oneof(
  decimal.map((unitAmount) => ({ model: "per_unit" as const, unitAmount })),
  tiers.map((of) => ({ model: "graduated" as const, tiers: of })),
  tiers.map((of) => ({ model: "volume" as const, tiers: of })),
  decimal.map((amount) => ({ model: "package" as const, amount, size: "7" })),
  decimal.map((rate) => ({ model: "percentage" as const, rate })),
);
const usagePrice = fc
  .tuple(
    model,
    fc.record(
      {
        included: fc.constantFrom("5", "20"),
        minimum: fc.constantFrom("3.005", "40"),
        maximum: fc.constantFrom("50", "200"),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([of, by]): PriceTerms => ({ ...of, ...by }));
const seatPrice: fc.Arbitrary<PriceTerms> = fc.oneof(
  decimal.map((amount) => ({ model: "flat" as const, amount })),
  tiers.map((of) => ({ model: "volume" as const, tiers: of })),
);

const phases = fc.record({
  minimum: fc.option(fc.constantFrom("0", "99.999", "700"), { nil: undefined }),
  fee: seatPrice,
  arrears: seatPrice,
  seats: fc.constantFrom("0", "1", "2.5"),
  calls: usagePrice,
  spent: usagePrice,
});

describe("pricePeriod", () => {
  it("comes to what the engine bills for the first period of a customer with this usage", () => {
    const quantity = fc.bigInt({ min: 0n, max: 60_000n }).map((n) => n * (SCALE / 1_000n));
    const currencies = fc.constantFrom("USD", "JPY", "KWD");
    fc.assert(
      fc.property(phases, quantity, quantity, currencies, (of, calls, spent, code) => {
        const rateCards: RateCardTerms[] = [
          { key: "fee", price: of.fee, interval: MONTH, timing: "advance", quantity: of.seats },
          { key: "arrears", price: of.arrears, interval: MONTH, timing: "arrears" },
          { key: "calls", meter: "calls", price: of.calls, interval: MONTH },
          { key: "spent", meter: "spent", price: of.spent, interval: MONTH },
        ];
        const phase = { rateCards, ...(of.minimum === undefined ? {} : { minimum: of.minimum }) };
        const priced = pricePeriod(planOf(phase), {
          phaseIndex: 0,
          quantities: new Map([
            ["calls", calls],
            ["spent", spent],
          ]),
          currency: currencyOf(code),
        });
        const used = { calls, spent };
        const result = playStory({
          id: "story",
          currency: code,
          catalog: {
            meters: [...METERS.keys()].map((meterId) => ({ meterId, aggregation: "sum" })),
            plans: [{ planId: "pro", phases: [phase] }],
          },
          story: [
            { at: "2026-01-31", do: "subscribe", plan: "pro" },
            ...Object.entries(used).map(([meter, amount]) => ({
              at: "2026-02-10",
              do: "use",
              meter,
              quantity: fromScaled(amount),
            })),
          ],
          until: "2026-02-28",
        });
        if (!("invoices" in result)) {
          throw new Error(JSON.stringify(result));
        }
        const { digits } = currencyOf(code);
        const billed = result.invoices
          .flatMap(({ lines }) => lines)
          .filter(({ from }) => from?.startsWith("2026-01-31"))
          .reduce((sum, { amount }) => sum + toScaled(amount) / 10n ** BigInt(12 - digits), 0n);
        expect(priced.totalMinor).toBe(billed);
      }),
    );
  });

  it("names lines, tiers and what minimums add", () => {
    const plan = planOf({
      minimum: "20",
      rateCards: [
        {
          key: "base",
          name: "Base",
          price: { model: "flat", amount: "2" },
          interval: MONTH,
          timing: "advance",
        },
        {
          key: "calls",
          meter: "calls",
          price: {
            model: "graduated",
            minimum: "5",
            tiers: [
              { upTo: "10", unitAmount: "0.1" },
              { upTo: null, unitAmount: "0.05" },
            ],
          },
          interval: MONTH,
        },
        { key: "free", meter: "spent" },
      ],
    });
    const priced = pricePeriod(plan, {
      phaseIndex: 0,
      quantities: new Map([["calls", toScaled("30")]]),
      seats: new Map([["base", toScaled("3")]]),
      currency: currencyOf("EUR"),
    });
    expect(priced.lines.map(({ kind, name, amountMinor }) => [kind, name, amountMinor])).toEqual([
      ["base", "Base", 600n],
      ["usage", "calls", 200n],
      ["commitment", "calls", 300n],
      ["commitment", "Minimum", 900n],
    ]);
    expect(priced.lines[1]?.tiers.map(({ quantity }) => quantity)).toEqual([
      toScaled("10"),
      toScaled("20"),
    ]);
    expect(priced.totalMinor).toBe(2000n);
  });

  it("has nothing for a phase that is not there", () => {
    const usage = { phaseIndex: 3, quantities: new Map(), currency: currencyOf("EUR") };
    expect(pricePeriod(planOf({ rateCards: [] }), usage)).toEqual({ lines: [], totalMinor: 0n });
  });
});
