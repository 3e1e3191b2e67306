import { lifeOf } from "@turnpike/domain/billing/account/account";
import { toExactJson } from "#platform/exact-json.ts";
import type { EntryWrite, GrantWrite } from "../../credits/credits.store.ts";
import { toCreditWrites } from "../../credits/to-credit-writes.ts";
import type { InvoiceChange, LineChange, LineWrite } from "../../invoices/documents.store.ts";
import { createLineContext } from "../../invoices/to-draft.ts";
import type { PositionWrite } from "../../revenue/revenue-changes.store.ts";
import { toIso } from "../../to-iso.ts";
import { encodeState, referenceOfStretch } from "../account-state.ts";
import type { AccountWrite, EventWrite, PeriodWrite } from "../accounts.store.ts";
import type { ChangedAccount } from "./changed-account.ts";
import { dueAtOf } from "./due-at-of.ts";
import { listAccountEvents } from "./list-account-events.ts";
import {
  listChanges,
  type NewInvoice,
  type NewNote,
  type SettledInvoice,
  toLineWrites,
  toNewInvoice,
  toNewNote,
} from "./to-document-writes.ts";

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
  settled: SettledInvoice[];
  events: EventWrite[];
  /** Attempts to collect whose day has come. */
  attempts: { attemptId: string; invoiceId: string; cause: "calendar" }[];
  positions: PositionWrite[];
};

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
  const events = listAccountEvents(changed, invoiceIds);
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
