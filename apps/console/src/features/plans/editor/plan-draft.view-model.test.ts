import { findPlanFaults } from "@turnpike/domain/billing/catalog/find-plan-faults";
import type { RateCardTerms } from "@turnpike/domain/catalog/plan-phase";
import { describe, expect, it } from "vitest";
import { addTier, makeCard, toCardDraft, toCardTerms } from "./card-draft.view-model.ts";
import {
  addPhase,
  copyPhase,
  type EditedTerms,
  makePlanDraft,
  toEditedTerms,
  toFullTerms,
  toPlanDraft,
  toPlanTerms,
} from "./plan-draft.view-model.ts";
import { toRows } from "./rows.view-model.ts";

const MONTH = { month: 1 };

const EVERYTHING: EditedTerms = {
  name: "Pro",
  description: "For products in production.",
  currency: "EUR",
  visibility: "private",
  isAddOn: false,
  isPrepaid: true,
  rateLimits: [{ name: "per-second", limit: 100, windowSeconds: 1 }],
  concurrency: 20,
  scopes: ["maps:read", "maps:write"],
  phases: [
    { key: "trial", name: "Trial", duration: { days: 14 }, rateCards: [] },
    {
      minimum: "10",
      taxClass: "reduced",
      rateCards: [
        {
          key: "base",
          name: "Platform fee",
          price: { model: "flat", amount: "49.90" },
          interval: MONTH,
          timing: "advance",
          quantity: "3",
        },
        {
          key: "seats",
          price: { model: "package", amount: "5", size: "10" },
          interval: { quarter: 1 },
          timing: "arrears",
          taxClass: "reduced",
        },
        {
          key: "requests",
          meter: "requests",
          price: {
            model: "graduated",
            tiers: [
              { upTo: "1000", unitAmount: "0" },
              { upTo: null, unitAmount: "0.002" },
            ],
            included: "100",
            minimum: "1",
            maximum: "500",
          },
          interval: MONTH,
          entitlement: { kind: "hard", limit: "50000", refill: { day: 1 } },
        },
        { key: "images", meter: "images", interval: MONTH },
        {
          key: "volume",
          meter: "volume",
          price: { model: "volume", tiers: [{ upTo: null, unitAmount: "1", flatAmount: "2" }] },
          interval: { year: 1 },
          entitlement: { kind: "soft", limit: "10" },
        },
        {
          key: "sales",
          meter: "sales",
          price: { model: "percentage", rate: "2.5" },
          interval: MONTH,
        },
        {
          key: "units",
          meter: "units",
          price: { model: "per_unit", unitAmount: "0.001" },
          interval: { month: 3 },
        },
        { key: "support", entitlement: { kind: "boolean" } },
        { key: "region", entitlement: { kind: "static", limit: "eu-west" } },
      ],
    },
  ],
};

describe("a plan in the form", () => {
  it("comes back as it was, with every model, bound and entitlement", () => {
    expect(toPlanTerms(toPlanDraft(EVERYTHING))).toEqual(EVERYTHING);
  });

  it("of a plan without phases is the phase that it is", () => {
    const terms = toEditedTerms({
      name: "Free",
      description: "",
      currency: "USD",
      pricePerMonth: "9.90",
      visibility: "public",
      rateLimits: [],
      concurrency: null,
      scopes: [],
      quotas: [{ meter: "requests", limit: 5_000, kind: "hard" }],
    });
    expect(terms.phases).toEqual([
      {
        rateCards: [
          {
            key: "base",
            price: { model: "flat", amount: "9.90" },
            interval: MONTH,
            timing: "advance",
          },
          {
            key: "requests",
            meter: "requests",
            interval: MONTH,
            entitlement: { kind: "hard", limit: "5000" },
          },
        ],
      },
    ]);
    expect(toPlanTerms(toPlanDraft(terms))).toEqual(terms);
  });

  it("has no faults that the form made, for a new one with its amount", () => {
    const draft = makePlanDraft("USD");
    const terms = toPlanTerms(draft);
    const faults = findPlanFaults({
      planId: "new",
      meters: [],
      terms: toFullTerms(terms),
    });
    expect(faults.map(({ pointer }) => pointer)).toEqual(["/phases/0/rateCards/0/price/amount"]);
  });

  it("sends what is no whole number as 0, which is refused at its place", () => {
    const [first, last] = toPlanDraft(EVERYTHING).phases;
    const terms = toPlanTerms({
      ...makePlanDraft("USD"),
      concurrency: "many",
      rateLimits: toRows([{ name: "a", limit: "1.5", windowSeconds: "" }]),
      phases: [
        { ...first, duration: { count: "two", unit: "weeks" } } as NonNullable<typeof first>,
        last as NonNullable<typeof last>,
      ],
    });
    expect(terms.concurrency).toBe(0);
    expect(terms.rateLimits).toEqual([{ name: "a", limit: 0, windowSeconds: 0 }]);
    expect(terms.phases[0]?.duration).toEqual({ weeks: 0 });
  });

  it("reads scopes from lines, blanks and commas", () => {
    const draft = { ...makePlanDraft("USD"), scopes: " maps:read,\n maps:write " };
    expect(toPlanTerms(draft).scopes).toEqual(["maps:read", "maps:write"]);
    expect(toPlanTerms(makePlanDraft("USD"))).not.toHaveProperty("scopes");
  });
});

describe("phases", () => {
  it("are added before the first, so that the last one stays open", () => {
    const draft = makePlanDraft("USD");
    const { phases } = toPlanTerms({ ...draft, phases: addPhase(draft.phases) });
    expect(phases.map(({ duration }) => duration)).toEqual([{ days: 14 }, undefined]);
  });

  it("are copied behind themselves, without the key that programs know the first by", () => {
    const draft = toPlanDraft(EVERYTHING);
    const { phases } = toPlanTerms({ ...draft, phases: copyPhase(draft.phases, 0) });
    expect(phases.map(({ key, duration }) => [key, duration])).toEqual([
      ["trial", { days: 14 }],
      [undefined, { days: 14 }],
      [undefined, undefined],
    ]);
  });
});

describe("a card in the form", () => {
  it("keeps what was typed for another model, and sends only what its own has", () => {
    const typed = {
      ...makeCard("usage"),
      rowId: 0,
      key: "requests",
      meter: "requests",
      unitAmount: "0.01",
    };
    const tiered = { ...typed, model: "volume" as const };
    expect(toCardTerms(tiered).price).toEqual({
      model: "volume",
      tiers: [{ upTo: "1000", unitAmount: "0" }, { upTo: null }],
    });
    expect(toCardTerms({ ...tiered, model: "per_unit" }).price).toEqual({
      model: "per_unit",
      unitAmount: "0.01",
    });
  });

  it("has its last tier open, also when one is added", () => {
    const card = { ...makeCard("usage"), rowId: 0, model: "graduated" as const };
    const tiers = addTier(card.tiers);
    const bounds = toCardTerms({ ...card, tiers }).price?.tiers?.map(({ upTo }) => upTo);
    expect(bounds).toEqual(["1000", "", null]);
  });

  it("is a feature without meter and price, and a fee without either", () => {
    const kindOf = (card: RateCardTerms) => toCardDraft(card).kind;
    expect(kindOf({ key: "a", entitlement: { kind: "boolean" } })).toBe("feature");
    expect(kindOf({ key: "a" })).toBe("fee");
    expect(kindOf({ key: "a", meter: "requests" })).toBe("usage");
  });
});
