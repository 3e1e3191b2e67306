import type { Tx } from "@turnpike/db/client";
import type { Account } from "@turnpike/domain/billing/account/account";
import { dueOf } from "@turnpike/domain/billing/invoices/invoice";
import type { Reminder, UnpaidKind } from "@turnpike/domain/billing/lifecycle/reminders";
import { formatMinor } from "@turnpike/domain/money/currency";
import { said } from "@turnpike/domain/text/said";
import { notify } from "#modules/notifications/index.ts";
import { mailMembers } from "#modules/tenants/index.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import type { BillingDeps } from "../billing-deps.ts";

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const LINK = "/billings";
/** Roles of those who pay, and of those who answer for the tenant. */
const MAILED = ["owner", "billing"] as const;

type Told = { loaded: LoadedAccount; after: Account };
type Notice = { subject: string; title: string; body: string };

function nameOf({ loaded, after }: Told, planId: string): string {
  const plan = after.subscription?.run.plan;
  return plan?.planId === planId
    ? loaded.plans.termsOf(loaded.plans.book.referenceOf(plan)).name
    : planId;
}

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

function toUnpaidNotice(
  reminder: Extract<Reminder, { kind: UnpaidKind }>,
  { after, loaded }: Told,
): Notice {
  const { subject, says, advice } = UNPAID[reminder.kind];
  const invoice = after.invoices[reminder.invoice];
  const { currency } = after.terms;
  const due = invoice === undefined ? 0n : dueOf(invoice);
  const number = loaded.invoiceNumbers[reminder.invoice];
  const what = number === undefined ? said("An invoice") : said(`The invoice ${number}`);
  return {
    subject,
    title: says(what),
    body: [
      `${formatMinor(due, currency)} ${currency.code} was due on ${DAY.format(reminder.dueAtMs)}.`,
      advice(DAY.format(reminder.blockedAtMs)),
    ].join(" "),
  };
}

function toNotice(reminder: Reminder, told: Told): Notice {
  switch (reminder.kind) {
    case "trial.ending": {
      const when = DAY.format(reminder.endsAtMs);
      return {
        subject: "Your trial ends soon",
        title: `The trial of ${nameOf(told, reminder.planId)} ends on ${when}`,
        body: "From then on the plan is charged. Change or cancel it before, if you do not want that.",
      };
    }
    case "renewal.upcoming": {
      const when = DAY.format(reminder.endsAtMs);
      return {
        subject: "Your subscription renews soon",
        title: `${nameOf(told, reminder.planId)} renews on ${when}`,
        body: "The next period is invoiced then. Change or cancel the plan before, if you do not want that.",
      };
    }
    case "credit.expiring": {
      const when = DAY.format(reminder.endsAtMs);
      const { currency } = told.after.terms;
      return {
        subject: "Credit expires soon",
        title: `${formatMinor(reminder.amount, currency)} ${currency.code} of credit expires on ${when}`,
        body: "What is not used by then is gone. Invoices that are issued before use it by themselves.",
      };
    }
    case "invoice.overdue":
    case "invoice.reminder":
    case "invoice.final_notice":
    case "invoice.blocked":
      return toUnpaidNotice(reminder, told);
  }
}

/**
 * Tells the members of a tenant what is coming, in the console and by mail to those who pay, if the caller's transaction commits. The
 * sandbox sends no mail: its clock could be used to send many.
 */
export async function notifyOfReminders(
  deps: BillingDeps,
  tx: Tx,
  { reminders, ...told }: Told & { reminders: readonly Reminder[] },
): Promise<void> {
  const { tenantId, environment } = told.loaded.key;
  for (const reminder of reminders) {
    const { kind } = reminder;
    const { subject, title, body } = toNotice(reminder, told);
    const notice = { tenantId, kind, title, body, link: LINK };
    if (environment === "test") {
      await notify(deps, tx, { ...notice, title: `Sandbox: ${title}` });
      continue;
    }
    await notify(deps, tx, notice);
    if (deps.mail !== undefined) {
      await mailMembers({ ...deps, ...deps.mail }, tx, { ...notice, subject, roles: MAILED });
    }
  }
}
