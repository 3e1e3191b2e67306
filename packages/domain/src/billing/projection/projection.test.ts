import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BAND_PARTS, type BandPart, type TotalsForecast } from "../../forecast/forecast-totals.ts";
import { findRunOut } from "../../forecast/run-out.ts";
import { toScaled } from "../../money/decimal.ts";
import { type Account, createAccount } from "../account/account.ts";
import { dueOf } from "../invoices/invoice.ts";
import { passTime } from "../lifecycle/pass-time.ts";
import type { Usage } from "../lifecycle/record-usage.ts";
import { readStory } from "../rehearsal/read-story.ts";
import { doStep } from "../steps/do-step.ts";
import { listRuns } from "../subscription/subscription.ts";
import { projectInvoices } from "./project-invoices.ts";
import { projectCap, projectCredit } from "./project-run-out.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const START_MS = Date.UTC(2025, 3, 1);
const NOW_MS = START_MS + 9 * DAY_MS;
const TO_MS = START_MS + 95 * DAY_MS;
const monthly = { interval: { month: 1 }, timing: "arrears" };
const USED_SO_FAR = "90";

const PRICES = {
  per_unit: { model: "per_unit", unitAmount: "0.05" },
  graduated: {
    model: "graduated",
    tiers: [
      { upTo: "200", unitAmount: "0" },
      { upTo: null, unitAmount: "0.08", flatAmount: "1" },
    ],
  },
  minimum: { model: "per_unit", unitAmount: "0.02", minimum: "6" },
  // A unit more can cost less.
  volume: {
    model: "volume",
    tiers: [
      { upTo: "300", unitAmount: "0.1" },
      { upTo: null, unitAmount: "0.04" },
    ],
  },
};
type Model = keyof typeof PRICES;

type Given = {
  model: Model;
  daily: number;
  cap?: number;
  credit?: number;
  isTaxed?: boolean;
  isPrepaid?: boolean;
};

function openAccount({ model, cap, credit, isTaxed, isPrepaid }: Given): Account {
  const read = readStory({
    currency: "EUR",
    ...(isTaxed === true && {
      seller: {
        country: "DE",
        isRegistered: true,
        taxRates: [{ country: "DE", taxClass: "standard", category: "S", rate: "19" }],
      },
    }),
    catalog: {
      meters: [{ meterId: "calls", aggregation: "count" }],
      plans: [
        {
          planId: "a",
          ...(isPrepaid === true && { isPrepaid }),
          phases: [
            {
              rateCards: [
                {
                  key: "base",
                  price: { model: "flat", amount: "5" },
                  interval: { month: 1 },
                  timing: "advance",
                },
                { key: "calls", meter: "calls", price: PRICES[model], ...monthly },
              ],
            },
          ],
        },
      ],
    },
    story: [],
  });
  if ("faults" in read) {
    throw new Error(read.faults.map(({ message }) => message).join(" "));
  }
  const { terms, customer } = read.story;
  const steps: object[] = [
    { do: "subscribe", plan: "a" },
    ...(cap === undefined ? [] : [{ do: "cap", amount: String(cap) }]),
    ...(credit === undefined
      ? []
      : [{ do: "grant", kind: "prepaid", amount: String(credit), priority: 1 }]),
  ];
  return steps.reduce<Account>(
    (account, members) => doStep(account, { members: { ...members }, atMs: START_MS }),
    createAccount(terms, customer),
  );
}

/** So many units a day, and bounds that are so much of them away. */
const SPREADS: Record<BandPart, number> = {
  lower95: 0.5,
  lower80: 0.75,
  mean: 1,
  upper80: 1.25,
  upper95: 1.5,
};

function forecastOf(daily: number): TotalsForecast {
  const list = (part: BandPart) => Array.from({ length: 100 }, () => daily * SPREADS[part]);
  const { lower95, lower80, mean, upper80, upper95 } = Object.fromEntries(
    BAND_PARTS.map((part) => [part, list(part)]),
  ) as Record<BandPart, number[]>;
  return {
    isEnough: true,
    steps: { mean, lower80, upper80, lower95, upper95 },
    total: (from, to) => {
      const at = (part: BandPart) => (to - from) * daily * SPREADS[part];
      return {
        mean: at("mean"),
        lower80: at("lower80"),
        upper80: at("upper80"),
        lower95: at("lower95"),
        upper95: at("upper95"),
      };
    },
  };
}

const DAYS = {
  startsMs: Array.from({ length: 110 }, (_, day) => START_MS + day * DAY_MS),
  values: Array.from({ length: 9 }, () => 10),
  today: 0,
};

function project(given: Given) {
  const account = openAccount(given);
  const usages = [{ meterId: "calls", atMs: START_MS, quantity: toScaled(USED_SO_FAR) }];
  const { subscription } = account;
  const plans = subscription === undefined ? [] : listRuns(subscription).map(({ plan }) => plan);
  const projected = { account, fromMs: START_MS, usages, nowMs: NOW_MS, plans };
  const meters = [{ meterId: "calls", days: DAYS, forecast: forecastOf(given.daily) }];
  return { projected, outlook: { meters, toMs: TO_MS } };
}

/** What happens when each day has so much. */
function live(given: Given, part: BandPart): Account {
  const { projected } = project(given);
  const daily = given.daily * SPREADS[part];
  const coming = Array.from(
    { length: 86 },
    (_, day): Usage => ({
      meterId: "calls",
      atMs: NOW_MS + day * DAY_MS,
      quantity: toScaled(String(daily)),
    }),
  );
  const usages = [...projected.usages, ...coming];
  return passTime(projected.account, { fromMs: START_MS, toMs: TO_MS, usages });
}

const given: fc.Arbitrary<Given> = fc.record(
  {
    model: fc.constantFrom(...(Object.keys(PRICES) as Model[])),
    daily: fc.integer({ min: 0, max: 50 }).map((quarter) => quarter * 4),
    cap: fc.integer({ min: 5, max: 60 }),
    credit: fc.integer({ min: 1, max: 60 }),
    isTaxed: fc.boolean(),
  },
  { requiredKeys: ["model", "daily"] },
);

describe("projected invoices", () => {
  it("are those that are issued when usage comes as forecast, in the middle and at each bound, for any price, cap, credit and tax", () => {
    fc.assert(
      fc.property(given, (drawn) => {
        const { projected, outlook } = project(drawn);
        const { invoices, runningTotal } = projectInvoices(projected, outlook);
        const issued = live(drawn, "mean").invoices.slice(1);
        expect(invoices.map(({ issuesAtMs }) => issuesAtMs)).toEqual(
          issued.map(({ issuedAtMs }) => issuedAtMs),
        );
        expect(invoices.map(({ total }) => total.mean)).toEqual(issued.map(({ total }) => total));
        expect(invoices.map(({ due }) => due.mean)).toEqual(issued.map(dueOf));
        const [next] = invoices;
        const nextAt = (part: BandPart) => live(drawn, part).invoices[1]?.total ?? 0n;
        const all = BAND_PARTS.map(nextAt);
        const [least, most] = [all.toSorted((a, b) => Number(a - b))].flatMap((sorted) => [
          sorted[0],
          sorted.at(-1),
        ]);
        expect([next?.total.lower95, next?.total.upper95]).toEqual([least, most]);
        for (const { total, due } of invoices) {
          for (const band of [total, due]) {
            const parts = BAND_PARTS.map((part) => band[part]);
            expect(parts).toEqual(parts.toSorted((a, b) => Number(a - b)));
          }
        }
        const nothing = projectInvoices(projected, { ...outlook, meters: [] });
        expect(runningTotal).toBe(nothing.invoices[0]?.total.mean);
      }),
      { numRuns: 12 },
    );
  });
});

describe("when money runs out", () => {
  it("a cap is reached in the hour from which on it keeps usage out", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (cap, tens) => {
          const drawn: Given = { model: "per_unit", daily: tens * 8, cap };
          const { projected, outlook } = project(drawn);
          const found = projectCap(projected, outlook);
          // 5.00 and 4.50 are spent; a unit costs 0.05, and each month has anew.
          const month = START_MS + 30 * DAY_MS;
          const left = (cap - 5 - 4.5) / 0.05;
          const firstMs = NOW_MS + (left / drawn.daily) * DAY_MS;
          const laterMs = month + ((cap - 5) / 0.05 / drawn.daily) * DAY_MS;
          const expectedMs =
            firstMs <= month ? firstMs : laterMs <= month + 31 * DAY_MS ? laterMs : undefined;
          expect(found?.left).toBe(BigInt(cap * 100 - 950));
          if (expectedMs === undefined) {
            expect(found?.runOut.mean).toBeUndefined();
          } else {
            expect(Math.abs((found?.runOut.mean ?? 0) - expectedMs)).toBeLessThanOrEqual(3_600_000);
          }
          const { upper80 = Number.POSITIVE_INFINITY, lower80 = Number.POSITIVE_INFINITY } =
            found?.runOut ?? {};
          expect(upper80).toBeLessThanOrEqual(found?.runOut.mean ?? Number.POSITIVE_INFINITY);
          expect(lower80).toBeGreaterThanOrEqual(found?.runOut.mean ?? 0);
        },
      ),
      { numRuns: 12 },
    );
  });

  it("credit is used up when what was used costs more, base fees of the next periods included", () => {
    // 20.00 that were granted after the first fee.
    const drawn: Given = { model: "per_unit", daily: 10, credit: 20 };
    const { projected, outlook } = project(drawn);
    const found = projectCredit(projected, outlook);
    // 4.50 are used, and 0.50 a day follow: 10.50 until May, whose fee takes the last 5.00.
    expect(found).toMatchObject({ limit: 2000n, used: 450n, left: 1550n, isExhausted: false });
    const hour = 3_600_000;
    const may = START_MS + 30 * DAY_MS;
    expect(found?.runOut.mean).toBeGreaterThanOrEqual(may);
    expect(found?.runOut.mean).toBeLessThanOrEqual(may + 3 * hour);
    expect(found?.runOut.upper95).toBeLessThan(may);
    const { projected: free } = project({ model: "per_unit", daily: 10 });
    expect(projectCredit(free, outlook)).toBeUndefined();
    expect(projectCap(free, outlook)).toBeUndefined();
  });
});

describe("when credit of a prepaid plan runs out", () => {
  it("is when it has no room for a further unit, also when fees are due", () => {
    // 20.00 are 400 units; 90 are used, and 10 a day follow for 31 days.
    const { projected, outlook } = project({
      model: "per_unit",
      daily: 10,
      credit: 20,
      isPrepaid: true,
    });
    const found = projectCredit(projected, outlook);
    expect(found).toMatchObject({ limit: 2000n, isExhausted: false });
    const days = ((found?.runOut.mean ?? 0) - NOW_MS) / DAY_MS;
    expect(days).toBeGreaterThan(30.8);
    expect(days).toBeLessThan(31.1);
  });
});

describe("when a quota runs out", () => {
  it("is between days, in a later period if this one has room, and earlier the more is used", () => {
    const forecast = forecastOf(10);
    const room = (from: number, to: number, left: number) => ({
      fromMs: START_MS + from * DAY_MS,
      toMs: START_MS + to * DAY_MS,
      left,
    });
    const found = findRunOut(DAYS, forecast, [room(9, 30, 25)]);
    expect(found.mean).toBe(START_MS + 11.5 * DAY_MS);
    expect(found.upper95).toBe(NOW_MS + (25 / 15) * DAY_MS);
    const later = findRunOut(DAYS, forecast, [room(9, 30, 211), room(30, 61, 300)]);
    expect(later.mean).toBe(START_MS + 60 * DAY_MS);
    expect(later.lower80).toBeUndefined();
    expect(later.upper80).toBe(NOW_MS + (211 / 12.5) * DAY_MS);
  });
});
