import type { SubscriptionAction } from "@turnpike/contract/subscriptions";
import type { Account } from "@turnpike/domain/billing/account/account";
import type { Coupon } from "@turnpike/domain/billing/invoices/coupon";
import { redeemCoupon } from "@turnpike/domain/billing/lifecycle/redeem-coupon";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import { StepRefused } from "@turnpike/domain/billing/steps/step";
import type { AccountStep } from "../accounts/change-account.ts";
import type { PlanReference } from "../accounts/plan-book.ts";

/** What an action names, in its newest version. */
export type ActionTarget = {
  plan: (PlanReference & { currency: string }) | undefined;
  coupon:
    | { coupon: Coupon; currency: string | undefined; maxRedemptions: number | undefined }
    | undefined;
};

const MINUTE_MS = 60_000;

/** Periods begin and end on whole minutes, because the ledger counts usage by minutes. */
function toWholeMinute(instant: string | undefined): string | undefined {
  return instant === undefined
    ? undefined
    : new Date(Math.floor(Date.parse(instant) / MINUTE_MS) * MINUTE_MS).toISOString();
}

type Members = { readonly [member: string]: unknown };

function toMembers(account: Account, action: SubscriptionAction): Members {
  switch (action.do) {
    case "subscribe":
      return { do: "subscribe", plan: action.planId, start: toWholeMinute(action.startsAt) };
    case "change": {
      const runs = account.subscription?.state === "running";
      const { planId: plan, when, proration } = action;
      return runs ? { do: "change", plan, when, proration } : { do: "subscribe", plan };
    }
    case "seats": {
      const { card, quantity, proration } = action;
      return { do: "seats", card, quantity, proration };
    }
    case "addOn":
      return { do: "addOn", plan: action.planId, proration: action.proration };
    case "removeAddOn":
      return { do: "cancel", plan: action.planId, proration: action.proration };
    case "cancel":
    case "pause":
      return { do: action.do, when: action.when, proration: action.proration };
    case "uncancel":
    case "resume":
      return { do: action.do };
    case "coupon":
      return {};
  }
}

/** An add-on that is removed is named by its id, in the version that runs. */
function withRunningAddOns(account: Account): Account {
  const { terms, subscription } = account;
  const plans = new Map((subscription?.addOns ?? []).map(({ plan }) => [plan.planId, plan]));
  return { ...account, terms: { ...terms, catalog: { ...terms.catalog, plans } } };
}

function assertCurrency(account: Account, { plan, coupon }: ActionTarget): void {
  const { code } = account.terms.currency;
  if (coupon?.currency !== undefined && coupon.currency !== code) {
    throw new StepRefused(
      "bad_value",
      `The coupon is of ${coupon.currency}, and this tenant is billed in ${code}.`,
    );
  }
  if (plan !== undefined && plan.currency !== code) {
    throw new StepRefused(
      "bad_value",
      `The plan is sold in ${plan.currency}, and this tenant is billed in ${code}: choose a plan in ${code}.`,
    );
  }
}

/** How far ahead a start may be planned: prices and plans change. */
const AHEAD_MAX_MS = 366 * 24 * 60 * 60_000;

function assertNear(action: SubscriptionAction, atMs: number): void {
  if (action.do === "subscribe" && Date.parse(action.startsAt ?? "") > atMs + AHEAD_MAX_MS) {
    throw new StepRefused("bad_value", "startsAt: use an instant within a year.");
  }
}

/** Translates what a customer asks for into a step of the engine. */
export function toStep(action: SubscriptionAction, target: ActionTarget): AccountStep {
  return (account, { atMs }) => {
    assertCurrency(account, target);
    assertNear(action, atMs);
    if (action.do === "coupon" && target.coupon !== undefined) {
      return redeemCoupon(account, target.coupon.coupon);
    }
    const named = action.do === "removeAddOn" ? withRunningAddOns(account) : account;
    const after = doStep(named, { members: toMembers(named, action), atMs });
    return { ...after, terms: account.terms };
  };
}
