import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import type { Coupon } from "@turnpike/domain/billing/invoices/coupon";
import type { Line, LineOwner } from "@turnpike/domain/billing/rating/line";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import type { PlanLibrary } from "../accounts/load-plans.ts";
import { toWords } from "../accounts/name-of-plan.ts";

export type LineContext = {
  plans: PlanLibrary;
  /** The plan that a line is of, in its version. */
  planOf(owner: LineOwner): BillingPlan | undefined;
  coupons: readonly Coupon[];
  currency: Currency;
};

/** What the price of a plan without phases is called. */
const MONTHLY_FEE = said("monthly fee");

/** The meter of a line's card; null for a fee. */
export function meterOf(
  { owner, kind }: Line,
  { planOf }: Pick<LineContext, "planOf">,
): string | null {
  if (owner === undefined || kind === "commitment") {
    return null;
  }
  // What waited for the next invoice may be of an add-on that ended before.
  if (owner.meterId !== undefined) {
    return owner.meterId;
  }
  const plan = planOf(owner);
  const cards = (plan?.phases ?? []).flatMap((phase) => phase.cards);
  return cards.find(({ key }) => key === owner.card)?.meterId ?? null;
}

function cardNameOf(line: Line, { plans, planOf }: LineContext): string {
  const { owner } = line;
  const key = owner?.card;
  const plan = owner === undefined ? undefined : planOf(owner);
  if (owner === undefined || key === undefined || plan === undefined) {
    return toWords(key ?? "");
  }
  const terms = plans.termsOf(plans.book.referenceOf(plan));
  if (terms.phases === undefined && line.kind !== "usage") {
    return MONTHLY_FEE;
  }
  const card = (terms.phases ?? [])
    .flatMap(({ rateCards }) => rateCards)
    .find((candidate) => candidate.key === key);
  const meterId = plan.phases
    .flatMap(({ cards }) => cards)
    .find((each) => each.key === key)?.meterId;
  return card?.name ?? (meterId === undefined ? toWords(key) : plans.meterNameOf(meterId));
}

function planNameOf(line: Line, { plans, planOf }: LineContext): string {
  const plan = line.owner === undefined ? undefined : planOf(line.owner);
  return plan === undefined
    ? toWords(line.owner?.planId ?? "")
    : plans.termsOf(plans.book.referenceOf(plan)).name;
}

function describeCoupon(coupon: Coupon | undefined, currency: Currency): string {
  if (coupon === undefined) {
    return said("Coupon");
  }
  const name = coupon.couponId === undefined ? said("Coupon") : said(`Coupon ${coupon.couponId}`);
  const off =
    "percent" in coupon.off
      ? `${fromScaled(coupon.off.percent)} %`
      : `${formatMinor(coupon.off.amount, currency)} ${currency.code}`;
  return said(`${name}: ${off} off`);
}

/** Describes a line as the customer reads it on the invoice. */
export function describeLine(line: Line, context: LineContext): string {
  const plan = planNameOf(line, context);
  const card = cardNameOf(line, context);
  switch (line.kind) {
    case "base":
    case "addOn":
      return card === MONTHLY_FEE ? said(`${plan}: monthly fee`) : `${plan}: ${card}`;
    case "proration":
      return said(`${plan}: ${card}, part of the period`);
    case "usage":
      return `${plan}: ${card}`;
    case "beyondCap":
      return said(`${plan}: ${card} beyond the limit, not charged`);
    case "late":
      return said(`${plan}: ${card} of an earlier period, recorded late`);
    case "commitment":
      return line.owner?.card === undefined
        ? said(`${plan}: minimum charge`)
        : said(`${plan}: ${card}, minimum charge`);
    case "adjustment":
      return line.label ?? said("Adjustment");
    case "topUp":
      return line.label ?? said("Credit");
    case "discount":
      return describeCoupon(
        line.coupon === undefined ? undefined : context.coupons[line.coupon],
        context.currency,
      );
    case "promotional":
      return said("Promotional credit");
  }
}
