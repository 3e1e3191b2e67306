import { createHash } from "node:crypto";
import type { Quote } from "@turnpike/contract/subscriptions";
import { type Account, isRunning } from "@turnpike/domain/billing/account/account";
import type { CreditNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import { dueOf, type Invoice } from "@turnpike/domain/billing/invoices/invoice";
import { advance, nextDueMs } from "@turnpike/domain/billing/lifecycle/advance";
import { isScheduled } from "@turnpike/domain/billing/lifecycle/schedule";
import { formatMinor } from "@turnpike/domain/money/currency";
import { toExactJson } from "#platform/exact-json.ts";
import { createLineContext, toDraft, toDraftLine } from "../invoices/to-draft.ts";
import { toTax } from "../invoices/to-invoice-line.ts";
import { describeAction } from "./describe-action.ts";
import type { QuotedChange } from "./quoted-change.ts";

/** How long a quote may be confirmed. */
export const QUOTE_MS = 10 * 60_000;

function freshOf({ loaded, after }: QuotedChange): { invoices: Invoice[]; notes: CreditNote[] } {
  return {
    invoices: after.invoices.slice(loaded.account.invoices.length),
    notes: after.creditNotes.slice(loaded.account.creditNotes.length),
  };
}

/**
 * Identifies what a change comes to: every line with its amount, all taxes and credits, and the balance afterwards. Two computations
 * with one hash charge the same.
 */
export function hashQuote(change: QuotedChange): string {
  const { invoices, notes } = freshOf(change);
  const { after, loaded, action, atMs } = change;
  const linesOf = ({ lines }: Invoice) =>
    lines.map(({ kind, owner, span, quantity, amount, discount }) => ({
      kind,
      owner,
      span,
      quantity,
      amount,
      discount,
    }));
  const said = toExactJson({
    account: loaded.key,
    action,
    atMs,
    invoices: invoices.map((invoice) => ({
      lines: linesOf(invoice),
      taxes: invoice.taxes,
      total: invoice.total,
      due: dueOf(invoice),
    })),
    notes: notes.map(({ lines, total, toDue }) => ({ lines, total, toDue })),
    waiting: after.waiting.map(({ kind, amount, span }) => ({ kind, amount, span })),
    balance: after.balance,
    plan: after.subscription?.run.plan.planId,
    anchorMs: after.subscription?.anchorMs,
  });
  return createHash("sha256").update(JSON.stringify(said)).digest("base64url");
}

function isUnderWay(account: Account): boolean {
  return isRunning(account) || isScheduled(account.subscription);
}

/** The next invoice after a change, with no usage to come. */
function nextInvoiceOf(after: Account, atMs: number): { at: string; total: bigint } | undefined {
  let current = after;
  let nowMs = atMs;
  // A boundary may issue nothing: the end of a trial of a free plan, or a phase that only changes limits.
  for (let boundaries = 0; boundaries < 12 && isUnderWay(current); boundaries += 1) {
    const dueMs = nextDueMs(current, nowMs);
    if (dueMs === undefined) {
      return;
    }
    const before = current.invoices.length;
    current = advance(current, { fromMs: nowMs, toMs: dueMs });
    nowMs = dueMs;
    const invoice = current.invoices[before];
    if (invoice !== undefined) {
      return { at: new Date(dueMs).toISOString(), total: invoice.total };
    }
  }
  return;
}

/** When the change takes effect: at once, unless it waits for the end of the period. */
function effectiveMsOf({ loaded, after, atMs }: QuotedChange): number {
  const [before, now] = [loaded.account.subscription, after.subscription];
  if (isScheduled(now)) {
    return now.startMs;
  }
  const isPending =
    now !== undefined &&
    ((now.pendingChange !== undefined && now.pendingChange !== before?.pendingChange) ||
      (now.pendingEnd !== undefined && now.pendingEnd !== before?.pendingEnd) ||
      (now.pendingPause !== undefined && now.pendingPause !== before?.pendingPause));
  return isPending ? now.period.toMs : atMs;
}

/** Writes what a change would come to. */
export function toQuote(change: QuotedChange): Quote {
  const { loaded, after, action, atMs } = change;
  const { invoices, notes } = freshOf(change);
  const { currency } = after.terms;
  const money = (minor: bigint) => formatMinor(minor, currency);
  const context = createLineContext(loaded, after);
  const next = nextInvoiceOf(after, atMs);
  const effectiveMs = effectiveMsOf(change);
  return {
    hash: hashQuote(change),
    at: new Date(atMs).toISOString(),
    expiresAt: new Date(atMs + QUOTE_MS).toISOString(),
    action,
    effectiveAt: new Date(effectiveMs).toISOString(),
    currency: currency.code,
    invoices: invoices.map((invoice) => ({
      ...toDraft(invoice, context),
      due: money(dueOf(invoice)),
    })),
    creditNotes: notes.map((note) => toQuotedNote(note, change)),
    waiting: after.waiting.map((line, index) => toDraftLine(line, index + 1, context)),
    dueNow: money(invoices.reduce((sum, invoice) => sum + dueOf(invoice), 0n)),
    balance: money(after.balance),
    nextAt: next?.at ?? null,
    nextTotal: next === undefined ? null : money(next.total),
    texts: describeAction(change, { effectiveMs }),
  };
}

function toQuotedNote(
  note: CreditNote,
  { loaded, after, atMs }: QuotedChange,
): Quote["creditNotes"][number] {
  const { currency } = after.terms;
  const money = (minor: bigint) => formatMinor(minor, currency);
  const invoice = after.invoices[note.invoice];
  const context = createLineContext(loaded, after);
  return {
    invoiceNumber: loaded.invoiceNumbers[note.invoice] ?? "",
    issuedAt: new Date(atMs).toISOString(),
    currency: currency.code,
    reason: "",
    lines: note.lines.map(({ line, amount }) => {
      const billed = invoice?.lines[line];
      return {
        invoiceLine: line + 1,
        description: billed === undefined ? "" : toDraftLine(billed, line + 1, context).description,
        amount: money(amount),
      };
    }),
    net: money(note.net),
    taxes: note.taxes.map((tax) => toTax(tax, currency)),
    total: money(note.total),
    toDue: money(note.toDue),
    toBalance: money(note.toBalance),
  };
}
