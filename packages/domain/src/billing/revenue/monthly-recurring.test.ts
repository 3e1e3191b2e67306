import { describe, expect, it } from "vitest";
import { formatMinor } from "../../money/currency.ts";
import { createAccount } from "../account/account.ts";
import { advance } from "../lifecycle/advance.ts";
import { readStory } from "../rehearsal/read-story.ts";
import { doStep } from "../steps/do-step.ts";
import { monthlyRecurringOf } from "./monthly-recurring.ts";

const flat = (amount: string) => ({ model: "flat", amount });
const fee = (key: string, amount: string, interval: object = { month: 1 }, more: object = {}) => ({
  key,
  price: flat(amount),
  interval,
  timing: "advance",
  ...more,
});
const usage = {
  key: "calls",
  meter: "calls",
  price: { model: "per_unit", unitAmount: "0.5" },
  interval: { month: 1 },
};
const plan = (planId: string, ...rateCards: object[]) => ({ planId, phases: [{ rateCards }] });

const PLANS = [
  plan("month", fee("base", "49"), usage),
  plan("year", fee("base", "100", { year: 1 })),
  plan("quarter", fee("base", "10", { quarter: 1 })),
  plan("week", fee("base", "12", { week: 1 })),
  plan("arrears", fee("base", "20", { month: 1 }, { timing: "arrears" })),
  plan("seats", fee("base", "30"), fee("seats", "7", { month: 1 }, { quantity: "2" })),
  plan("support", fee("help", "120", { year: 1 })),
  plan("free"),
  plan("usage", usage),
  {
    planId: "trial",
    phases: [
      { duration: { days: 14 }, rateCards: [] },
      { duration: { months: 2 }, rateCards: [fee("base", "10")] },
      { rateCards: [fee("base", "25")] },
    ],
  },
];

const DE = {
  country: "DE",
  pricesInclude: "gross",
  taxRates: [{ country: "DE", category: "S", rate: "19" }],
};

/** The recurring revenue at each day that is asked for, of a customer who lives through the steps. */
function recurringOn(days: readonly string[], steps: readonly object[], more: object = {}) {
  const read = readStory({
    id: "r",
    currency: "EUR",
    catalog: { meters: [{ meterId: "calls", aggregation: "count" }], plans: PLANS },
    story: steps,
    ...more,
  });
  if ("faults" in read) {
    throw new Error(JSON.stringify(read.faults));
  }
  const { terms, customer } = read.story;
  return days.map((day) => {
    const untilMs = Date.parse(day);
    let account = createAccount(terms, customer);
    let nowMs = 0;
    for (const members of steps as readonly Record<string, unknown>[]) {
      const atMs = Date.parse(String(members["at"]));
      if (atMs <= untilMs) {
        account = advance(account, { fromMs: nowMs, toMs: atMs });
        account = doStep(account, { members, atMs });
        nowMs = atMs;
      }
    }
    account = advance(account, { fromMs: nowMs, toMs: untilMs });
    return formatMinor(monthlyRecurringOf(account, untilMs), terms.currency);
  });
}

const START = "2025-01-01";
const subscribe = (of: string) => ({ at: START, do: "subscribe", plan: of });
const on = (planId: string, ...steps: object[]) =>
  recurringOn(["2025-01-10"], [subscribe(planId), ...steps])[0];

describe("the monthly recurring revenue of a subscription", () => {
  it.each([
    ["month", "49.00"],
    ["year", "8.33"],
    ["quarter", "3.33"],
    ["week", "52.00"],
    ["arrears", "20.00"],
    ["seats", "44.00"],
    ["free", "0.00"],
    ["usage", "0.00"],
    ["trial", "0.00"],
  ])("of the plan %s is %s", (planId, amount) => {
    expect(on(planId)).toBe(amount);
  });

  it("counts usage for nothing, and seats and add-ons as they are", () => {
    const at = "2025-01-05";
    expect(on("month", { at, do: "use", meter: "calls", quantity: "5000" })).toBe("49.00");
    expect(on("seats", { at, do: "seats", card: "seats", quantity: "5" })).toBe("65.00");
    expect(on("month", { at, do: "addOn", plan: "support" })).toBe("59.00");
  });

  it("follows phases, and ends with the subscription and not with the wish to end it", () => {
    const steps = [subscribe("trial"), { at: "2025-05-02", do: "cancel", when: "period_end" }];
    const days = ["2025-01-14", "2025-01-15", "2025-03-15", "2025-05-14", "2025-05-15"];
    expect(recurringOn(days, steps)).toEqual(["0.00", "10.00", "25.00", "25.00", "0.00"]);
  });

  it("is nothing while a subscription is paused, and comes back with it", () => {
    const steps = [
      subscribe("month"),
      { at: "2025-01-10", do: "pause", when: "now" },
      { at: "2025-03-05", do: "resume" },
    ];
    expect(recurringOn(["2025-01-09", "2025-02-01", "2025-03-06"], steps)).toEqual([
      "49.00",
      "0.00",
      "49.00",
    ]);
  });

  it("is less coupons that hold for more than one period, while they hold", () => {
    const coupon = (of: object) => ({ at: START, do: "coupon", ...of });
    const days = ["2025-01-20", "2025-02-20", "2025-03-20"];
    const after = (of: object) => recurringOn(days, [coupon(of), subscribe("month")]);
    expect(after({ percent: "50", periods: 2 })).toEqual(["24.50", "24.50", "49.00"]);
    expect(after({ percent: "50", periods: 1 })).toEqual(["49.00", "49.00", "49.00"]);
    expect(after({ amount: "9" })).toEqual(["40.00", "40.00", "40.00"]);
    expect(after({ amount: "90", cards: ["base"] })).toEqual(["0.00", "0.00", "0.00"]);
  });

  it("is before the tax that a price includes", () => {
    const gross = (customer: object) =>
      recurringOn(["2025-01-10"], [subscribe("month")], { seller: DE, customer });
    expect(gross({ country: "DE" })).toEqual(["41.18"]);
    expect(gross({ country: "US" })).toEqual(["49.00"]);
  });
});
