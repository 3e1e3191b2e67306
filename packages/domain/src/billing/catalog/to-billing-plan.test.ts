import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MeterDefinition } from "../../catalog/meter.ts";
import type { PlanTerms } from "../../catalog/plan.ts";
import type { PlanPhaseTerms } from "../../catalog/plan-phase.ts";
import { termsOfPhase } from "../../catalog/terms-of-phase.ts";
import { fromScaled, SCALE, toScaled } from "../../money/decimal.ts";
import { completeTerms } from "./complete-terms.ts";
import { monthlyPrice } from "./monthly-price.ts";
import { quotaRefillOf } from "./quota-card.ts";
import { toBillingPlan } from "./to-billing-plan.ts";

const METER_IDS = ["requests", "tokens", "base"] as const;
const METERS: MeterDefinition[] = METER_IDS.map((meterId) => ({
  meterId,
  name: meterId,
  unit: "unit",
  aggregation: "count",
}));

const SIMPLE: PlanTerms = {
  name: "Pro",
  description: "",
  currency: "USD",
  pricePerMonth: "0",
  visibility: "public",
  rateLimits: [],
  quotas: [],
};

function planOf(terms: PlanTerms) {
  return toBillingPlan({ planId: "pro", place: 0, terms, meters: METERS });
}

const simplePlans: fc.Arbitrary<PlanTerms> = fc
  .record({
    price: fc.bigInt({ min: 0n, max: 1_000_000n * SCALE }),
    quotas: fc.uniqueArray(
      fc.record({
        meter: fc.constantFrom(...METER_IDS),
        limit: fc.maxSafeNat(),
        kind: fc.constantFrom("hard" as const, "soft" as const),
      }),
      { selector: ({ meter }) => meter },
    ),
  })
  .map(({ price, quotas }) => ({ ...SIMPLE, pricePerMonth: fromScaled(price), quotas }));

describe("a plan without phases", () => {
  it("is one phase that costs its price a month, in advance, and limits what its quotas limit", () => {
    fc.assert(
      fc.property(simplePlans, (terms) => {
        const plan = planOf(terms);
        expect(monthlyPrice(plan)).toBe(terms.pricePerMonth);
        expect(plan.phases).toHaveLength(1);
        const cards = plan.phases[0]?.cards ?? [];
        const fees = cards.filter(({ price }) => price !== undefined);
        expect(fees).toHaveLength(toScaled(terms.pricePerMonth) === 0n ? 0 : 1);
        expect(fees.every(({ timing }) => timing === "advance")).toBe(true);
        const limits = cards.flatMap(({ meterId, entitlement }) =>
          entitlement === undefined
            ? []
            : [{ meter: meterId, kind: entitlement.kind, limit: entitlement.limit }],
        );
        expect(limits).toEqual(
          terms.quotas.map((quota) => ({ ...quota, limit: BigInt(quota.limit) * SCALE })),
        );
        expect(completeTerms({ planId: "pro", terms, meters: METERS })).toBe(terms);
        expect(termsOfPhase(terms, 0)).toEqual({ quotas: terms.quotas });
      }),
    );
  });
});

describe("a plan with phases", () => {
  const phases: PlanPhaseTerms[] = [
    {
      duration: { days: 14 },
      rateCards: [{ key: "calls", meter: "requests", entitlement: { kind: "hard", limit: "100" } }],
    },
    {
      rateCards: [
        {
          key: "base",
          name: "Base fee",
          price: { model: "flat", amount: "10" },
          interval: { year: 1 },
          timing: "advance",
          quantity: "3",
        },
        {
          key: "calls",
          meter: "requests",
          interval: { month: 1 },
          price: { model: "per_unit", unitAmount: "0.000000000001" },
          entitlement: { kind: "soft", limit: "5000", refill: { day: 1 } },
        },
        { key: "sso", entitlement: { kind: "boolean" } },
        { key: "region", entitlement: { kind: "static", limit: "eu" } },
      ],
    },
  ];

  it("stores the quotas of its first phase and what its last one costs a month", () => {
    const terms = completeTerms({ planId: "pro", meters: METERS, terms: { ...SIMPLE, phases } });
    expect(terms).toEqual({
      ...SIMPLE,
      phases,
      pricePerMonth: "2.5",
      quotas: [{ meter: "requests", limit: 100, kind: "hard" }],
    });
    expect(termsOfPhase(terms, 1)).toEqual({
      quotas: [{ meter: "requests", limit: 5000, kind: "soft" }],
    });
    expect(termsOfPhase(terms, 2)).toEqual({ quotas: [] });
  });

  it("rounds its price a month to twelve places", () => {
    const [, second] = phases;
    const fee = { model: "flat", amount: "1" } as const;
    const yearly = { key: "base", price: fee, interval: { year: 1 }, timing: "advance" } as const;
    const terms = { ...SIMPLE, phases: [{ ...second, rateCards: [yearly] }] };
    expect(monthlyPrice(planOf(terms))).toBe("0.083333333333");
  });

  it("refills its quotas by one clock, which is not that of its fees", () => {
    const plan = planOf({ ...SIMPLE, phases });
    expect(plan.phases.map(quotaRefillOf)).toEqual([
      { every: 1, unit: "month" },
      { every: 1, unit: "day" },
    ]);
  });

  it("is not billed when it cannot be read, rather than billed wrongly", () => {
    const terms = { ...SIMPLE, phases: [{ rateCards: [{ key: "x", meter: "gone" }] }] };
    expect(() => planOf(terms)).toThrow("Define the meter gone");
  });
});
