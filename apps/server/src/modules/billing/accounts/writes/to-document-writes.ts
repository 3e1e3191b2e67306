import type { CreditNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import { dueOf, type Invoice } from "@turnpike/domain/billing/invoices/invoice";
import type { Line } from "@turnpike/domain/billing/rating/line";
import { usageRevenueOf } from "@turnpike/domain/billing/revenue/usage-revenue";
import { fromScaled } from "@turnpike/domain/money/decimal";
import { toExactJson } from "#platform/exact-json.ts";
import { toCustomerParty } from "../../details/to-customer.ts";
import { describeLine, type LineContext, meterOf } from "../../invoices/describe-line.ts";
import type {
  InvoiceChange,
  InvoiceWrite,
  LineChange,
  LineWrite,
  NoteWrite,
} from "../../invoices/documents.store.ts";
import { toIso } from "../../to-iso.ts";
import { recordedOf, stretchOf } from "../recorded-of.ts";
import type { ChangedAccount } from "./changed-account.ts";

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

/** An invoice on which something was due before, and nothing is any more. */
export type SettledInvoice = { invoiceId: string; as: "paid" | "void" };

/** Uses are in the ledger; the line needs them no longer once it is issued. */
function withoutUses(line: Line): Line {
  return line.source?.of === "usage" ? { ...line, source: { ...line.source, uses: [] } } : line;
}

export function toNewInvoice(
  invoice: Invoice,
  { loaded, settings, newId }: ChangedAccount,
): NewInvoice {
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

export function toLineWrites(
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

export function toNewNote(
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
export function listChanges({ loaded, after, now }: ChangedAccount) {
  const invoiceChanges: InvoiceChange[] = [];
  const lineChanges: LineChange[] = [];
  const settled: SettledInvoice[] = [];
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
