import { describe, expect, it } from "vitest";
import { formatPrice, toMonthlyPrice, toPerWindow, toPlanView } from "./plan.view-model.ts";

describe("a price", () => {
  it.each([
    ["0", "USD", "$0"],
    ["49", "USD", "$49"],
    ["49.9", "USD", "$49.90"],
    ["49.00", "EUR", "€49"],
    ["0.0025", "USD", "$0.0025"],
    ["1200", "JPY", "¥1,200"],
    ["1234567.5", "USD", "$1,234,567.50"],
  ])("of %s %s is %s", (amount, currency, text) => {
    expect(formatPrice(amount, currency)).toBe(text);
  });
});

describe("a price a month", () => {
  it.each([
    ["49", "USD", "$49 a month"],
    ["0.0025", "USD", "$0.0025 a month"],
    ["415.833333333333", "USD", "$415.83 a month"],
    ["415.833333333333", "JPY", "¥416 a month"],
  ])("of %s %s is %s", (pricePerMonth, currency, text) => {
    expect(toMonthlyPrice({ pricePerMonth, currency })).toBe(text);
  });
});

describe("a window", () => {
  it.each([
    [1, "a second"],
    [10, "in 10 seconds"],
    [60, "a minute"],
    [90, "in 90 seconds"],
    [300, "in 5 minutes"],
    [3_600, "an hour"],
    [86_400, "a day"],
  ])("of %d seconds is %s", (seconds, text) => {
    expect(toPerWindow(seconds)).toBe(text);
  });
});

describe("a plan", () => {
  const plan = {
    planId: "pro",
    version: 1,
    isDefault: true,
    name: "Pro",
    description: "",
    currency: "USD",
    pricePerMonth: "0.00",
    visibility: "public" as const,
    phases: [{ rateCards: [] }],
    isAddOn: false,
    archivedAt: null,
    scopes: [],
    rateLimits: [
      { name: "s", limit: 1, windowSeconds: 1 },
      { name: "m", limit: 1_000, windowSeconds: 300 },
    ],
    quotas: [
      { meter: "requests", limit: 50_000, kind: "hard" as const },
      { meter: "unknown", limit: 1, kind: "soft" as const },
    ],
    concurrency: 20,
  };

  it("says in words what it contains and what happens beyond", () => {
    const meters = [
      { meterId: "requests", name: "Requests", unit: "request", aggregation: "count" as const },
    ];
    const view = toPlanView(plan, meters);
    expect(view).toMatchObject({ price: "$0", isFree: true, isDefault: true });
    expect(view.terms.map(({ text }) => text)).toEqual([
      "50,000 requests a month",
      "1 unknown a month",
      "1 call a second",
      "1,000 calls in 5 minutes",
      "20 calls at once",
    ]);
    expect(view.terms.map(({ detail }) => detail)).toEqual([
      "then calls are denied",
      "overage allowed",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("without limits says so", () => {
    const { terms } = toPlanView({ ...plan, rateLimits: [], quotas: [], concurrency: null }, []);
    expect(terms.map(({ text }) => text)).toEqual(["No limits"]);
  });
});
