import { couponInput } from "@turnpike/contract/coupons";
import { describe, expect, it } from "vitest";
import type { Coupon } from "../editor.queries.ts";
import {
  describeDiscount,
  describeReach,
  describeRedemption,
  EMPTY_COUPON,
  toCouponInput,
} from "./coupon.view-model.ts";

const coupon = (more: Partial<Coupon>): Coupon => ({
  couponId: "spring",
  name: "Spring",
  createdAt: "2026-11-26T00:00:00.000Z",
  archivedAt: null,
  ...more,
});

describe("a coupon in the form", () => {
  it("is what the API takes, by percent or by amount alone", () => {
    const draft = { ...EMPTY_COUPON, couponId: "spring", name: "Spring", percent: "12.5" };
    expect(couponInput.parse(toCouponInput(draft))).toEqual({
      couponId: "spring",
      name: "Spring",
      percent: "12.5",
    });
    const amount = {
      ...draft,
      kind: "amount" as const,
      amount: "10",
      currency: "eur",
      periods: "3",
      cards: "base, requests",
      redeemBy: "2026-12-31",
      maxRedemptions: "100",
    };
    expect(couponInput.parse(toCouponInput(amount))).toEqual({
      couponId: "spring",
      name: "Spring",
      amount: "10",
      currency: "EUR",
      periods: 3,
      cards: ["base", "requests"],
      redeemBy: "2027-01-01T00:00:00.000Z",
      maxRedemptions: 100,
    });
  });

  it("is refused by the API where a number is none", () => {
    const draft = {
      ...EMPTY_COUPON,
      couponId: "spring",
      name: "Spring",
      percent: "5",
      periods: "some",
    };
    const refused = couponInput.safeParse(toCouponInput(draft));
    expect(refused.error?.issues.map(({ path }) => path.join("/"))).toEqual(["periods"]);
  });
});

describe("the words of a coupon", () => {
  it("say what it gives", () => {
    expect(describeDiscount(coupon({ percent: "12.5" }))).toBe("12.5% off");
    expect(describeDiscount(coupon({ amount: "10", currency: "EUR" }))).toBe("€10.00 off");
  });

  it("say for how long and on what", () => {
    expect(describeReach(coupon({}))).toBe("For good");
    expect(describeReach(coupon({ periods: 1 }))).toBe("For one period");
    expect(describeReach(coupon({ periods: 3, cards: ["base"] }))).toBe("For 3 periods, on base");
  });

  it("say until when, with the last day, and how often", () => {
    expect(describeRedemption(coupon({}))).toBe("Always");
    expect(
      describeRedemption(coupon({ redeemBy: "2027-01-01T00:00:00.000Z", maxRedemptions: 1_000 })),
    ).toBe("Until Dec 31, 2026, by 1,000 at most");
  });
});
