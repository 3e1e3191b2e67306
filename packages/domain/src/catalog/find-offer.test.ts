import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareAmounts, findOffer, type OfferedPlan, type RefusedCall } from "./find-offer.ts";

function plan(planId: string, terms: Partial<OfferedPlan>): OfferedPlan {
  const free = { name: planId, currency: "EUR", pricePerMonth: "0", rateLimits: [], quotas: [] };
  return { ...free, planId, ...terms };
}

const FREE = { planId: "free", currency: "EUR" };
const hard = (limit: number) => ({
  quotas: [{ meter: "requests", limit, kind: "hard" as const }],
});
const call = (refused: Partial<RefusedCall>): RefusedCall => ({
  fullRates: [],
  meter: "requests",
  unitsInPeriod: 1,
  hasScopes: () => true,
  ...refused,
});
const QUOTA = call({ unitsInPeriod: 101 });
const BURST = { name: "burst", limit: 10, windowSeconds: 1 };
const needing = (...needed: string[]) =>
  call({ hasScopes: (planScopes) => needed.every((scope) => planScopes.includes(scope)) });
const offered = (plans: OfferedPlan[], refused: RefusedCall) =>
  findOffer(plans, FREE, refused)?.planId;

describe("findOffer", () => {
  it.each<[string, OfferedPlan[], RefusedCall, string | undefined]>([
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
    [
      "never an add-on, which replaces no plan",
      [plan("more", { isAddOn: true })],
      QUOTA,
      undefined,
    ],
    ["a plan without that quota", [plan("open", {})], QUOTA, "open"],
    ["nothing in another currency", [plan("dollars", { currency: "USD" })], QUOTA, undefined],
    ["never the plan that it is", [plan("free", {})], QUOTA, undefined],
    ["nothing when no plan has more", [plan("less", hard(50))], QUOTA, undefined],
    [
      "a faster limit of the same name, with any window",
      [
        plan("slower", { rateLimits: [{ name: "burst", limit: 100, windowSeconds: 60 }] }),
        plan("faster", { rateLimits: [{ name: "burst", limit: 20, windowSeconds: 1 }] }),
      ],
      call({ fullRates: [BURST] }),
      "faster",
    ],
    [
      "a higher limit of the same window when the name is another",
      [
        plan("same", { rateLimits: [{ name: "second", limit: 10, windowSeconds: 1 }] }),
        plan("more", { rateLimits: [{ name: "second", limit: 11, windowSeconds: 1 }] }),
      ],
      call({ fullRates: [BURST] }),
      "more",
    ],
    [
      "a plan that allows every missing scope",
      [plan("one", { scopes: ["a:x"] }), plan("both", { scopes: ["a:x", "b:x"] })],
      needing("a:x", "b:x"),
      "both",
    ],
    [
      "nothing that is used up already or too small for the call",
      [plan("more", hard(200)), plan("enough", hard(1_000))],
      call({ unitsInPeriod: 1_000 }),
      "enough",
    ],
    [
      "nothing that refuses for another reason",
      [
        plan("fast", { rateLimits: [{ ...BURST, limit: 20 }], ...hard(50) }),
        plan("large", { rateLimits: [BURST], ...hard(1_000) }),
        plan("both", { rateLimits: [{ ...BURST, limit: 20 }], ...hard(1_000) }),
      ],
      call({ fullRates: [BURST], unitsInPeriod: 51 }),
      "both",
    ],
    [
      "nothing with a scope less, also with more of all else",
      [plan("bare", {}), plan("maps", { scopes: ["maps:read"], pricePerMonth: "9" })],
      needing("maps:read"),
      "maps",
    ],
    [
      "no cap on what was not capped",
      [
        plan("capped", hard(1_000_000)),
        plan("soft", { quotas: [{ meter: "requests", limit: 1, kind: "soft" }] }),
      ],
      call({ fullRates: [BURST], unitsInPeriod: undefined }),
      "soft",
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
