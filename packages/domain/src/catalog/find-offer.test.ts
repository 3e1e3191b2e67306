import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareAmounts, findOffer, type OfferedPlan, type Shortage } from "./find-offer.ts";

function plan(planId: string, terms: Partial<OfferedPlan>): OfferedPlan {
  const free = { name: planId, currency: "EUR", pricePerMonth: "0", rateLimits: [], quotas: [] };
  return { ...free, planId, ...terms };
}

const FREE = { planId: "free", currency: "EUR" };
const hard = (limit: number) => ({
  quotas: [{ meter: "requests", limit, kind: "hard" as const }],
});
const QUOTA: Shortage = { kind: "quota", meter: "requests", limit: 100 };
const offered = (plans: OfferedPlan[], shortage: Shortage) =>
  findOffer(plans, FREE, shortage)?.planId;

describe("findOffer", () => {
  it.each<[string, OfferedPlan[], Shortage, string | undefined]>([
    [
      "the cheapest of those with a higher quota",
      [
        plan("large", { ...hard(1_000), pricePerMonth: "49.90" }),
        plan("middle", { ...hard(200), pricePerMonth: "9.90" }),
        plan("same", { ...hard(100), pricePerMonth: "1" }),
      ],
      QUOTA,
      "middle",
    ],
    [
      "a plan whose quota only charges",
      [plan("soft", { quotas: [{ meter: "requests", limit: 1, kind: "soft" }] })],
      QUOTA,
      "soft",
    ],
    ["a plan without that quota", [plan("open", {})], QUOTA, "open"],
    ["nothing in another currency", [plan("dollars", { currency: "USD" })], QUOTA, undefined],
    ["never the plan that it is", [plan("free", {})], QUOTA, undefined],
    ["nothing when no plan has more", [plan("less", hard(50))], QUOTA, undefined],
    [
      "a faster limit of the same name, whatever its window",
      [
        plan("slower", { rateLimits: [{ name: "burst", limit: 100, windowSeconds: 60 }] }),
        plan("faster", { rateLimits: [{ name: "burst", limit: 20, windowSeconds: 1 }] }),
      ],
      { kind: "rate_limit", name: "burst", limit: 10, windowSeconds: 1 },
      "faster",
    ],
    [
      "a higher limit of the same window when the name is another",
      [
        plan("same", { rateLimits: [{ name: "second", limit: 10, windowSeconds: 1 }] }),
        plan("more", { rateLimits: [{ name: "second", limit: 11, windowSeconds: 1 }] }),
      ],
      { kind: "rate_limit", name: "burst", limit: 10, windowSeconds: 1 },
      "more",
    ],
    [
      "a plan that allows every missing scope",
      [plan("one", { scopes: ["a:x"] }), plan("both", { scopes: ["a:x", "b:x"] })],
      { kind: "scopes", missing: ["a:x", "b:x"] },
      "both",
    ],
  ])("is %s", (_what, plans, shortage, expected) => {
    expect(offered(plans, shortage)).toBe(expected);
  });
});

describe("compareAmounts", () => {
  it("orders decimals as exact numbers", () => {
    const amount = fc.tuple(fc.nat(1_000), fc.nat(999)).map(([whole, thousandths]) => ({
      text: `${String(whole)}.${String(thousandths).padStart(3, "0")}`,
      value: whole * 1_000 + thousandths,
    }));
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(compareAmounts(a.text, b.text)).toBe(Math.sign(a.value - b.value));
      }),
    );
    expect(compareAmounts("49", "49.000")).toBe(0);
    expect(compareAmounts("9", "49.5")).toBe(-1);
  });
});
