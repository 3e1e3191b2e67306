import { smaller } from "../../money/bounds.ts";
import { type CreditNote, totalCredit } from "../credit-notes/credit-note.ts";
import { dueOf, type Invoice, nextNumber } from "../invoices/invoice.ts";
import { creditableOf } from "../rating/line.ts";
import type { Account } from "./account.ts";

/** An amount of a line to take back, in the terms of the line. */
export type LineCredit = {
  readonly invoice: number;
  readonly line: number;
  readonly amount: bigint;
};

function replaceAt<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  return items.map((old, place) => (place === index ? item : old));
}

function creditInvoice(
  account: Account,
  index: number,
  { credits, atMs }: { credits: readonly LineCredit[]; atMs: number },
): Account {
  const invoice = account.invoices[index];
  if (invoice === undefined) {
    return account;
  }
  const lines = invoice.lines.flatMap((line, place) => {
    const asked = credits.reduce(
      (sum, credit) => (credit.line === place ? sum + credit.amount : sum),
      0n,
    );
    const left = creditableOf(line);
    const amount = smaller(asked, left);
    return amount > 0n
      ? [{ line: place, kind: line.kind, owner: line.owner, amount, taxes: line.taxes }]
      : [];
  });
  if (lines.length === 0) {
    return account;
  }
  const totals = totalCredit(
    lines.map(({ taxes, amount }) => ({ kinds: taxes, sum: amount })),
    {
      invoice,
      notes: account.creditNotes.filter((note) => note.invoice === index),
      pricesInclude: account.terms.seller?.pricesInclude ?? "net",
    },
  );
  const due = dueOf(invoice);
  const toDue = smaller(totals.total, due);
  const note: CreditNote = {
    ...totals,
    number: nextNumber("CN", account.creditNotes, atMs),
    invoice: index,
    issuedAtMs: atMs,
    lines: lines.map(({ line, kind, owner, amount }) => ({ line, kind, owner, amount })),
    toDue,
    toBalance: totals.total - toDue,
  };
  const credited: Invoice = {
    ...invoice,
    credited: invoice.credited + totals.total,
    toBalance: (invoice.toBalance ?? 0n) + note.toBalance,
    lines: invoice.lines.map((line, place) => {
      const amount = lines.find((credit) => credit.line === place)?.amount ?? 0n;
      return amount === 0n ? line : { ...line, credited: line.credited + amount };
    }),
  };
  return {
    ...account,
    invoices: replaceAt(account.invoices, index, credited),
    creditNotes: [...account.creditNotes, note],
    balance: account.balance + note.toBalance,
  };
}

/**
 * Issues one credit note for each invoice that billed a line. No line gives back more than is left of it; where nothing is left there
 * is no note. A note lowers what is due on its invoice first, and the rest goes to the balance.
 */
export function issueCreditNotes(
  account: Account,
  credits: readonly LineCredit[],
  atMs: number,
): Account {
  const indices = [...new Set(credits.map(({ invoice }) => invoice))].sort((a, b) => a - b);
  return indices.reduce(
    (current, index) =>
      creditInvoice(current, index, {
        credits: credits.filter(({ invoice }) => invoice === index),
        atMs,
      }),
    account,
  );
}
