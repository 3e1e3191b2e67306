import { invoiceLine } from "@turnpike/contract/invoices";
import { createLine, type Line } from "@turnpike/domain/billing/rating/line";
import { SCALE, toScaled } from "@turnpike/domain/money/decimal";
import { costOf, listTierParts } from "@turnpike/domain/pricing/cost";
import type { Price } from "@turnpike/domain/pricing/price";
import { describe, expect, it } from "vitest";
import { toInvoiceLine, toTax } from "./to-invoice-line.ts";

const USD = { code: "USD", digits: 2 };
const SPAN = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 1, 1) };
const OWNER = {
  planId: "pro",
  isAddOn: false,
  runOrder: 1,
  planPlace: 0,
  cardPlace: 1,
  card: "calls",
};
const TIERS: Price = {
  model: "graduated",
  tiers: [
    { upTo: 1_000n * SCALE, unitAmount: 0n, flatAmount: 0n },
    { upTo: null, unitAmount: toScaled("0.000001"), flatAmount: 0n },
  ],
};

function usage(price: Price, quantity: string, amount: bigint): Line {
  return createLine({
    kind: "usage",
    owner: OWNER,
    span: SPAN,
    quantity: toScaled(quantity),
    amount,
    tiers: listTierParts(price, toScaled(quantity)),
    taxClass: "standard",
    source: { of: "usage", price, uses: [] },
  });
}

function answer(line: Line, coupons: Parameters<typeof toInvoiceLine>[1]["coupons"] = []) {
  return invoiceLine.parse(
    toInvoiceLine(line, {
      number: 1,
      description: "Pro: calls",
      meterId: "calls",
      unit: "call",
      coupons,
      currency: USD,
    }),
  );
}

describe("toInvoiceLine", () => {
  it("writes exact decimals: tiers as they are before rounding, amounts with the decimals of the currency", () => {
    expect(answer(usage(TIERS, "2500.5", 1n))).toMatchObject({
      quantity: "2500.5",
      amount: "0.01",
      discount: "0.00",
      from: "2026-01-01T00:00:00.000Z",
      to: "2026-02-01T00:00:00.000Z",
      tiers: [
        { upTo: "1000", quantity: "1000", amount: "0" },
        { upTo: null, quantity: "1500.5", amount: "0.0015005" },
      ],
      reason: null,
      hasUsage: true,
    });
    const { numerator, denominator } = costOf(TIERS, toScaled("2500.5"));
    expect(numerator / denominator).toBe(toScaled("0.0015005"));
  });

  it.each<[string, Price, string, string]>([
    [
      "included units",
      { model: "per_unit", unitAmount: SCALE, included: 10_000n * SCALE },
      "1",
      "10,000 calls of each period are included.",
    ],
    ["a free first tier", TIERS, "1000", "The first 1,000 calls cost nothing."],
    [
      "included units before a free tier",
      { ...TIERS, included: 5n * SCALE },
      "1005",
      "5 calls of each period are included, and the first 1,000 calls after that cost nothing.",
    ],
    ["a price of 0", { model: "per_unit", unitAmount: 0n }, "7", "The price of one is 0."],
    [
      "an amount that rounds to 0",
      { model: "per_unit", unitAmount: 1n },
      "7",
      "It comes to less than half of the smallest amount of USD.",
    ],
    [
      "a tier beyond the free one that rounds to 0",
      TIERS,
      "1001",
      "It comes to less than half of the smallest amount of USD.",
    ],
  ])("says why nothing is charged: %s", (_, price, quantity, reason) => {
    expect(answer(usage(price, quantity, 0n)).reason).toBe(reason);
  });

  it("says why usage beyond a limit and late usage cost nothing, and gives no reason for what costs", () => {
    const line = usage(TIERS, "5", 0n);
    expect(answer({ ...line, kind: "beyondCap" }).reason).toContain("not charged");
    expect(answer({ ...line, kind: "late" }).reason).toContain("adds nothing");
    expect(answer({ ...line, amount: 5n }).reason).toBeNull();
  });

  it("names the coupon of a discount; only lines of usage open", () => {
    const off = { percent: 10n * SCALE };
    const coupons = [
      { off, periods: undefined, cards: undefined, couponId: undefined },
      { off, periods: undefined, cards: undefined, couponId: "spring" },
    ];
    const line: Line = {
      ...usage(TIERS, "5", -500n),
      kind: "discount",
      quantity: undefined,
      span: undefined,
      tiers: [],
    };
    expect(answer({ ...line, coupon: 1 }, coupons)).toMatchObject({
      couponId: "spring",
      amount: "-5.00",
      from: null,
      quantity: null,
      hasUsage: false,
    });
    expect(answer({ ...line, coupon: 0 }, coupons).couponId).toBeNull();
  });
});

describe("toTax", () => {
  it("writes the rate in per cent", () => {
    const row = {
      category: "S",
      rate: toScaled("7.5"),
      name: undefined,
      base: 1_000n,
      amount: 75n,
    };
    expect(toTax(row, USD)).toEqual({
      category: "S",
      rate: "7.5",
      name: null,
      base: "10.00",
      amount: "0.75",
    });
  });
});
