import type { EventRow } from "../accounts/accounts.store.ts";

const TEXTS: Readonly<Record<string, (details: EventRow["details"]) => string>> = {
  "asked.subscribe": ({ planId }) => `The plan ${String(planId)} was chosen.`,
  "asked.change": ({ planId, when }) =>
    when === "period_end"
      ? `A change to ${String(planId)} at the end of the period was asked for.`
      : `A change to ${String(planId)} was asked for.`,
  "asked.seats": ({ card, quantity }) =>
    `The quantity of ${String(card)} was set to ${String(quantity)}.`,
  "asked.addOn": ({ planId }) => `The add-on ${String(planId)} was added.`,
  "asked.removeAddOn": ({ planId }) => `The add-on ${String(planId)} was removed.`,
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
  "subscription.trialing": ({ planId }) => `The trial of ${String(planId)} began.`,
  "subscription.active": ({ planId }) => `${String(planId)} is active.`,
  "subscription.paused": () => "The subscription paused.",
  "subscription.ended": () => "The subscription ended.",
  "invoice.issued": () => "An invoice was issued.",
  "invoice.paid": () => "A payment was recorded.",
  "invoice.voided": () => "An invoice was voided.",
  "invoice.uncollectible": () => "An invoice was written off.",
  "credit_note.issued": () => "A credit note was issued.",
  adjusted: ({ description }) => `A one-off line was added: ${String(description)}.`,
  "trial.ending": () => "A reminder of the end of the trial was sent.",
  "clock.advanced": ({ to }) => `The clock of the sandbox was set to ${String(to)}.`,
};

/** Says what happened, in one sentence. */
export function describeEvent({ kind, details }: Pick<EventRow, "kind" | "details">): string {
  return TEXTS[kind]?.(details) ?? kind;
}
