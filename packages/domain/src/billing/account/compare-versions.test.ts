import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateCardTerms } from "../../catalog/plan-phase.ts";
import { toScaled } from "../../money/decimal.ts";
import { createReader } from "../../pricing/catalog-fault.ts";
import type { PeriodUnit } from "../../time/period.ts";
import type { BillingMeter } from "../catalog/billing-plan.ts";
import { readPlan } from "../catalog/read-plan.ts";
import { DUNNING_DEFAULT } from "../payments/dunning.ts";
import {
  type ComparisonUsage,
  listIntervals,
  type VersionInForce,
} from "../rating/list-charges.ts";
import { pricePeriod } from "../rating/price-usage.ts";
import { createAccount } from "./account.ts";
import { compareVersions as compareFor } from "./compare-versions.ts";

const EUR = { code: "EUR", digits: 2 };
const METERS = new Map<string, BillingMeter>([
  ["calls", { meterId: "calls", aggregation: "count", valueMax: undefined }],
]);

function versionOf(rateCards: RateCardTerms[], minimum?: string): VersionInForce {
  const phase = { rateCards, ...(minimum === undefined ? {} : { minimum }) };
  const plan = readPlan(
    { planId: "pro", phases: [phase] },
    { place: 0, meters: METERS },
    createReader([]),
  );
  return { plan, phaseIndex: 0, seats: new Map() };
}

const fee = (amount: string, interval: RateCardTerms["interval"]): RateCardTerms => ({
  key: "base",
  price: { model: "flat", amount },
  interval,
  timing: "advance",
});
const calls = (unitAmount: string, interval: RateCardTerms["interval"]): RateCardTerms => ({
  key: "calls",
  meter: "calls",
  price: { model: "per_unit", unitAmount },
  interval,
});
const used = (quantity: string) => ({
  quantitiesOf: () => new Map([["calls", toScaled(quantity)]]),
  currency: EUR,
});

const AT_MS = Date.UTC(2026, 0, 15);
const ACCOUNT = createAccount(
  {
    currency: EUR,
    seller: undefined,
    catalog: { meters: METERS, plans: new Map() },
    proration: "time",
    dunning: DUNNING_DEFAULT,
  },
  {
    ...{ country: undefined, region: undefined, taxId: undefined },
    ...{ taxIdStatus: undefined, isExempt: false },
  },
);
const compareVersions = (before: VersionInForce, after: VersionInForce, usage: ComparisonUsage) =>
  compareFor(ACCOUNT, { before, after, addOns: [], atMs: AT_MS, ...usage });

describe("compareVersions", () => {
  const amount = fc
    .bigInt({ min: 0n, max: 10_000n })
    .map((cents) => `${String(cents / 100n)}.${String(cents % 100n).padStart(2, "0")}`);

  it("prices each version as its period is priced when all cards have one interval", () => {
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        amount,
        amount,
        fc.nat(5_000),
        (a, b, c, d, least, count) => {
          const month = { month: 1 };
          const before = versionOf([fee(a, month), calls(b, month)], least);
          const after = versionOf([fee(c, month), calls(d, month)]);
          const usage = used(String(count));
          const price = ({ plan }: VersionInForce) =>
            pricePeriod(plan, {
              phaseIndex: 0,
              quantities: usage.quantitiesOf(),
              currency: EUR,
            }).totalMinor;
          expect(compareVersions(before, after, usage)).toEqual({
            beforeMinor: price(before),
            afterMinor: price(after),
          });
        },
      ),
    );
  });

  it.each<[string, VersionInForce, VersionInForce, bigint, bigint]>([
    [
      "a yearly fee by the month",
      versionOf([fee("10", { month: 1 })]),
      versionOf([fee("100", { year: 1 })]),
      1000n,
      833n,
    ],
    [
      "monthly usage by the year of the fee",
      versionOf([fee("120", { year: 1 }), calls("0.10", { month: 1 })]),
      versionOf([fee("10", { month: 1 }), calls("0.05", { month: 1 })]),
      // Twelve times 30 calls.
      15_600n,
      13_800n,
    ],
    [
      "a minimum for the interval of the plan",
      versionOf([fee("10", { month: 1 })], "50"),
      versionOf([fee("10", { year: 1 })], "50"),
      5000n,
      417n,
    ],
    ["nothing with nothing", versionOf([]), versionOf([]), 0n, 0n],
  ])("compares %s", (_what, before, after, beforeMinor, afterMinor) => {
    expect(compareVersions(before, after, used("30"))).toEqual({ beforeMinor, afterMinor });
  });

  it("counts add-ons, coupons that hold and promotional credit, and no prepaid credit", () => {
    const month = { month: 1 };
    const half = { off: { percent: toScaled("50") }, cards: undefined, couponId: undefined };
    const grant = {
      ...{ granted: 700n, left: 700n, priority: 0, effectiveAtMs: 0 },
      ...{ expiresAtMs: undefined, topUp: undefined, withdrawn: 0n },
    };
    const account = {
      ...ACCOUNT,
      periods: 3,
      coupons: [
        { ...half, periods: undefined },
        { off: { amount: 100n }, periods: 1, cards: ["calls"], couponId: undefined },
      ],
      credit: {
        grants: [
          { ...grant, kind: "promotional" as const },
          { ...grant, kind: "prepaid" as const },
          { ...grant, kind: "promotional" as const, expiresAtMs: AT_MS },
        ],
        entries: [],
      },
    };
    const before = versionOf([fee("10", month), calls("0.10", month)]);
    const after = versionOf([fee("20", month), calls("0.01", month)]);
    const addOns = [versionOf([fee("5", month)])];
    const found = compareFor(account, { before, after, addOns, atMs: AT_MS, ...used("30") });
    // (10 + 3 - 1 + 5) / 2 - 7, and (20 + 0.30 - 0.30 + 5) / 2 - 7.
    expect(found).toEqual({ beforeMinor: 150n, afterMinor: 550n });
  });

  it("counts the usage of each card in an interval of its own", () => {
    const version = versionOf([calls("1", { day: 1 })]);
    const asked: PeriodUnit[] = [];
    const quantitiesOf = (interval: PeriodUnit) => {
      asked.push(interval);
      return new Map([["calls", toScaled("2")]]);
    };
    const compared = compareVersions(version, versionOf([calls("1", { week: 1 })]), {
      quantitiesOf,
      currency: EUR,
    });
    expect(asked).toEqual([
      { every: 1, unit: "day" },
      { every: 1, unit: "week" },
    ]);
    // Two units a week are two sevenths of a unit a day, by weeks of a year.
    expect(compared).toEqual({ beforeMinor: 200n, afterMinor: 28n });
    expect(listIntervals([version, version])).toHaveLength(1);
  });
});
