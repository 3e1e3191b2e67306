import type { Reminder, UnpaidKind } from "@turnpike/domain/billing/lifecycle/reminders";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { said } from "@turnpike/domain/text/said";
import type { MemberNotice } from "#modules/tenants/index.ts";

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

type Notice = Pick<MemberNotice, "subject" | "title" | "body">;

/** What a reminder is about. */
export type ReminderSubject = {
  /** Not read of an invoice or of credit. */
  planName: string;
  currency: Currency;
  /** Of the invoice; undefined while it has none. */
  number: string | undefined;
  /** Minor units that the invoice leaves to pay. */
  due: bigint;
};

const UNPAID: Readonly<
  Record<
    UnpaidKind,
    { subject: string; says: (what: string) => string; advice: (when: string) => string }
  >
> = {
  "invoice.overdue": {
    subject: "An invoice is overdue",
    says: (what) => said(`${what} is overdue`),
    advice: () => "If you have paid in the last days, there is nothing to do.",
  },
  "invoice.reminder": {
    subject: "Reminder: an invoice is overdue",
    says: (what) => said(`${what} is still not paid`),
    advice: (when) => `Calls are refused from ${when} on if it is not paid by then.`,
  },
  "invoice.final_notice": {
    subject: "Last notice: an invoice is overdue",
    says: (what) => said(`${what} is still not paid`),
    advice: (when) =>
      `This is the last notice: calls are refused from ${when} on. Payment ends it at once.`,
  },
  "invoice.blocked": {
    subject: "Calls are refused until an invoice is paid",
    says: (what) => said(`${what} was not paid: calls are refused`),
    advice: () =>
      "They pass again as soon as it is paid. Keys, settings and usage stay as they are.",
  },
};

function write(minor: bigint, currency: Currency): string {
  return `${formatMinor(minor, currency)} ${currency.code}`;
}

function toUnpaidNotice(
  reminder: Extract<Reminder, { kind: UnpaidKind }>,
  { currency, due, number }: ReminderSubject,
): Notice {
  const { subject, says, advice } = UNPAID[reminder.kind];
  const what = number === undefined ? said("An invoice") : said(`The invoice ${number}`);
  return {
    subject,
    title: says(what),
    body: [
      `${write(due, currency)} was due on ${DAY.format(reminder.dueAtMs)}.`,
      advice(DAY.format(reminder.blockedAtMs)),
    ].join(" "),
  };
}

/** Words of the notice of what is coming, or of an invoice that is not paid. */
export function toReminderNotice(reminder: Reminder, about: ReminderSubject): Notice {
  switch (reminder.kind) {
    case "trial.ending": {
      const when = DAY.format(reminder.endsAtMs);
      return {
        subject: "Your trial ends soon",
        title: `The trial of ${about.planName} ends on ${when}`,
        body: "From then on the plan is charged. Change or cancel it before, if you do not want that.",
      };
    }
    case "renewal.upcoming": {
      const when = DAY.format(reminder.endsAtMs);
      return {
        subject: "Your subscription renews soon",
        title: `${about.planName} renews on ${when}`,
        body: "The next period is invoiced then. Change or cancel the plan before, if you do not want that.",
      };
    }
    case "credit.expiring": {
      const when = DAY.format(reminder.endsAtMs);
      const { currency } = about;
      return {
        subject: "Credit expires soon",
        title: `${write(reminder.amount, currency)} of credit expires on ${when}`,
        body: "What is not used by then is gone. Invoices that are issued before use it by themselves.",
      };
    }
    case "invoice.overdue":
    case "invoice.reminder":
    case "invoice.final_notice":
    case "invoice.blocked":
      return toUnpaidNotice(reminder, about);
  }
}
