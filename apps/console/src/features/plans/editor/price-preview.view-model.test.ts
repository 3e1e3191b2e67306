import { describe, expect, it } from "vitest";
import type { EditedTerms } from "./plan-draft.view-model.ts";
import { listPricedMeters, previewPrice } from "./price-preview.view-model.ts";

const MONTH = { month: 1 };
const REQUESTS = {
  meterId: "requests",
  name: "Requests",
  unit: "request",
  aggregation: "count" as const,
};
const SALES = { meterId: "sales", name: "Sales", unit: "dollar", aggregation: "sum" as const };

const TERMS: EditedTerms = {
  name: "Pro",
  description: "",
  currency: "USD",
  visibility: "public",
  isAddOn: false,
  rateLimits: [],
  phases: [
    { duration: { days: 14 }, rateCards: [] },
    {
      minimum: "60",
      rateCards: [
        {
          key: "seats",
          price: { model: "flat", amount: "10" },
          interval: MONTH,
          timing: "advance",
          quantity: "2",
        },
        {
          key: "requests",
          meter: "requests",
          interval: MONTH,
          price: {
            model: "graduated",
            tiers: [
              { upTo: "1000", unitAmount: "0", flatAmount: "5" },
              { upTo: null, unitAmount: "0.002" },
            ],
          },
        },
      ],
    },
  ],
};

const source = { planId: "pro", terms: TERMS, meters: [REQUESTS, SALES] };

describe("the price preview", () => {
  it("prices by the engine: seats, tiers, and what the minimum adds", () => {
    const preview = previewPrice(source, { phaseIndex: 1, quantities: { requests: "10000" } });
    expect(preview).toEqual({
      total: "$60.00",
      zeroText: "Without usage it costs $60.00.",
      lines: [
        { key: "0 seats", name: "Seats", quantity: "2 seats", amount: "$20.00", tiers: [] },
        {
          key: "1 requests",
          name: "Requests",
          quantity: "10,000 requests",
          amount: "$23.00",
          tiers: [
            { key: "0", range: "First 1,000", text: "1,000 requests · $5.00" },
            { key: "1", range: "Over 1,000", text: "9,000 requests · $18.00" },
          ],
        },
        { key: "2 Minimum", name: "Minimum", quantity: undefined, amount: "$17.00", tiers: [] },
      ],
    });
  });

  it("shows that a first tier with a fee costs without usage as well", () => {
    const [, usage] = TERMS.phases;
    const terms = { ...TERMS, phases: [{ rateCards: usage?.rateCards.slice(1) ?? [] }] };
    const preview = previewPrice({ ...source, terms }, { phaseIndex: 0, quantities: {} });
    expect(preview?.zeroText).toBe("Without usage it costs $5.00.");
  });

  it("is free for a trial, and speaks of no meter then", () => {
    const preview = previewPrice(source, { phaseIndex: 0, quantities: {} });
    expect(preview).toEqual({
      total: "$0.00",
      zeroText: "Without usage it costs $0.00.",
      lines: [],
    });
  });

  it("is not there while the plan has faults or no currency", () => {
    const input = { phaseIndex: 0, quantities: {} };
    expect(previewPrice({ ...source, terms: { ...TERMS, phases: [] } }, input)).toBeUndefined();
    expect(previewPrice({ ...source, terms: { ...TERMS, currency: "US" } }, input)).toBeUndefined();
    expect(previewPrice({ ...source, meters: [] }, input)).toBeUndefined();
  });

  it("counts what is no decimal as nothing", () => {
    const total = (requests: string) =>
      previewPrice(source, { phaseIndex: 1, quantities: { requests } })?.total;
    expect(total("many")).toBe("$60.00");
    expect(total("-5")).toBe("$60.00");
    expect(total("100000")).toBe("$223.00");
  });

  it("asks for the meters that have a price in the phase", () => {
    const names = (phase: number) => listPricedMeters(source, phase).map(({ meterId }) => meterId);
    expect(names(0)).toEqual([]);
    expect(names(1)).toEqual(["requests"]);
  });
});
