import { type Account, isRunning } from "../account/account.ts";
import { hasPrices } from "../catalog/billing-plan.ts";
import { type Invoice, isOpen } from "../invoices/invoice.ts";
import { isTrial } from "../subscription/phases.ts";
import { isAtLeastAYear, planInterval } from "../subscription/plan-interval.ts";
import type { Subscription } from "../subscription/subscription.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A trial of at least a week has the longer notice. */
const LONG_TRIAL_MS = 7 * DAY_MS;
const LONG_NOTICE_MS = 3 * DAY_MS;
const SHORT_NOTICE_MS = DAY_MS;
const RENEWAL_NOTICE_MS = 14 * DAY_MS;

/** What the customer gets a notice of, and when. */
export type Reminder =
  /** `endsAtMs` is when the trial ends, or the period that is followed by another. */
  | {
      readonly kind: "trial.ending" | "renewal.upcoming";
      readonly atMs: number;
      readonly endsAtMs: number;
      readonly planId: string;
    }
  /** `invoice` is its index in the account. */
  | {
      readonly kind: "invoice.overdue";
      readonly atMs: number;
      readonly dueAtMs: number;
      readonly invoice: number;
    };

/** When an invoice is due, which is not the engine's to say; `undefined` for one that is not waited for any more. */
export type DueDates = (invoice: Invoice, index: number) => number | undefined;

function remindOfEnd(subscription: Subscription): Reminder | undefined {
  const { run, period, pendingEnd, pendingPause } = subscription;
  if (pendingEnd !== undefined || pendingPause !== undefined) {
    return;
  }
  const { phase } = run.inForce;
  const ends = { endsAtMs: period.toMs, planId: run.plan.planId };
  if (isTrial(phase)) {
    const isLong = period.toMs - period.fromMs >= LONG_TRIAL_MS;
    const atMs = period.toMs - (isLong ? LONG_NOTICE_MS : SHORT_NOTICE_MS);
    return { kind: "trial.ending", atMs, ...ends };
  }
  return hasPrices(phase) && isAtLeastAYear(planInterval(phase))
    ? { kind: "renewal.upcoming", atMs: period.toMs - RENEWAL_NOTICE_MS, ...ends }
    : undefined;
}

/** An invoice is overdue with the first whole minute after it was due. */
function overdueMs(dueAtMs: number): number {
  return Math.floor(dueAtMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
}

/**
 * Lists the reminders of an account as it is, in the order of time, past ones included: those are due whose `atMs` time passes. A
 * notice that would come before what it is about has begun is none.
 */
export function listReminders(account: Account, dueDates: DueDates): Reminder[] {
  const end = isRunning(account) ? remindOfEnd(account.subscription) : undefined;
  const begun = account.subscription?.period.fromMs ?? 0;
  const overdue = account.invoices.flatMap((invoice, index): Reminder[] => {
    const dueAtMs = isOpen(invoice) ? dueDates(invoice, index) : undefined;
    return dueAtMs === undefined
      ? []
      : [{ kind: "invoice.overdue", atMs: overdueMs(dueAtMs), dueAtMs, invoice: index }];
  });
  const ends = end === undefined || end.atMs <= begun ? [] : [end];
  return [...ends, ...overdue].sort((a, b) => a.atMs - b.atMs);
}

/** The next instant after `afterMs` at which there is something to remind of; `undefined` for none. */
export function nextReminderMs(
  account: Account,
  { dueDates, afterMs }: { dueDates: DueDates; afterMs: number },
): number | undefined {
  const instants = listReminders(account, dueDates)
    .map(({ atMs }) => atMs)
    .filter((ms) => ms > afterMs);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** True when an open invoice is past its due date at an instant. */
export function isOverdue(
  account: Account,
  { dueDates, atMs }: { dueDates: DueDates; atMs: number },
): boolean {
  return listReminders(account, dueDates).some(
    (reminder) => reminder.kind === "invoice.overdue" && reminder.atMs <= atMs,
  );
}
