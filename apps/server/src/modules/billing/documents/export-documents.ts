import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { BillingDeps } from "../billing-deps.ts";
import { readInvoice } from "../invoices/get-invoice.ts";
import { toCreditNoteCsv, toInvoiceCsv } from "../invoices/to-invoice-csv.ts";
import { createDocumentPrinter, type DocumentPrinter } from "./document-printer.ts";
import {
  countExported,
  type ExportedRow,
  type ExportFilters,
  listExported,
} from "./exported-documents.store.ts";
import { readStoredDocument } from "./stored-document.ts";
import { writeEInvoice } from "./write-e-invoice.ts";

export const EXPORT_FORMATS = ["ubl", "cii", "pdf", "csv", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const ENDINGS = {
  ubl: "ubl.xml",
  cii: "cii.xml",
  pdf: "pdf",
  csv: "csv",
  json: "json",
} as const satisfies Record<ExportFormat, string>;

/** How many documents are listed at once: only one of them is held whole. */
const PAGE = 200;

export type ExportedDocument = {
  number: string;
  /** Relative path of its file. Numbers of the sandbox are those of each tenant, so its files have a folder for each. */
  file: string;
  /** @throws {AppError} `CONFLICT` when the document has no such form; its message says why. */
  render(): Promise<string | Uint8Array>;
};

type Source = Pick<BillingDeps, "transact" | "billing">;

/** What was paid and credited is as it is now; the rest is as it was issued. */
async function renderRecord(
  { transact }: Source,
  { tenantId, invoiceId, creditNoteId }: ExportedRow,
  format: "csv" | "json",
): Promise<string> {
  const invoice = await transact.asOperator((tx) => readInvoice(tx, { tenantId, invoiceId }));
  if (creditNoteId === null) {
    return format === "csv" ? toInvoiceCsv(invoice) : `${JSON.stringify(invoice)}\n`;
  }
  const note = invoice.creditNotes.find((each) => each.creditNoteId === creditNoteId);
  if (note === undefined) {
    throw resourceNotFound("credit note");
  }
  return format === "csv" ? toCreditNoteCsv(note) : `${JSON.stringify(note)}\n`;
}

async function render(
  source: Source & { printer: DocumentPrinter },
  row: ExportedRow,
  format: ExportFormat,
): Promise<string | Uint8Array> {
  if (format === "csv" || format === "json") {
    return await renderRecord(source, row, format);
  }
  const { tenantId, invoiceId, creditNoteId } = row;
  const key = { tenantId, invoiceId, creditNoteId: creditNoteId ?? undefined };
  const stored = await source.transact.asOperator((tx) => readStoredDocument(tx, key));
  return format === "pdf" ? await source.printer.print(stored) : writeEInvoice(stored, format);
}

/**
 * Goes through all invoices and credit notes that match, those of deleted tenants included, oldest first. Each is read when it is
 * rendered, so that any number of them takes the memory of one.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function* exportDocuments(
  deps: Source,
  context: CallContext,
  { format, ...filters }: ExportFilters & { format: ExportFormat },
): AsyncGenerator<ExportedDocument> {
  assertMay(context.actor, "invoices:read");
  const source = { ...deps, printer: createDocumentPrinter(deps.billing) };
  let after: ExportedRow | undefined;
  while (true) {
    const rows = await deps.transact.asOperator((tx) =>
      listExported(tx, filters, { after, limit: PAGE }),
    );
    for (const row of rows) {
      const name = `${row.number}.${ENDINGS[format]}`;
      yield {
        number: row.number,
        file: filters.environment === "test" ? `${row.tenantId}/${name}` : name,
        render: () => render(source, row, format),
      };
    }
    after = rows.at(-1);
    if (rows.length < PAGE) {
      return;
    }
  }
}

/** How many documents an export goes through, before those that are issued meanwhile. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function countDocuments(
  { transact }: Pick<BillingDeps, "transact">,
  context: CallContext,
  filters: ExportFilters,
): Promise<number> {
  assertMay(context.actor, "invoices:read");
  return await transact.asOperator((tx) => countExported(tx, filters));
}
