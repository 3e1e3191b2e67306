import type { Account } from "@turnpike/domain/billing/account/account";
import { dueOf } from "@turnpike/domain/billing/invoices/invoice";
import type { DueDates, Reminder } from "@turnpike/domain/billing/lifecycle/reminders";
import { listReminders } from "@turnpike/domain/billing/lifecycle/reminders";
import type { Span } from "@turnpike/domain/billing/rating/line";
import type { LoadedAccount } from "../accounts/load-accounts.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * When the invoices of an account are due, also those that a change issues. Invoices that were written off, and those of which too little
 * is due to be charged, are not waited for.
 */
export function dueDatesOf(
  { key, invoiceIds, invoicesDueMs, uncollectible, carried }: LoadedAccount,
  { paymentDays, now }: { paymentDays: number; now: Date },
): DueDates {
  return (invoice, index) => {
    const { issuedAtMs, topUp } = invoice;
    // Credit that is not paid for is not there: nothing is owed, and the invoice lapses.
    if (topUp !== undefined) {
      return;
    }
    const invoiceId = invoiceIds[index];
    if (invoiceId !== undefined) {
      const isCarried = dueOf(invoice) <= (carried.get(invoiceId) ?? -1n);
      return uncollectible.has(invoiceId) || isCarried ? undefined : invoicesDueMs[index];
    }
    // A document of the sandbox has the date on which it falls, and a live one that of its issue.
    return (key.environment === "test" ? issuedAtMs : now.getTime()) + paymentDays * DAY_MS;
  };
}

/** Takes the reminders whose time comes while time passes for an account. */
export type ReminderCollector = {
  onSpan(account: Account, span: Span): void;
  /**
   * What was collected. A live account may be late, when no job ran: then it is not told of what has begun already, and of an unpaid
   * invoice only what it has come to.
   *
   * @param reachedMs - Where the account is.
   */
  list(reachedMs: number): Reminder[];
};

export function createReminderCollector(
  loaded: LoadedAccount,
  dueDates: DueDates,
): ReminderCollector {
  const collected: Reminder[] = [];
  return {
    onSpan(account, { fromMs, toMs }) {
      collected.push(
        ...listReminders(account, dueDates).filter(({ atMs }) => fromMs < atMs && atMs <= toMs),
      );
    },
    list: (reachedMs) =>
      loaded.key.environment === "test"
        ? collected
        : collected.filter((reminder, place) =>
            "invoice" in reminder
              ? !collected
                  .slice(place + 1)
                  .some((later) => "invoice" in later && later.invoice === reminder.invoice)
              : reminder.endsAtMs > reachedMs,
          ),
  };
}
