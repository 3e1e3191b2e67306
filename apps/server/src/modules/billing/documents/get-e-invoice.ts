import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { CreditNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import {
  type Charge,
  type DocumentParty,
  type FrozenDocument,
  NoEInvoice,
  toEInvoice,
} from "@turnpike/domain/billing/e-invoice/to-e-invoice";
import { writeCii } from "@turnpike/domain/billing/e-invoice/write-cii";
import { writeUbl } from "@turnpike/domain/billing/e-invoice/write-ubl";
import type { TaxTotals } from "@turnpike/domain/billing/invoices/invoice";
import { isCharge, type Line } from "@turnpike/domain/billing/rating/line";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { fromExactJson } from "../accounts/exact-json.ts";
import type { Party } from "../billing-settings.ts";
import {
  type CreditNoteRow,
  findInvoiceRow,
  type InvoiceRow,
  listCreditNotes,
  listInvoiceLines,
  type StoredLineRow,
} from "../invoices/invoices.store.ts";
import { currencyOf } from "../invoices/to-invoice.ts";

/** Syntaxes of EN 16931. */
export const E_INVOICE_FORMATS = ["ubl", "cii"] as const;
export type EInvoiceFormat = (typeof E_INVOICE_FORMATS)[number];

/** Invoices that are older than addresses in parts have their lines alone. */
function toDocumentParty({ name, lines, address, country, taxId, email }: Party): DocumentParty {
  return {
    name,
    address: {
      lines: address?.lines ?? lines,
      postalCode: address?.postalCode ?? undefined,
      city: address?.city ?? undefined,
      region: address?.region ?? undefined,
      country: country ?? undefined,
    },
    taxId: taxId ?? undefined,
    email: email ?? undefined,
  };
}

type NamedLine = { line: Line; name: string };

function toNamedLine({ document, description }: StoredLineRow): NamedLine {
  return { line: fromExactJson<Line>(document), name: description };
}

function toCharge({ line, name }: NamedLine): Charge {
  const { quantity, amount, discount, taxes, span } = line;
  return { name, quantity, amount, discount, taxes, fromMs: span?.fromMs, toMs: span?.toMs };
}

function partiesOf({ seller, customer, currency }: InvoiceRow) {
  return {
    currency: currencyOf(currency),
    seller: toDocumentParty(seller),
    customer: toDocumentParty(customer),
    exemption: customer.exemption ?? undefined,
  };
}

function freezeInvoice(row: InvoiceRow, lines: readonly NamedLine[]): FrozenDocument {
  return {
    ...partiesOf(row),
    kind: "invoice",
    number: row.number,
    issuedAtMs: row.issuedAt.getTime(),
    dueAtMs: row.dueAt.getTime(),
    preceding: undefined,
    note: undefined,
    charges: lines.filter(({ line }) => isCharge(line)).map(toCharge),
    totals: fromExactJson<TaxTotals>(row.document),
    prepaid: BigInt(row.fromBalance) + BigInt(row.prepaid),
  };
}

function freezeNote(
  row: InvoiceRow,
  note: CreditNoteRow,
  lines: readonly NamedLine[],
): FrozenDocument {
  const { lines: credited, ...totals } = fromExactJson<CreditNote>(note.document);
  return {
    ...partiesOf(row),
    kind: "creditNote",
    number: note.number,
    issuedAtMs: note.issuedAt.getTime(),
    dueAtMs: undefined,
    preceding: { number: row.number, issuedAtMs: row.issuedAt.getTime() },
    note: note.reason,
    charges: credited.flatMap(({ line: index, amount }) => {
      const named = lines[index];
      // A part of a line has no quantity of its own.
      return named === undefined
        ? []
        : [{ ...toCharge(named), quantity: undefined, amount, discount: 0n }];
    }),
    totals,
    prepaid: 0n,
  };
}

function write(document: FrozenDocument, format: EInvoiceFormat): string {
  try {
    const written = toEInvoice(document);
    return format === "ubl" ? writeUbl(written) : writeCii(written);
  } catch (error) {
    if (error instanceof NoEInvoice) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: error.message,
        extensions: { reason: "no_e_invoice" },
        cause: error,
      });
    }
    throw error;
  }
}

/**
 * Writes an invoice, or a credit note of it, as an e-invoice by EN 16931. It is written from what was frozen at its issue, so the same
 * document gives the same bytes.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant, invoice, credit note), `INSUFFICIENT_SCOPE`, `CONFLICT` when it has no such form.
 */
export async function getEInvoice(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  {
    tenantId,
    invoiceId,
    creditNoteId,
    format,
  }: {
    tenantId: TenantId;
    invoiceId: string;
    creditNoteId: string | undefined;
    format: EInvoiceFormat;
  },
): Promise<{ number: string; xml: string }> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  const document = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const row = await findInvoiceRow(tx, { tenantId, invoiceId });
    if (row === undefined) {
      throw resourceNotFound("invoice");
    }
    const lines = (await listInvoiceLines(tx, invoiceId)).map(toNamedLine);
    if (creditNoteId === undefined) {
      return freezeInvoice(row, lines);
    }
    const notes = await listCreditNotes(tx, [invoiceId]);
    const note = notes.find((each) => each.creditNoteId === creditNoteId);
    if (note === undefined) {
      throw resourceNotFound("credit note");
    }
    return freezeNote(row, note, lines);
  });
  return { number: document.number, xml: write(document, format) };
}
