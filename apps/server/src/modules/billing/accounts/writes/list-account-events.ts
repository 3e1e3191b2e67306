import { listUnbilledUsage } from "@turnpike/domain/billing/account/list-unbilled-usage";
import type { Reminder } from "@turnpike/domain/billing/lifecycle/reminders";
import { formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import { nameOfCard, nameOfPlan } from "../name-of-plan.ts";
import type { AccountEvent, ChangedAccount } from "./changed-account.ts";

/** With the name of the rate card that it is about, as it is called now: it may be renamed or gone when people read it. */
function withCardName(event: AccountEvent, changed: ChangedAccount): AccountEvent {
  const { card, planId } = event.details;
  if (typeof card !== "string") {
    return event;
  }
  const of = { key: card, ...(typeof planId === "string" && { planId }) };
  return { ...event, details: { ...event.details, cardName: nameOfCard(changed, of) } };
}

function toReminderEvent(
  reminder: Reminder,
  changed: ChangedAccount,
  invoiceIds: readonly string[],
): AccountEvent {
  const { kind, atMs } = reminder;
  if ("invoice" in reminder) {
    const invoiceId = invoiceIds[reminder.invoice] ?? "";
    const dueAt = new Date(reminder.dueAtMs).toISOString();
    const blockedAt = new Date(reminder.blockedAtMs).toISOString();
    return { kind, atMs, details: { invoiceId, dueAt, blockedAt } };
  }
  const endsAt = new Date(reminder.endsAtMs).toISOString();
  if ("amount" in reminder) {
    const amount = formatMinor(reminder.amount, changed.after.terms.currency);
    return { kind, atMs, details: { amount, endsAt } };
  }
  const { planId } = reminder;
  const planName = nameOfPlan(changed, planId);
  return { kind, atMs, details: { planId, planName, endsAt } };
}

/** Lists what happened to an account, oldest first. */
export function listAccountEvents(
  changed: ChangedAccount,
  invoiceIds: readonly string[],
): AccountEvent[] {
  const { loaded, after, events, reminders } = changed;
  const lives = after.life.slice(loaded.account.life.length).map(({ atMs, state, planId }) => ({
    kind: `subscription.${state}`,
    atMs,
    details: { planId, planName: nameOfPlan(changed, planId) },
  }));
  const issued = after.invoices.slice(loaded.account.invoices.length).map((invoice, index) => ({
    kind: "invoice.issued",
    atMs: invoice.issuedAtMs,
    details: { invoiceId: invoiceIds[loaded.invoiceIds.length + index] ?? "" },
  }));
  const free = listUnbilledUsage(loaded.account, after).map(
    ({ owner: { planId, card = "" }, fromMs, toMs, quantity }) => ({
      kind: "usage.not_charged",
      atMs: Math.min(toMs, changed.advancedToMs),
      details: {
        ...{ planId, planName: nameOfPlan(changed, planId), card },
        quantity: fromScaled(quantity),
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
      },
    }),
  );
  const told = reminders.map((reminder) => toReminderEvent(reminder, changed, invoiceIds));
  return [...events, ...lives, ...issued, ...free, ...told]
    .map((event) => withCardName(event, changed))
    .sort((a, b) => a.atMs - b.atMs);
}
