import { describe, expect, it } from "vitest";
import type { PlanTerms } from "../plan.ts";
import type { PlanPhaseTerms, RateCardTerms } from "../plan-phase.ts";
import { diffPlans } from "./diff-plans.ts";

const SIMPLE: PlanTerms = {
  name: "Pro",
  description: "",
  currency: "USD",
  pricePerMonth: "49",
  visibility: "public",
  rateLimits: [{ name: "per-second", limit: 10, windowSeconds: 1 }],
  quotas: [{ meter: "requests", limit: 50_000, kind: "hard" }],
};

const CALLS: RateCardTerms = {
  key: "requests",
  meter: "requests",
  interval: { month: 1 },
  price: {
    model: "graduated",
    tiers: [
      { upTo: "1000", unitAmount: "0" },
      { upTo: null, unitAmount: "0.002" },
    ],
  },
  entitlement: { kind: "hard", limit: "100000" },
};

const phased = (...phases: PlanPhaseTerms[]): PlanTerms => ({ ...SIMPLE, phases });
const cards = (...rateCards: RateCardTerms[]): PlanPhaseTerms => ({ rateCards });
const sentences = (before: PlanTerms, after: PlanTerms) =>
  diffPlans(before, after).map(({ text }) => text);

describe("diffPlans", () => {
  it.each<[string, PlanTerms, PlanTerms, string[]]>([
    ["nothing", SIMPLE, SIMPLE, []],
    [
      "plain terms",
      SIMPLE,
      {
        ...SIMPLE,
        name: "Pro 2",
        pricePerMonth: "1059.5",
        concurrency: 20,
        scopes: ["maps:read"],
        rateLimits: [{ name: "per-second", limit: 20, windowSeconds: 1 }],
        quotas: [],
      },
      [
        'name "Pro" → "Pro 2"',
        "price a month 49 → 1,059.5",
        "quota of requests removed, was 50,000 hard",
        "rate limit per-second 10 in 1 s → 20 in 1 s",
        "calls at once added: 20",
        "scope maps:read added",
      ],
    ],
    [
      "how usage is paid for",
      phased(cards(CALLS)),
      { ...phased(cards(CALLS)), isPrepaid: true },
      ["prepaid no → yes, calls draw on credit"],
    ],
    [
      "a tier",
      phased(cards(CALLS)),
      phased(
        cards({
          ...CALLS,
          price: {
            model: "graduated",
            included: "10",
            tiers: [
              { upTo: "2000", unitAmount: "0" },
              { upTo: null, unitAmount: "0.0015" },
            ],
          },
        }),
      ),
      [
        "requests: included units added: 10",
        "requests: tier 1 end 1,000 → 2,000",
        "requests: tier 2 unit price 0.002 → 0.0015",
      ],
    ],
    [
      "another model",
      phased(cards(CALLS)),
      phased(cards({ ...CALLS, price: { model: "per_unit", unitAmount: "0.001" } })),
      ["requests: price graduated, 2 tiers → 0.001 a unit"],
    ],
    [
      "a limit",
      phased(cards(CALLS)),
      phased(cards({ ...CALLS, entitlement: { kind: "soft", limit: "5", refill: { day: 1 } } })),
      [
        "requests: kind of limit hard → soft",
        "requests: limit 100,000 → 5",
        "requests: refill added: every day",
      ],
    ],
    [
      "cards and phases",
      phased(cards(CALLS)),
      phased(
        { duration: { days: 14 }, ...cards(CALLS) },
        cards({ key: "sso", entitlement: { kind: "boolean" } }),
      ),
      ["phase 1: duration added: 14 days", "phase 2 added: 1 card"],
    ],
    [
      "a card",
      phased(cards(CALLS)),
      phased(cards({ key: "sso", entitlement: { kind: "boolean" } })),
      [
        "sso added: a feature",
        "requests removed, was meter requests, graduated, 2 tiers every month, hard limit 100,000",
      ],
    ],
    [
      "what a simple plan becomes",
      { ...SIMPLE, quotas: [] },
      phased(
        cards({
          key: "base",
          price: { model: "flat", amount: "59" },
          interval: { month: 1 },
          timing: "advance",
          quantity: "2",
        }),
      ),
      ["base: amount 49 → 59", "base: seats added: 2"],
    ],
  ])("says in sentences what changed: %s", (_what, before, after, expected) => {
    expect(sentences(before, after)).toEqual(expected);
  });

  it("points at each change, with both values", () => {
    const after = phased(cards({ ...CALLS, interval: { month: 3 } }));
    expect(diffPlans(phased(cards(CALLS)), after)).toEqual([
      {
        path: "/phases/0/rateCards/requests/interval",
        kind: "changed",
        before: { month: 1 },
        after: { month: 3 },
        text: "requests: charged every month → every 3 months",
      },
    ]);
    expect(diffPlans({ ...SIMPLE, quotas: [] }, SIMPLE)).toEqual([
      {
        path: "/quotas/requests",
        kind: "added",
        before: null,
        after: SIMPLE.quotas[0],
        text: "quota of requests added: 50,000 hard",
      },
    ]);
  });
});
