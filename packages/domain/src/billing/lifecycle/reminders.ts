import { type Account, isRunning } from "../account/account.ts";
import { hasPrices } from "../catalog/billing-plan.ts";
import { type Invoice, isOpen } from "../invoices/invoice.ts";
import {
  ACCESS_STATES,
  type AccessState,
  type DunningCalendar,
  type DunningTerms,
  datesOf,
} from "../payments/dunning.ts";
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
const EXPIRY_NOTICE_MS = 14 * DAY_MS;

/** What the customer gets a notice of, and when. */
export type Reminder =
  /** `endsAtMs` is when the trial ends, or the period that is followed by another. */
  | {
      readonly kind: "trial.ending" | "renewal.upcoming";
      readonly atMs: number;
      readonly endsAtMs: number;
      readonly planId: string;
    }
  /** `amount` of credit expires at `endsAtMs`. Minor units. */
  | {
      readonly kind: "credit.expiring";
      readonly atMs: number;
      readonly endsAtMs: number;
      readonly amount: bigint;
    }
  /** `invoice` is its index in the account, and `blockedAtMs` from when calls are refused while it is not paid. */
  | {
      readonly kind: UnpaidKind;
      readonly atMs: number;
      readonly dueAtMs: number;
      readonly blockedAtMs: number;
      readonly invoice: number;
    };

/** What follows an invoice that is not paid: overdue, reminded of, a last notice, and calls refused. */
export type UnpaidKind =
  | "invoice.overdue"
  | "invoice.reminder"
  | "invoice.final_notice"
  | "invoice.blocked";

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

/** One notice of all credit that expires at one instant. */
function remindOfExpiry({ credit }: Account): Reminder[] {
  const amounts = new Map<number, bigint>();
  for (const { left, expiresAtMs } of credit.grants) {
    if (left > 0n && expiresAtMs !== undefined) {
      amounts.set(expiresAtMs, (amounts.get(expiresAtMs) ?? 0n) + left);
    }
  }
  return [...amounts].map(([endsAtMs, amount]) => ({
    kind: "credit.expiring",
    atMs: endsAtMs - EXPIRY_NOTICE_MS,
    endsAtMs,
    amount,
  }));
}

/** The first whole minute after an instant: what follows from a due date happens on minutes, like everything else. */
function nextMinuteMs(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
}

/** What follows an invoice that is not paid, in the order of time. The last day of reminding is that of the last notice. */
export function listStages(
  dueAtMs: number,
  { retryDays, graceDays }: DunningTerms,
): { kind: UnpaidKind; atMs: number }[] {
  const after = (days: number) => nextMinuteMs(dueAtMs) + days * DAY_MS;
  const lastDay = retryDays.at(-1) ?? 0;
  return [
    { kind: "invoice.overdue", atMs: after(0) },
    ...retryDays
      .slice(0, -1)
      .map((days) => ({ kind: "invoice.reminder" as const, atMs: after(days) })),
    { kind: "invoice.final_notice", atMs: after(lastDay) },
    { kind: "invoice.blocked", atMs: after(lastDay + graceDays) },
  ];
}

/** From when calls are refused while an invoice is not paid. */
export function blockedMsOf(dueAtMs: number, dunning: DunningTerms): number {
  return listStages(dueAtMs, dunning).at(-1)?.atMs ?? dueAtMs;
}

type Unpaid = Extract<Reminder, { kind: UnpaidKind }>;

/** What follows the last attempt to collect an invoice: each attempt that fails has a notice of its own. */
function afterAttempts(calendar: DunningCalendar, dunning: DunningTerms): Unpaid {
  const { blockedMs } = datesOf(calendar, dunning);
  return {
    kind: "invoice.blocked",
    atMs: blockedMs,
    dueAtMs: calendar.firstFailedMs,
    blockedAtMs: blockedMs,
    invoice: calendar.invoice,
  };
}

function listUnpaid(account: Account, dueDates: DueDates): Unpaid[] {
  const { invoices, calendars, terms } = account;
  return invoices.flatMap((invoice, index): Unpaid[] => {
    const dueAtMs = isOpen(invoice) ? dueDates(invoice, index) : undefined;
    if (dueAtMs === undefined) {
      return [];
    }
    // Attempts to collect an invoice have a calendar of their own.
    const calendar = calendars.find((each) => each.invoice === index);
    if (calendar !== undefined) {
      return [afterAttempts(calendar, terms.dunning)];
    }
    const blockedAtMs = blockedMsOf(dueAtMs, terms.dunning);
    return listStages(dueAtMs, terms.dunning).map((stage) => ({
      ...stage,
      dueAtMs,
      blockedAtMs,
      invoice: index,
    }));
  });
}

/**
 * Lists the reminders of an account as it is, in the order of time, past ones included: those are due whose `atMs` time passes. A
 * notice that would come before what it is about has begun is none.
 */
export function listReminders(account: Account, dueDates: DueDates): Reminder[] {
  const end = isRunning(account) ? remindOfEnd(account.subscription) : undefined;
  const begun = account.subscription?.period.fromMs ?? 0;
  const ends = end === undefined || end.atMs <= begun ? [] : [end];
  return [...ends, ...remindOfExpiry(account), ...listUnpaid(account, dueDates)].sort(
    (a, b) => a.atMs - b.atMs,
  );
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

const ACCESS: Readonly<Record<UnpaidKind, AccessState>> = {
  "invoice.overdue": "overdue",
  "invoice.reminder": "overdue",
  "invoice.final_notice": "grace",
  "invoice.blocked": "blocked",
};

/** What open invoices leave of a customer's rights at an instant, by their due dates: the worst over all of them. */
export function accessByDueDates(
  account: Account,
  { dueDates, atMs }: { dueDates: DueDates; atMs: number },
): AccessState {
  const ranks = listUnpaid(account, dueDates)
    .filter((reminder) => reminder.atMs <= atMs)
    .map(({ kind }) => ACCESS_STATES.indexOf(ACCESS[kind]));
  return ACCESS_STATES[Math.max(0, ...ranks)] ?? "current";
}
