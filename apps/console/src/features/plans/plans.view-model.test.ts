import { describe, expect, it } from "vitest";
import { sortPlans, toContactHref, toQuotaFits } from "./plans.view-model.ts";

const METERS = [
  { meterId: "requests", name: "Requests", unit: "request", aggregation: "count" as const },
];

const limitsWith = (used: string) => ({
  balances: [
    { meter: "requests", environment: "live" as const, used },
    { meter: "requests", environment: "test" as const, used: "999999999" },
  ],
});

const fitOf = (limit: number, used: string) =>
  toQuotaFits(
    { quotas: [{ meter: "requests", limit, kind: "hard" }] },
    limitsWith(used),
    METERS,
    "live",
  )[0];

describe("toQuotaFits", () => {
  it("counts calls of one environment, and says how much of the quota they take", () => {
    expect(fitOf(50_000, "12500")).toMatchObject({
      share: 0.25,
      tone: "accent",
      text: "You have used 25.0% of this so far (12,500 requests)",
    });
  });

  it("warns when usage is close to the quota, and says when it would not have fitted", () => {
    expect(fitOf(50_000, "40000")?.tone).toBe("warning");
    // As on Billings: nothing is left.
    expect(fitOf(50_000, "50000")?.tone).toBe("danger");
    expect(fitOf(50_000, "50000")?.text).toContain("100.0%");
    expect(fitOf(50_000, "50001")).toMatchObject({ share: 1, tone: "danger" });
    expect(fitOf(50_000, "50001")?.text).toContain("exceeds this plan’s quota");
  });

  it("shows the first call of a large quota, in the singular", () => {
    expect(fitOf(50_000, "1")?.text).toBe("You have used < 0.1% of this so far (1 request)");
    expect(fitOf(50_000, "0")?.text).toBe("You have used 0.0% of this so far (0 requests)");
  });

  it("names the tenant to a reader who is not its customer", () => {
    const textOf = (limit: number) =>
      toQuotaFits(
        { quotas: [{ meter: "requests", limit, kind: "hard" }] },
        limitsWith("12500"),
        METERS,
        "live",
        "Acme",
      )[0]?.text;
    expect(textOf(50_000)).toBe("Acme has used 25.0% of this so far (12,500 requests)");
    expect(textOf(1_000)).toBe(
      "Acme’s usage this period (12,500 requests) exceeds this plan’s quota",
    );
  });

  it("counts a meter without a quota in the tenant's own plan, and nothing for an unused one", () => {
    const quotas = [
      { meter: "tokens", limit: 1_000, kind: "soft" as const },
      { meter: "images", limit: 10, kind: "soft" as const },
    ];
    const balances = [{ meter: "tokens", environment: "live" as const, used: "1500" }];
    expect(toQuotaFits({ quotas }, { balances }, METERS, "live").map(({ text }) => text)).toEqual([
      "Your usage this period (1,500 tokens) exceeds this plan’s quota",
      "You have used 0.0% of this so far (0 images)",
    ]);
  });

  it("accepts a quota of zero", () => {
    expect(fitOf(0, "0")).toMatchObject({ share: 0, tone: "accent" });
    expect(fitOf(0, "1")).toMatchObject({ share: 1, tone: "danger" });
  });

  it("has no line for a plan without quotas", () => {
    expect(toQuotaFits({ quotas: [] }, limitsWith("1"), METERS, "live")).toEqual([]);
  });
});

describe("sortPlans", () => {
  it("sorts numerically by price, in any currency, and changes nothing else", () => {
    const plan = (currency: string, pricePerMonth: string) => ({ currency, pricePerMonth });
    const plans = [plan("USD", "100"), plan("EUR", "9"), plan("USD", "49.90"), plan("USD", "0")];
    expect(sortPlans(plans).map((each) => `${each.pricePerMonth} ${each.currency}`)).toEqual([
      "0 USD",
      "9 EUR",
      "49.90 USD",
      "100 USD",
    ]);
    expect(plans[0]?.pricePerMonth).toBe("100");
  });
});

describe("toContactHref", () => {
  it.each([
    ["billing@acme.example", "mailto:billing@acme.example"],
    ["a?bcc=x&y@acme.example", "mailto:a%3Fbcc%3Dx%26y@acme.example"],
    ["https://acme.example/contact?plan=1", "https://acme.example/contact?plan=1"],
    ["javascript:alert(1)", undefined],
    ["javascript:a@b", "mailto:javascript%3Aa@b"],
    ["billing", undefined],
  ])("%s leads to %s", (contact, expected) => {
    expect(toContactHref(contact)).toBe(expected);
  });
});
