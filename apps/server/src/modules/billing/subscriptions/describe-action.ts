import { isScheduled } from "@turnpike/domain/billing/lifecycle/schedule";
import { isTrial } from "@turnpike/domain/billing/subscription/phases";
import { formatMinor } from "@turnpike/domain/money/currency";
import { said } from "@turnpike/domain/text/said";
import { nameOfCard, nameOfPlan } from "../accounts/name-of-plan.ts";
import type { QuotedChange } from "./quoted-change.ts";

const DAY = new Intl.DateTimeFormat("en", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

function toDay(ms: number): string {
  return DAY.format(ms);
}

/** What happens, in the words of the action. */
function describeEffect(change: QuotedChange, effectiveMs: number): string[] {
  const { action, atMs } = change;
  const when = effectiveMs === atMs ? said("now") : said(`on ${toDay(effectiveMs)}`);
  switch (action.do) {
    case "subscribe":
      return [
        effectiveMs === atMs
          ? `${nameOfPlan(change, action.planId)} begins now.`
          : `${nameOfPlan(change, action.planId)} begins ${when}. You can cancel it until then.`,
      ];
    case "change":
      return [`${nameOfPlan(change, action.planId)} begins ${when}.`];
    case "seats":
      return [
        `${nameOfCard(change, { key: action.card })} is charged for ${action.quantity} from now on.`,
      ];
    case "addOn":
      return [`${nameOfPlan(change, action.planId)} is added now.`];
    case "removeAddOn":
      return [`The add-on ${nameOfPlan(change, action.planId)} ends now.`];
    case "cancel":
      if (isScheduled(change.loaded.account.subscription)) {
        return ["The plan does not begin, and nothing is charged."];
      }
      return [`The subscription ends ${when}. You can take this back until then.`];
    case "uncancel":
      return ["The subscription goes on: it does not end with the period."];
    case "pause":
      return [`The subscription pauses ${when}. Nothing is charged until you resume it.`];
    case "resume":
      return ["The subscription goes on."];
    case "coupon":
      return ["The coupon lowers the next invoices."];
  }
}

function describeUsage({ loaded, after, atMs }: QuotedChange): string[] {
  const closes = after.closed.length > loaded.account.closed.length;
  const isSame = after.subscription?.run === loaded.account.subscription?.run;
  return closes && !isSame && after.closed.some(({ toMs }) => toMs === atMs)
    ? ["Usage until now is charged under the old plan; the tiers of the new one begin at zero."]
    : [];
}

/** How long nothing is charged, when a trial begins. */
function describeTrial({ loaded, after }: QuotedChange): string[] {
  const { subscription } = after;
  const begins =
    subscription?.state === "running" &&
    subscription.run.order !== loaded.account.subscription?.run.order &&
    isTrial(subscription.run.inForce.phase);
  return begins
    ? [`The trial lasts until ${toDay(subscription.period.toMs)}. Nothing is charged before.`]
    : [];
}

/** What a change does, one sentence each, for the person who confirms it. */
export function describeAction(
  change: QuotedChange,
  { effectiveMs }: { effectiveMs: number },
): string[] {
  const { after, loaded } = change;
  const { currency } = after.terms;
  const gained = after.balance - loaded.account.balance;
  return [
    ...describeEffect(change, effectiveMs),
    ...describeTrial(change),
    ...describeUsage(change),
    ...(gained > 0n
      ? [
          `${formatMinor(gained, currency)} ${currency.code} of credit goes to your balance, which the next invoice takes.`,
        ]
      : []),
  ];
}
