import type { EventRow } from "../accounts/accounts.store.ts";
import { toWords } from "../accounts/name-of-plan.ts";

type Described = EventRow["details"] & { invoice: string; plan: string; card: string };

const TEXTS: Readonly<Record<string, (details: Described) => string>> = {
  "asked.subscribe": ({ plan, startsAt }) =>
    typeof startsAt === "string"
      ? `The plan ${plan} was chosen, to begin on ${startsAt.slice(0, 10)}.`
      : `The plan ${plan} was chosen.`,
  "asked.change": ({ plan, when }) =>
    when === "period_end"
      ? `A change to ${plan} at the end of the period was asked for.`
      : `A change to ${plan} was asked for.`,
  "asked.seats": ({ card, quantity }) => `The quantity of ${card} was set to ${String(quantity)}.`,
  "asked.addOn": ({ plan }) => `The add-on ${plan} was added.`,
  "asked.removeAddOn": ({ plan }) => `The add-on ${plan} was removed.`,
  "asked.cancel": ({ when }) =>
    when === "now"
      ? "The subscription was cancelled."
      : "A cancellation at the end of the period was asked for.",
  "asked.uncancel": () => "The cancellation was taken back.",
  "asked.pause": ({ when }) =>
    when === "now"
      ? "The subscription was paused."
      : "A pause at the end of the period was asked for.",
  "asked.resume": () => "The subscription was resumed.",
  "asked.coupon": ({ couponId }) => `The coupon ${String(couponId)} was redeemed.`,
  "subscription.scheduled": ({ plan }) => `The start of ${plan} was planned.`,
  "subscription.trialing": ({ plan }) => `The trial of ${plan} began.`,
  "subscription.active": ({ plan }) => `${plan} is active.`,
  "plan.migrated": ({ plan, version, when }) =>
    when === "period_end"
      ? `A move to version ${String(version)} of ${plan} at the end of the period was planned.`
      : `The subscription was moved to version ${String(version)} of ${plan}.`,
  "subscription.paused": () => "The subscription paused.",
  "subscription.ended": () => "The subscription ended.",
  "invoice.issued": ({ invoice }) => `${invoice} was issued.`,
  "invoice.paid": ({ invoice }) => `A payment of ${invoice} was recorded.`,
  "payment.received": ({ amount, currency }) =>
    `A payment of ${String(amount)} ${String(currency)} was received.`,
  "payment.failed": ({ invoice }) => `A payment of ${invoice} did not succeed.`,
  "payment.carried": ({ invoice }) =>
    `Too little is due on ${invoice} to be charged: it waits for the next invoice.`,
  "payment.refunded": ({ amount, currency }) =>
    `${String(amount)} ${String(currency)} was refunded.`,
  "payment.refund_failed": () => "A refund did not succeed and was taken back.",
  "payment_method.set_up": () => "A way to pay was set up.",
  "invoice.voided": ({ invoice }) => `${invoice} was voided.`,
  "invoice.uncollectible": ({ invoice }) => `${invoice} was written off.`,
  "credit_note.issued": () => "A credit note was issued.",
  adjusted: ({ description }) => `A one-off line was added: ${String(description)}.`,
  "usage.not_charged": ({ plan, card, quantity, from, to }) =>
    `Nothing was charged for ${String(quantity)} of ${card} (${plan}) from ${String(from).slice(0, 10)} to ${String(to).slice(0, 10)}, so there is no invoice.`,
  "trial.ending": ({ endsAt }) =>
    `A reminder was sent: the trial ends on ${String(endsAt).slice(0, 10)}.`,
  "renewal.upcoming": ({ plan, endsAt }) =>
    `A reminder was sent: ${plan} renews on ${String(endsAt).slice(0, 10)}.`,
  "credit.expiring": ({ amount, endsAt }) =>
    `A reminder was sent: ${String(amount)} of credit expires on ${String(endsAt).slice(0, 10)}.`,
  "credit.granted": ({ amount, kind }) =>
    `${String(amount)} of ${String(kind)} credit was granted.`,
  "credit.revoked": () => "Credit was revoked.",
  "top_up.bought": ({ amount }) => `Credit of ${String(amount)} was ordered.`,
  "top_up.automatic": ({ amount }) => `Credit of ${String(amount)} was ordered by itself.`,
  "invoice.overdue": ({ invoice }) => `${invoice} is overdue, and a reminder was sent.`,
  "invoice.reminder": ({ invoice }) => `${invoice} is still not paid, and a reminder was sent.`,
  "invoice.final_notice": ({ invoice, blockedAt }) =>
    `The last notice of ${invoice} was sent: calls are refused from ${String(blockedAt).slice(0, 10)} on.`,
  "invoice.blocked": ({ invoice }) => `${invoice} was not paid, and calls are refused.`,
  "spend_cap.changed": ({ cap }) =>
    typeof cap === "string"
      ? `The spend cap was set to ${cap} a period.`
      : "The spend cap was removed.",
  "clock.advanced": ({ to }) =>
    `The clock of the sandbox was set to ${String(to).slice(0, 16).replace("T", " ")} UTC.`,
};

/** The plan that an event names without its name; undefined when it names none, or its name as it was then. */
export function findNamelessPlan({ details }: Pick<EventRow, "details">): string | undefined {
  const { planName, planId } = details;
  return planName === undefined && typeof planId === "string" ? planId : undefined;
}

/**
 * Says what happened, in one sentence.
 *
 * @param planNames - Of the plans that {@link findNamelessPlan} finds, by id.
 */
export function describeEvent(
  { kind, details, invoiceNumber }: EventRow,
  planNames: ReadonlyMap<string, string>,
): string {
  const { planName, planId, cardName, card } = details;
  return (
    TEXTS[kind]?.({
      ...details,
      invoice: invoiceNumber === null ? "An invoice" : `Invoice ${invoiceNumber}`,
      plan: String(planName ?? planNames.get(String(planId)) ?? planId),
      // Events of earlier versions have the key alone.
      card: String(cardName ?? toWords(String(card))),
    }) ?? kind
  );
}
