import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCurrency } from "../../money/currency.ts";
import { SCALE } from "../../money/decimal.ts";
import { period } from "../../time/period.ts";
import { createAccount } from "../account/account.ts";
import { passTime } from "../lifecycle/pass-time.ts";
import type { Usage } from "../lifecycle/record-usage.ts";
import type { Line } from "../rating/line.ts";
import { readStory } from "../rehearsal/read-story.ts";
import { doStep } from "../steps/do-step.ts";
import { replayPlan } from "./replay-plan.ts";

const START = new Date(Date.UTC(2025, 10, 1));
const DAY_MS = 24 * 60 * 60 * 1000;
const EUR = findCurrency("EUR") ?? expect.fail();
const MONTH = { month: 1 };

const monthsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const { start, end } = period(START, "month", index);
    return { fromMs: start.getTime(), toMs: end.getTime() };
  });

const TIERS = [
  { upTo: "100", unitAmount: "0" },
  { upTo: "500", unitAmount: "0.013", flatAmount: "1.5" },
  { upTo: null, unitAmount: "0.0071" },
];
const PRICES = [
  { model: "per_unit", unitAmount: "0.05", included: "40" },
  { model: "graduated", tiers: TIERS },
  { model: "volume", tiers: TIERS },
  { model: "package", amount: "3.33", size: "10" },
  { model: "per_unit", unitAmount: "0.02", minimum: "6" },
];

const fee = (amount: string, interval: object = MONTH, more: object = {}) => ({
  key: "base",
  price: { model: "flat", amount },
  interval,
  timing: "advance",
  ...more,
});
const calls = (price: object, more: object = {}) => ({
  key: "calls",
  meter: "calls",
  price,
  interval: MONTH,
  timing: "arrears",
  ...more,
});

function openCatalog(phases: readonly object[]) {
  const read = readStory({
    currency: "EUR",
    catalog: {
      meters: [{ meterId: "calls", aggregation: "count" }],
      plans: [{ planId: "a", phases }],
    },
    story: [],
  });
  if ("faults" in read) {
    throw new Error(read.faults.map(({ message }) => message).join(" "));
  }
  const { terms, customer } = read.story;
  const plan = terms.catalog.plans.get("a") ?? expect.fail();
  return { plan, account: createAccount(terms, customer) };
}

function toUsages(daily: readonly number[]): Usage[] {
  return daily
    .map((count, day) => ({
      meterId: "calls",
      atMs: START.getTime() + day * DAY_MS,
      quantity: BigInt(count) * SCALE,
    }))
    .filter(({ quantity }) => quantity > 0n);
}

/** Lines of an account that has the plan, of periods that begin in the three months. */
function listInvoiced(phases: readonly object[], daily: readonly number[]): Line[] {
  const { account } = openCatalog(phases);
  const startMs = START.getTime();
  const toMs = period(START, "month", 3).start.getTime();
  const begun = doStep(account, { members: { do: "subscribe", plan: "a" }, atMs: startMs });
  const { invoices } = passTime(begun, { fromMs: startMs, toMs, usages: toUsages(daily) });
  return invoices
    .flatMap(({ lines }) => lines)
    .filter(({ span }) => span !== undefined && span.fromMs < toMs);
}

function replay(
  phases: readonly object[],
  daily: readonly number[],
  { seats = new Map<string, bigint>(), months = 3 } = {},
) {
  const { plan } = openCatalog(phases);
  const usages = toUsages(daily);
  return replayPlan(plan, { months: monthsOf(months), usages }, { currency: EUR, seats });
}

const amounts = (found: ReturnType<typeof replay>) =>
  found.map(({ amountMinor }) => Number(amountMinor));

describe("a plan tried with usage of the past", () => {
  it("costs what an account that has the plan all the time is invoiced", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PRICES),
        fc.array(fc.nat(60), { minLength: 92, maxLength: 92 }),
        fc.integer({ min: 1, max: 2_000 }),
        (price, daily, limit) => {
          const entitlement = { kind: "hard", limit: String(limit) };
          const phases = [{ minimum: "9", rateCards: [fee("5"), calls(price, { entitlement })] }];
          const before = listInvoiced(phases, daily);
          const found = replay(phases, daily);
          expect(found.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)).toBe(
            before.reduce((sum, { amount }) => sum + amount, 0n),
          );
          const beyond = before.filter(({ kind }) => kind === "beyondCap");
          expect(found.reduce((sum, { blocked }) => sum + (blocked.get("calls") ?? 0n), 0n)).toBe(
            beyond.reduce((sum, { quantity }) => sum + (quantity ?? 0n), 0n),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it("counts a price for a year by its time, and a month's usage in its month", () => {
    const year = [
      { rateCards: [fee("365", { year: 1 }), calls({ model: "per_unit", unitAmount: "1" })] },
    ];
    const daily = [...Array.from({ length: 30 }, () => 0), 7];
    expect(amounts(replay(year, daily))).toEqual([3000, 3800, 3100]);
  });

  it("leaves out trials and introductory prices, and has the seats of the subscription", () => {
    const phases = [
      { duration: { days: 14 }, rateCards: [] },
      { duration: { months: 2 }, rateCards: [fee("1")] },
      {
        rateCards: [
          fee("10"),
          { ...fee("0"), key: "seats", price: { model: "per_unit", unitAmount: "2" } },
        ],
      },
    ];
    expect(amounts(replay(phases, []))).toEqual([1200, 1200, 1200]);
    const seats = new Map([["seats", 5n * SCALE]]);
    expect(amounts(replay(phases, [], { seats }))).toEqual([2000, 2000, 2000]);
  });

  it("says what hard limits would have refused, also where usage has no price, and nothing of soft ones", () => {
    const limited = (kind: string) => [
      {
        rateCards: [
          { key: "quota", meter: "calls", interval: MONTH, entitlement: { kind, limit: "50" } },
        ],
      },
    ];
    const daily = [40, 30, ...Array.from({ length: 28 }, () => 0), 60];
    const blocked = replay(limited("hard"), daily).map((month) => month.blocked.get("calls"));
    expect(blocked).toEqual([20n * SCALE, 10n * SCALE, undefined]);
    expect(replay(limited("soft"), daily).every((month) => month.blocked.size === 0)).toBe(true);
  });
});
