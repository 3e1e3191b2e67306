import { type Account, lifeOf } from "@turnpike/domain/billing/account/account";
import { listUnbilledUsage } from "@turnpike/domain/billing/account/list-unbilled-usage";
import type { CreditNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import { dueOf, type Invoice } from "@turnpike/domain/billing/invoices/invoice";
import { nextDueMs } from "@turnpike/domain/billing/lifecycle/advance";
import { nextReminderMs, type Reminder } from "@turnpike/domain/billing/lifecycle/reminders";
import { nextCreditMs } from "@turnpike/domain/billing/limits/prepaid";
import type { Line } from "@turnpike/domain/billing/rating/line";
import { usageRevenueOf } from "@turnpike/domain/billing/revenue/usage-revenue";
import { listRuns } from "@turnpike/domain/billing/subscription/subscription";
import type { NewId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import { type Json, toExactJson } from "#platform/exact-json.ts";
import type { BillingSettings } from "../billing-settings.ts";
import type { EntryWrite, GrantWrite } from "../credits/credits.store.ts";
import { type CreditReason, toCreditWrites } from "../credits/to-credit-writes.ts";
import { toCustomerParty } from "../details/to-customer.ts";
import { describeLine, type LineContext, meterOf } from "../invoices/describe-line.ts";
import type {
  InvoiceChange,
  InvoiceWrite,
  LineChange,
  LineWrite,
  NoteWrite,
} from "../invoices/documents.store.ts";
import { createLineContext } from "../invoices/to-draft.ts";
import { dueDatesOf } from "../reminders/collect-reminders.ts";
import type { RevenuePosition } from "../revenue/collect-positions.ts";
import type { PositionWrite } from "../revenue/revenue-changes.store.ts";
import { encodeState, referenceOfStretch } from "./account-state.ts";
import type { AccountWrite, EventWrite, PeriodWrite } from "./accounts.store.ts";
import type { LoadedAccount } from "./load-accounts.ts";
import { recordedOf, stretchOf } from "./recorded-of.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long after a boundary it is worked on: by then usage of the time before has reached the ledger. */
export const SETTLE_MS = 60_000;
/** How often an account with metered cards is fed with its usage. */
const FEED_MS = DAY_MS / 4;

/** What is written of an invoice before it has its number. */
export type NewInvoice = Omit<
  InvoiceWrite,
  "series" | "seriesNumber" | "number" | "issuedAt" | "dueAt" | "accountingTax"
>;
export type NewNote = Omit<
  NoteWrite,
  "series" | "seriesNumber" | "number" | "issuedAt" | "accountingTax"
> & {
  /** When it was due for issue, by the clock of the environment. */
  closedAt: string;
};

/** Everything that a change of an account writes. */
export type AccountWrites = {
  account: AccountWrite;
  periods: PeriodWrite[];
  invoices: NewInvoice[];
  lines: LineWrite[];
  notes: NewNote[];
  invoiceChanges: InvoiceChange[];
  lineChanges: LineChange[];
  grants: GrantWrite[];
  entries: EntryWrite[];
  /** Invoices on which something was due before, and nothing is any more. */
  settled: { invoiceId: string; as: "paid" | "void" }[];
  events: EventWrite[];
  /** Attempts to collect whose day has come. */
  attempts: { attemptId: string; invoiceId: string; cause: "calendar" }[];
  positions: PositionWrite[];
};

/** Something that happened to an account, for its history. */
export type AccountEvent = { kind: string; atMs: number; details: { [member: string]: Json } };

type ChangedAccount = {
  loaded: LoadedAccount;
  after: Account;
  /** By the clock of the environment. */
  advancedToMs: number;
  /** The real clock. */
  now: Date;
  aheadMs: number;
  actor: string;
  events: readonly AccountEvent[];
  /** Whose time has come on the way. */
  reminders: readonly Reminder[];
  /** What it brings in a month, over that time. */
  revenue: readonly RevenuePosition[];
  /** Why credit notes were issued. */
  noteReason: string;
  /** Why credit was granted or revoked by a person. */
  creditReason?: CreditReason | undefined;
  settings: BillingSettings;
  newId: NewId;
};

function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Uses are in the ledger; the line needs them no longer once it is issued. */
function withoutUses(line: Line): Line {
  return line.source?.of === "usage" ? { ...line, source: { ...line.source, uses: [] } } : line;
}

function toNewInvoice(invoice: Invoice, { loaded, settings, newId }: ChangedAccount): NewInvoice {
  const { lines, net, total, fromBalance, prepaid, toBalance = 0n, ...rest } = invoice;
  const spans = lines.flatMap(({ span }) => (span === undefined ? [] : [span]));
  const advances = lines.flatMap(({ isAdvance, span }) =>
    isAdvance && span !== undefined ? [span.toMs] : [],
  );
  const { account, recordedTo, key } = loaded;
  return {
    ...key,
    invoiceId: newId("invoice"),
    state: dueOf(invoice) > 0n ? "open" : "paid",
    currency: account.terms.currency.code,
    closedAt: new Date(invoice.issuedAtMs).toISOString(),
    cutOffAt: recordedTo.toISOString(),
    coversFrom: spans.length === 0 ? null : toIso(Math.min(...spans.map(({ fromMs }) => fromMs))),
    coversTo: spans.length === 0 ? null : toIso(Math.max(...spans.map(({ toMs }) => toMs))),
    advanceTo: advances.length === 0 ? null : toIso(Math.max(...advances)),
    hasCoupon: lines.some(({ coupon }) => coupon !== undefined),
    seller: toExactJson(settings.seller),
    customer: toExactJson(
      toCustomerParty(loaded.details, {
        tenantName: loaded.tenantName,
        language: settings.documents.language,
      }),
    ),
    net: net.toString(),
    tax: (total - net).toString(),
    total: total.toString(),
    usage: usageRevenueOf(invoice).toString(),
    fromBalance: fromBalance.toString(),
    prepaid: prepaid.toString(),
    credited: invoice.credited.toString(),
    toBalance: toBalance.toString(),
    document: toExactJson({ ...rest, net, total, fromBalance, prepaid, lines: [] }),
  };
}

/** Late usage may be of a plan that has ended. */
function lateMeterOf(line: Line, { after }: ChangedAccount): string | null {
  return line.kind === "late" ? (stretchOf(line, after)?.card.meterId ?? null) : null;
}

function toRecorded(line: Line, changed: ChangedAccount) {
  const { recordedAfter, recordedTo } = recordedOf(line, changed);
  return {
    recordedAfter: recordedAfter?.toISOString() ?? null,
    recordedTo: recordedTo?.toISOString() ?? null,
  };
}

function toLineWrites(
  invoiceId: string,
  lines: readonly Line[],
  context: LineContext,
  changed: ChangedAccount,
): LineWrite[] {
  return lines.map((line, index) => ({
    ...changed.loaded.key,
    invoiceId,
    line: index + 1,
    kind: line.kind,
    description: describeLine(line, context),
    planId: line.owner?.planId ?? null,
    run: line.owner?.runOrder ?? null,
    card: line.owner?.card ?? null,
    meterId: meterOf(line, context) ?? lateMeterOf(line, changed),
    from: toIso(line.span?.fromMs),
    to: toIso(line.span?.toMs),
    quantity: line.quantity === undefined ? null : fromScaled(line.quantity),
    amount: line.amount.toString(),
    discount: line.discount.toString(),
    ...toRecorded(line, changed),
    document: toExactJson(withoutUses(line)),
    credited: line.credited.toString(),
    isReturned: line.isReturned,
  }));
}

function toNewNote(
  note: CreditNote,
  invoiceIds: readonly string[],
  { loaded, noteReason, newId }: ChangedAccount,
): NewNote {
  const invoiceId = invoiceIds[note.invoice];
  if (invoiceId === undefined) {
    throw new Error("A credit note is of an invoice that is not loaded.");
  }
  return {
    ...loaded.key,
    creditNoteId: newId("creditNote"),
    invoiceId,
    closedAt: new Date(note.issuedAtMs).toISOString(),
    reason: noteReason,
    net: note.net.toString(),
    tax: (note.total - note.net).toString(),
    total: note.total.toString(),
    toDue: note.toDue.toString(),
    toBalance: note.toBalance.toString(),
    document: toExactJson(note),
  };
}

function stateOf(invoice: Invoice, isUncollectible: boolean): InvoiceChange["state"] {
  if (invoice.isVoid) {
    return "void";
  }
  if (dueOf(invoice) === 0n) {
    return "paid";
  }
  return isUncollectible ? "uncollectible" : "open";
}

/** What happened to the invoices that were there before. */
function listChanges({ loaded, after, now }: ChangedAccount) {
  const invoiceChanges: InvoiceChange[] = [];
  const lineChanges: LineChange[] = [];
  const settled: AccountWrites["settled"] = [];
  for (const [index, invoiceId] of loaded.invoiceIds.entries()) {
    const [before, current] = [loaded.account.invoices[index], after.invoices[index]];
    if (before === undefined || current === undefined || before === current) {
      continue;
    }
    const isUncollectible = loaded.uncollectible.has(invoiceId);
    const state = stateOf(current, isUncollectible);
    if ((state === "paid" || state === "void") && stateOf(before, isUncollectible) !== state) {
      settled.push({ invoiceId, as: state });
    }
    invoiceChanges.push({
      invoiceId,
      state,
      paid: current.paid.toString(),
      credited: current.credited.toString(),
      toBalance: (current.toBalance ?? 0n).toString(),
      settledAt: state === "open" ? null : now.toISOString(),
    });
    for (const [place, line] of current.lines.entries()) {
      const old = before.lines[place];
      if (old?.credited !== line.credited || old.isReturned !== line.isReturned) {
        lineChanges.push({
          invoiceId,
          line: place + 1,
          credited: line.credited.toString(),
          isReturned: line.isReturned,
        });
      }
    }
  }
  return { invoiceChanges, lineChanges, settled };
}

/** Charged stretches that are new, or to which late usage was added. */
function listPeriods({ loaded, after }: ChangedAccount): PeriodWrite[] {
  return after.closed.flatMap((stretch, index) => {
    if (stretch === loaded.account.closed[index]) {
      return [];
    }
    const { run, card, fromMs } = referenceOfStretch(stretch);
    return [
      {
        ...loaded.key,
        run,
        card,
        from: new Date(fromMs),
        to: new Date(stretch.toMs),
        meterId: stretch.card.meterId ?? "",
        stretch: toExactJson(stretch),
        billedTo: loaded.recordedTo,
      },
    ];
  });
}

function nameOfPlan({ loaded, after }: ChangedAccount, planId: string): string {
  const { subscription } = after;
  const plan = (subscription === undefined ? [] : listRuns(subscription))
    .map((run) => run.plan)
    .find((candidate) => candidate.planId === planId);
  return plan === undefined
    ? planId
    : loaded.plans.termsOf(loaded.plans.book.referenceOf(plan)).name;
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

function listEvents(changed: ChangedAccount, invoiceIds: readonly string[]): AccountEvent[] {
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
  return [...events, ...lives, ...issued, ...free, ...told].sort((a, b) => a.atMs - b.atMs);
}

function toPositions({ loaded, revenue }: ChangedAccount): PositionWrite[] {
  const { account, key } = loaded;
  const sinceMs = account.life.at(-1)?.atMs;
  return revenue.map(({ atMs, amount, planId }, index) => {
    const at = new Date(atMs).toISOString();
    return {
      tenantId: key.tenantId,
      place: index + 1,
      at,
      sinceAt: toIso(sinceMs) ?? at,
      currency: account.terms.currency.code,
      amount: amount.toString(),
      planId,
    };
  });
}

/** True while usage costs something, so that the account has to be fed. */
function isMetered({ subscription }: Account): boolean {
  return (
    subscription?.state === "running" &&
    listRuns(subscription).some(({ stretches }) =>
      stretches.some(({ card }) => card.meterId !== undefined),
    )
  );
}

/** How long usage of what has ended may still reach the ledger: a process that was killed is started again by then. */
const AFTER_END_MS = 40 * DAY_MS;
const AFTER_END_FIRST_MS = 5 * 60_000;

/**
 * When an account in which nothing runs looks for late usage again: at first after minutes, then as long after the end as has passed
 * since. `undefined` once none is to come.
 */
function lateUsageMs(after: Account, { aheadMs, now }: ChangedAccount): number | undefined {
  const endedMs = (after.life.at(-1)?.atMs ?? 0) - aheadMs;
  const passedMs = now.getTime() - endedMs;
  const rests = after.subscription?.state === "ended" || after.subscription?.state === "paused";
  return rests && passedMs < AFTER_END_MS
    ? now.getTime() + Math.max(AFTER_END_FIRST_MS, passedMs)
    : undefined;
}

/**
 * When something next has to be done, by the real clock. A boundary waits for the usage before it to reach the ledger. Accounts with
 * usage are fed a few times a day, so that the running invoice is computed from the usage of some hours and not of a year.
 */
function dueAtOf(after: Account, changed: ChangedAccount): Date | null {
  const { loaded, advancedToMs, aheadMs, now, settings } = changed;
  const dueDates = dueDatesOf(loaded, { paymentDays: settings.paymentDays, now });
  const dueMs = nextDueMs(after, advancedToMs);
  const reminderMs = nextReminderMs(after, { dueDates, afterMs: advancedToMs });
  const creditMs = nextCreditMs(after, advancedToMs);
  const instants = [
    dueMs === undefined ? undefined : dueMs - aheadMs + SETTLE_MS,
    reminderMs === undefined ? undefined : reminderMs - aheadMs,
    creditMs === undefined ? undefined : creditMs - aheadMs,
    isMetered(after) ? now.getTime() + FEED_MS : undefined,
    lateUsageMs(after, changed),
  ].filter((ms) => ms !== undefined);
  return instants.length === 0 ? null : new Date(Math.min(...instants));
}

/**
 * Lists what has to be written so that an account becomes what the engine made of it.
 *
 * @throws {Error} For an account that never had a subscription: there is nothing to keep.
 */
export function toWrites(changed: ChangedAccount): AccountWrites {
  const { loaded, after, advancedToMs, aheadMs, actor } = changed;
  const { subscription } = after;
  if (subscription === undefined) {
    throw new Error("An account without a subscription is not stored.");
  }
  const { key, row, plans } = loaded;
  const { currency } = after.terms;
  const context = createLineContext(loaded, after);
  const fresh = after.invoices
    .slice(loaded.account.invoices.length)
    .map((invoice) => ({ invoice, write: toNewInvoice(invoice, changed) }));
  const invoiceIds = [...loaded.invoiceIds, ...fresh.map(({ write }) => write.invoiceId)];
  const reference = plans.book.referenceOf(subscription.run.plan);
  const events = listEvents(changed, invoiceIds);
  const counted = row?.events ?? 0;
  return {
    account: {
      ...key,
      revision: row?.revision ?? null,
      currency: currency.code,
      state: encodeState(after, { book: plans.book, invoiceIds }),
      beginsAt: row?.beginsAt ?? new Date(Math.min(subscription.startMs, advancedToMs) - aheadMs),
      advancedTo: new Date(advancedToMs),
      fedTo: loaded.recordedTo,
      aheadMs,
      dueAt: dueAtOf(after, changed),
      events: counted + events.length,
      life: lifeOf(subscription),
      planId: reference.planId,
      planVersion: reference.version,
      periodFrom: new Date(subscription.period.fromMs),
      periodTo: new Date(subscription.period.toMs),
    },
    periods: listPeriods(changed),
    invoices: fresh.map(({ write }) => write),
    lines: fresh.flatMap(({ invoice, write }) =>
      toLineWrites(write.invoiceId, invoice.lines, context, changed),
    ),
    notes: after.creditNotes
      .slice(loaded.account.creditNotes.length)
      .map((note) => toNewNote(note, invoiceIds, changed)),
    ...listChanges(changed),
    attempts: after.attempts.flatMap(({ invoice }) => {
      const invoiceId = invoiceIds[invoice];
      return invoiceId === undefined
        ? []
        : [{ attemptId: changed.newId("attempt"), invoiceId, cause: "calendar" as const }];
    }),
    ...toCreditWrites(changed, invoiceIds),
    events: events.map(({ kind, atMs, details }, index) => ({
      ...key,
      sequence: counted + index + 1,
      happenedAt: new Date(atMs),
      kind,
      details,
      actor,
    })),
    positions: toPositions(changed),
  };
}

export function daysAfter(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * DAY_MS);
}
