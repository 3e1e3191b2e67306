import type { Tx } from "@turnpike/db/client";
import { dueOf } from "@turnpike/domain/billing/invoices/invoice";
import type { Reminder } from "@turnpike/domain/billing/lifecycle/reminders";
import { notify } from "#modules/notifications/index.ts";
import { mailMembers } from "#modules/tenants/index.ts";
import type { BeforeAndAfter } from "../accounts/name-of-plan.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { type ReminderSubject, toReminderNotice } from "./reminder-notice.ts";

const LINK = "/billings";
/** Roles of those who pay, and of those who answer for the tenant. */
const MAILED = ["owner", "billing"] as const;

function nameOf({ loaded, after }: BeforeAndAfter, planId: string): string {
  const plan = after.subscription?.run.plan;
  return plan?.planId === planId
    ? loaded.plans.termsOf(loaded.plans.book.referenceOf(plan)).name
    : planId;
}

function toSubject(reminder: Reminder, told: BeforeAndAfter): ReminderSubject {
  const { currency } = told.after.terms;
  if ("invoice" in reminder) {
    const invoice = told.after.invoices[reminder.invoice];
    return {
      planName: "",
      currency,
      number: told.loaded.invoiceNumbers[reminder.invoice],
      due: invoice === undefined ? 0n : dueOf(invoice),
    };
  }
  const planName = "planId" in reminder ? nameOf(told, reminder.planId) : "";
  return { planName, currency, number: undefined, due: 0n };
}

/**
 * Tells the members of a tenant what is coming, in the console and by mail to those who pay, if the caller's transaction commits. The
 * sandbox sends no mail: its clock could be used to send many.
 */
export async function notifyOfReminders(
  deps: BillingDeps,
  tx: Tx,
  { reminders, ...told }: BeforeAndAfter & { reminders: readonly Reminder[] },
): Promise<void> {
  const { tenantId, environment } = told.loaded.key;
  for (const reminder of reminders) {
    const { kind } = reminder;
    const { subject, title, body } = toReminderNotice(reminder, toSubject(reminder, told));
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
