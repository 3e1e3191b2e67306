import { dueOf, type Invoice, isOpen } from "../invoices/invoice.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export type DunningTerms = {
  /** Days after the first failure, rising. */
  readonly retryDays: readonly number[];
  /** Days after the last of them until usage is refused. */
  readonly graceDays: number;
};

export const DUNNING_DEFAULT: DunningTerms = { retryDays: [2, 7, 14, 21], graceDays: 7 };

/** What follows the first failed payment of an invoice. Later failures do not change its days. */
export type DunningCalendar = {
  readonly invoice: number;
  readonly firstFailedMs: number;
  /** Attempts whose time has come, made or skipped. */
  readonly attemptsPassed: number;
  /** True after a hard decline: nothing is attempted any more. */
  readonly isStopped: boolean;
};

export type Attempt = { readonly invoice: number; readonly atMs: number; readonly amount: bigint };

export const ACCESS_STATES = ["current", "overdue", "grace", "blocked"] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

/**
 * The calendar of an invoice whose first payment has failed. One that is overdue by then has the days of its due date, so that a
 * payment that cannot succeed postpones nothing.
 *
 * @param input.dueAtMs - When the invoice is due; undefined where due dates do not count.
 */
export function beginCalendar(
  input: { invoice: number; atMs: number; dueAtMs: number | undefined; isStopped: boolean },
  { retryDays }: DunningTerms,
): DunningCalendar {
  const { invoice, atMs, dueAtMs = atMs, isStopped } = input;
  const firstFailedMs = Math.min(atMs, dueAtMs);
  const attemptsPassed = countPassed({ firstFailedMs, retryDays, atMs });
  return { invoice, firstFailedMs, attemptsPassed, isStopped };
}

function countPassed(input: {
  firstFailedMs: number;
  retryDays: readonly number[];
  atMs: number;
}): number {
  const { firstFailedMs, retryDays, atMs } = input;
  return retryDays.filter((days) => firstFailedMs + days * DAY_MS <= atMs).length;
}

/** A calendar that was stopped goes on with the days to come. */
export function resumeCalendar(
  calendar: DunningCalendar,
  { retryDays }: DunningTerms,
  atMs: number,
): DunningCalendar {
  const { firstFailedMs } = calendar;
  return calendar.isStopped
    ? {
        ...calendar,
        isStopped: false,
        attemptsPassed: countPassed({ firstFailedMs, retryDays, atMs }),
      }
    : calendar;
}

/** What a calendar has to come, by the instants at which it happens. */
export function datesOf(
  calendar: DunningCalendar,
  terms: DunningTerms,
): { attemptsMs: number[]; graceMs: number; blockedMs: number } {
  const { firstFailedMs, attemptsPassed, isStopped } = calendar;
  const left = isStopped ? [] : terms.retryDays.slice(attemptsPassed);
  return {
    attemptsMs: left.map((days) => firstFailedMs + days * DAY_MS),
    graceMs: graceMs(calendar, terms),
    blockedMs: blockedMs(calendar, terms),
  };
}

/** Declines after which the same card is never tried again. Source: Stripe's list of decline codes. */
const HARD_DECLINES: ReadonlySet<string> = new Set([
  "lost_card",
  "stolen_card",
  "pickup_card",
  "do_not_try_again",
]);

export function isHardDecline(reason: string | undefined): boolean {
  return reason !== undefined && HARD_DECLINES.has(reason);
}

function nextAttemptMs(
  { firstFailedMs, attemptsPassed, isStopped }: DunningCalendar,
  { retryDays }: DunningTerms,
): number | undefined {
  const days = retryDays[attemptsPassed];
  return isStopped || days === undefined ? undefined : firstFailedMs + days * DAY_MS;
}

function graceMs({ firstFailedMs }: DunningCalendar, { retryDays }: DunningTerms): number {
  return firstFailedMs + (retryDays.at(-1) ?? 0) * DAY_MS;
}

function blockedMs(calendar: DunningCalendar, terms: DunningTerms): number {
  return graceMs(calendar, terms) + terms.graceDays * DAY_MS;
}

/** The next instant after `afterMs` at which an attempt is due or access may change; `undefined` for none. */
export function nextDunningMs(
  calendars: readonly DunningCalendar[],
  terms: DunningTerms,
  { invoices, afterMs }: { invoices: readonly Invoice[]; afterMs: number },
): number | undefined {
  const instants = calendars
    .filter(({ invoice }) => isOpenAt(invoices, invoice))
    .flatMap((calendar) => {
      const days = [graceMs(calendar, terms), blockedMs(calendar, terms)];
      const attempt = nextAttemptMs(calendar, terms);
      return [...days.filter((ms) => ms > afterMs), ...(attempt === undefined ? [] : [attempt])];
    });
  return instants.length === 0 ? undefined : Math.min(...instants);
}

function isOpenAt(invoices: readonly Invoice[], index: number): boolean {
  const invoice = invoices[index];
  return invoice !== undefined && isOpen(invoice);
}

/**
 * Makes the attempts that are due at an instant, each for what is due then.
 *
 * @returns The attempts, and the calendars with those attempts passed.
 */
export function makeAttempts(
  calendars: readonly DunningCalendar[],
  terms: DunningTerms,
  { invoices, atMs }: { invoices: readonly Invoice[]; atMs: number },
): { attempts: Attempt[]; calendars: DunningCalendar[] } {
  const attempts: Attempt[] = [];
  const passed = calendars.map((calendar) => {
    const dueMs = nextAttemptMs(calendar, terms);
    const invoice = invoices[calendar.invoice];
    if (dueMs === undefined || dueMs > atMs || invoice === undefined || !isOpen(invoice)) {
      return calendar;
    }
    attempts.push({ invoice: calendar.invoice, atMs: dueMs, amount: dueOf(invoice) });
    return { ...calendar, attemptsPassed: calendar.attemptsPassed + 1 };
  });
  return { attempts, calendars: passed };
}

/** What a customer may do at an instant: the worst over all open invoices. Usage is refused when it is `blocked`. */
export function accessAt(
  calendars: readonly DunningCalendar[],
  terms: DunningTerms,
  { invoices, atMs }: { invoices: readonly Invoice[]; atMs: number },
): AccessState {
  const ranks = calendars
    .filter(({ invoice }) => isOpenAt(invoices, invoice))
    .map((calendar) => {
      if (atMs >= blockedMs(calendar, terms)) {
        return 3;
      }
      return atMs >= graceMs(calendar, terms) ? 2 : 1;
    });
  return ACCESS_STATES[Math.max(0, ...ranks)] ?? "current";
}
