import { toGrouped } from "../../text/to-grouped.ts";
import type { CouponDefinition } from "../coupon.ts";
import { type CatalogChange, diffFacts, type Facts, toFacts, valueFact } from "./fact.ts";
import { decimalFact } from "./price-facts.ts";

function toCouponFacts(coupon: CouponDefinition): Facts {
  const { name, percent, amount, currency, periods, cards, redeemBy, maxRedemptions } = coupon;
  const optional = (label: string, value: string | number | undefined) =>
    value === undefined
      ? undefined
      : valueFact(label, value, typeof value === "number" ? toGrouped(value) : value);
  return toFacts({
    name: valueFact("name", name, `"${name}"`),
    percent: decimalFact("per cent", percent),
    amount: decimalFact("amount", amount),
    currency: optional("currency", currency),
    periods: optional("periods", periods),
    cards: cards === undefined ? undefined : valueFact("cards", cards, cards.join(", ")),
    redeemBy: optional("redeemable until", redeemBy),
    maxRedemptions: optional("redemptions", maxRedemptions),
  });
}

/** Compares two definitions of a coupon. */
export function diffCoupons(before: CouponDefinition, after: CouponDefinition): CatalogChange[] {
  return diffFacts(toCouponFacts(before), toCouponFacts(after));
}
