import type { Subscription } from "@turnpike/contract/subscriptions";
import { type Account, lifeOf } from "@turnpike/domain/billing/account/account";
import { isPriced } from "@turnpike/domain/billing/catalog/billing-plan";
import type { Coupon } from "@turnpike/domain/billing/invoices/coupon";
import { blockedMsOf } from "@turnpike/domain/billing/lifecycle/reminders";
import { isScheduled } from "@turnpike/domain/billing/lifecycle/schedule";
import { isTrial } from "@turnpike/domain/billing/subscription/phases";
import { type Run, seatsOf } from "@turnpike/domain/billing/subscription/subscription";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import { toIso } from "../to-iso.ts";

/** What a tenant without a subscription has: a plan that charges nothing. */
export function toFreeSubscription(
  key: AccountKey,
  entitlement: Entitlement,
  now: Date,
): Subscription {
  const { terms, planId, planVersion, standing } = entitlement;
  const currency = findCurrency(terms.currency) ?? { code: terms.currency, digits: 2 };
  return {
    ...key,
    life: "none",
    standing,
    currency: currency.code,
    planId,
    planVersion,
    planName: terms.name,
    phase: 0,
    startedAt: null,
    anchor: null,
    periodFrom: null,
    periodTo: null,
    trialEndsAt: null,
    pending: { change: null, endsAt: null, pausesAt: null },
    seats: [],
    addOns: [],
    coupons: [],
    balance: formatMinor(0n, currency),
    dates: [],
    revision: 0,
    now: now.toISOString(),
  };
}

function toSeats(run: Run): Subscription["seats"] {
  return run.inForce.phase.cards
    .filter((card) => isPriced(card) && card.meterId === undefined)
    .map((card) => ({
      card: card.key,
      name: card.name ?? card.key,
      quantity: fromScaled(seatsOf(run, card.key, card.quantity)),
    }));
}

function toCoupon(
  { couponId, off, periods, cards }: Coupon,
  account: Account,
): Subscription["coupons"][number] {
  const { currency } = account.terms;
  const amount =
    "percent" in off
      ? `${fromScaled(off.percent)} % off`
      : `${formatMinor(off.amount, currency)} ${currency.code} off`;
  const what = cards === undefined ? "each invoice" : cards.join(", ");
  const length = periods === undefined ? "" : ` for ${String(periods)} periods`;
  return {
    couponId: couponId ?? "",
    name: couponId ?? "Coupon",
    text: `${amount} ${what}${length}`,
  };
}

type Dates = Subscription["dates"];

type OpenInvoice = { dueAt: Date; number: string };

/** What an open invoice leads to: its due date, and once that has passed, from when calls are refused. */
function toInvoiceDate(
  { dueAt, number }: OpenInvoice,
  account: Account,
  nowMs: number,
): Dates[number] {
  if (dueAt.getTime() > nowMs) {
    return { at: dueAt.toISOString(), kind: "invoiceDue", text: `Invoice ${number} is due.` };
  }
  const at = new Date(blockedMsOf(dueAt.getTime(), account.terms.dunning)).toISOString();
  return {
    at,
    kind: "invoiceDue",
    text: `Calls are refused from then on while invoice ${number} is not paid.`,
  };
}

function listDates(
  account: Account,
  {
    invoices,
    plans,
    nowMs,
  }: { invoices: readonly OpenInvoice[]; nowMs: number } & Pick<LoadedAccount, "plans">,
): Dates {
  const { subscription } = account;
  const dates = invoices.map((invoice) => toInvoiceDate(invoice, account, nowMs));
  if (isScheduled(subscription)) {
    const at = new Date(subscription.startMs).toISOString();
    dates.push({ at, kind: "begins", text: "The plan begins." });
  }
  if (subscription?.state !== "running") {
    return dates;
  }
  const { run, period, pendingChange, pendingEnd, pendingPause } = subscription;
  const endsTrial = isTrial(run.inForce.phase);
  const endAt = new Date(period.toMs).toISOString();
  if (pendingEnd !== undefined) {
    dates.push({ at: endAt, kind: "ends", text: "The subscription ends." });
  } else if (pendingPause !== undefined) {
    dates.push({ at: endAt, kind: "pauses", text: "The subscription pauses." });
  } else if (pendingChange !== undefined) {
    dates.push({
      at: endAt,
      kind: "changes",
      text: `The plan changes to ${plans.termsOf(plans.book.referenceOf(pendingChange.plan)).name}.`,
    });
  } else if (endsTrial) {
    dates.push({
      at: endAt,
      kind: "trialEnds",
      text: "The trial ends and the first charge is made.",
    });
  } else {
    dates.push({
      at: endAt,
      kind: "renews",
      text: "The period ends, and the next one is invoiced.",
    });
  }
  return dates.sort((a, b) => (a.at < b.at ? -1 : 1)).slice(0, 20);
}

/** Writes a subscription as it is answered. `account` is at the instant `nowMs` of its clock. */
export function toSubscription(
  { key, row, plans }: LoadedAccount,
  {
    account,
    nowMs,
    standing,
    openInvoices,
  }: {
    account: Account;
    nowMs: number;
    standing: Subscription["standing"];
    openInvoices: readonly OpenInvoice[];
  },
): Subscription {
  const { subscription, terms } = account;
  if (subscription === undefined) {
    throw new Error("An account without a subscription is not stored.");
  }
  const { run, addOns, period, anchorMs, startMs, pendingChange, pendingEnd, pendingPause } =
    subscription;
  const reference = plans.book.referenceOf(run.plan);
  const endsTrial = subscription.state === "running" && isTrial(run.inForce.phase);
  const change =
    pendingChange === undefined ? undefined : plans.book.referenceOf(pendingChange.plan);
  const periodTo = new Date(period.toMs).toISOString();
  return {
    ...key,
    life: lifeOf(subscription),
    standing,
    currency: terms.currency.code,
    planId: reference.planId,
    planVersion: reference.version,
    planName: plans.termsOf(reference).name,
    phase: run.inForce.index,
    startedAt: toIso(startMs),
    anchor: toIso(anchorMs),
    periodFrom: isScheduled(subscription) ? null : toIso(period.fromMs),
    periodTo: isScheduled(subscription) ? null : periodTo,
    trialEndsAt: endsTrial ? periodTo : null,
    pending: {
      change:
        change === undefined
          ? null
          : {
              planId: change.planId,
              planVersion: change.version,
              planName: plans.termsOf(change).name,
              at: periodTo,
            },
      endsAt: pendingEnd === undefined ? null : periodTo,
      pausesAt: pendingPause === undefined ? null : periodTo,
    },
    seats: toSeats(run),
    addOns: addOns.map((addOn) => {
      const { planId, version } = plans.book.referenceOf(addOn.plan);
      return {
        planId,
        planVersion: version,
        name: plans.termsOf({ planId, version }).name,
        since: new Date(addOn.startMs).toISOString(),
      };
    }),
    coupons: account.coupons.map((coupon) => toCoupon(coupon, account)),
    balance: formatMinor(account.balance, terms.currency),
    dates: listDates(account, { invoices: openInvoices, plans, nowMs }),
    revision: Number(row?.revision ?? 0),
    now: new Date(nowMs).toISOString(),
  };
}
