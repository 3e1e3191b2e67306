import type { TaxDocument } from "@turnpike/contract/tax-report";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { formatMinor } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { rangeOfPeriod } from "./month-of.ts";
import { listTaxRows, type TaxPlace } from "./tax-report.store.ts";

type TaxDocumentsInput = {
  period: string;
  currency: string;
  /** Country of the seller. */
  seller?: string | undefined;
  country: string;
  category: string;
  /** Per cent. */
  rate: string;
  name?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

const KINDS = ["invoice", "credit_note", "void"] as const;

function parsePlace(text: string): TaxPlace | undefined {
  const [, ms = "", documentId = "", word] = /^(\d{1,15})\.(\w{1,60})\.(\w+)$/.exec(text) ?? [];
  const kind = KINDS.find((known) => known === word);
  return kind === undefined ? undefined : { at: new Date(Number(ms)), documentId, kind };
}

/**
 * Lists the documents behind a row of the tax report, oldest first, each with what it adds to the row.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listTaxDocuments(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { period, seller, rate, name, cursor, limit, ...of }: TaxDocumentsInput,
): Promise<{ items: TaxDocument[]; nextCursor: string | null }> {
  assertMay(context.actor, "invoices:read");
  const after = parseCursor(cursor, parsePlace);
  const cell = { ...of, sellerCountry: seller, rate: toScaled(rate), name };
  const rows = await deps.transact.asOperator((tx) =>
    listTaxRows(tx, { ...rangeOfPeriod(period), cell, after, limit: limit + 1 }),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const currency = currencyOf(of.currency);
  return {
    items: page.map((row) => ({
      kind: row.kind,
      documentId: row.documentId,
      invoiceId: row.invoiceId,
      number: row.number,
      at: row.at.toISOString(),
      tenantId: row.tenantId,
      customerName: row.customerName,
      taxId: row.taxId,
      net: formatMinor(BigInt(row.net), currency),
      tax: formatMinor(BigInt(row.tax), currency),
    })),
    nextCursor:
      rows.length > limit && last !== undefined
        ? `${String(last.at.getTime())}.${last.documentId}.${last.kind}`
        : null,
  };
}
