import type { Tx } from "@turnpike/db/client";
import type { CreditNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import type { TaxTotals } from "@turnpike/domain/billing/invoices/invoice";
import type { Line } from "@turnpike/domain/billing/rating/line";
import type { AccountingTax } from "@turnpike/domain/billing/tax/accounting-tax";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { fromExactJson } from "#platform/exact-json.ts";
import { readAccountingTax } from "../invoices/accounting-tax.ts";
import {
  type CreditNoteRow,
  findInvoiceRow,
  type InvoiceRow,
  listCreditNotes,
  listInvoiceLines,
  type StoredLineRow,
} from "../invoices/invoices.store.ts";

/** A line of the engine with what it is called. */
export type NamedLine = { line: Line; name: string };

/** Everything that was frozen when an invoice was issued, or a credit note of it. */
export type StoredDocument = {
  invoice: InvoiceRow;
  totals: TaxTotals;
  rows: readonly StoredLineRow[];
  lines: readonly NamedLine[];
  /** Of the document itself, in the seller's currency; undefined where it states none. */
  accountingTax: AccountingTax | undefined;
  /** Undefined for the invoice itself. */
  note: { row: CreditNoteRow; credited: CreditNote } | undefined;
};

/** Which document: an invoice, or a credit note of it. */
export type DocumentKey = {
  tenantId: TenantId;
  invoiceId: string;
  creditNoteId: string | undefined;
};

/** Reads an invoice or one of its credit notes. @throws {AppError} `RESOURCE_NOT_FOUND` (invoice, credit note). */
export async function readStoredDocument(
  tx: Tx,
  { tenantId, invoiceId, creditNoteId }: DocumentKey,
): Promise<StoredDocument> {
  const invoice = await findInvoiceRow(tx, { tenantId, invoiceId });
  if (invoice === undefined) {
    throw resourceNotFound("invoice");
  }
  const rows = await listInvoiceLines(tx, invoiceId);
  const notes = creditNoteId === undefined ? [] : await listCreditNotes(tx, [invoiceId]);
  const row = notes.find((each) => each.creditNoteId === creditNoteId);
  if (creditNoteId !== undefined && row === undefined) {
    throw resourceNotFound("credit note");
  }
  return {
    invoice,
    totals: fromExactJson<TaxTotals>(invoice.document),
    rows,
    lines: rows.map(({ document, description }) => ({
      line: fromExactJson<Line>(document),
      name: description,
    })),
    accountingTax: readAccountingTax(row ?? invoice),
    note:
      row === undefined ? undefined : { row, credited: fromExactJson<CreditNote>(row.document) },
  };
}

export function numberOf({ invoice, note }: StoredDocument): string {
  return note?.row.number ?? invoice.number;
}
