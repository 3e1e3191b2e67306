import type {
  CreditNote,
  Invoice,
  InvoicePayment,
  InvoiceSummary,
} from "@turnpike/contract/invoices";
import type { CreditNote as EngineNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import type { Coupon } from "@turnpike/domain/billing/invoices/coupon";
import type { TaxTotals } from "@turnpike/domain/billing/invoices/invoice";
import type { Line } from "@turnpike/domain/billing/rating/line";
import { type Currency, findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { fromExactJson } from "#platform/exact-json.ts";
import type { Party } from "../billing-settings.ts";
import { toAccountingTaxView } from "./accounting-tax.ts";
import type { CreditNoteRow, InvoiceRow, StoredLineRow, SummaryRow } from "./invoices.store.ts";
import type { PaymentRow } from "./payments.store.ts";
import { toInvoiceLine, toTax } from "./to-invoice-line.ts";

/** @throws {Error} For a code that no document can have. */
export function currencyOf(code: string): Currency {
  const currency = findCurrency(code);
  if (currency === undefined) {
    throw new Error(`${code} is no currency.`);
  }
  return currency;
}

function toMoney(minor: string, code: string): string {
  return formatMinor(BigInt(minor), currencyOf(code));
}

/** An invoice as lists show it. */
export function toSummary(row: SummaryRow): InvoiceSummary {
  const { invoiceId, tenantId, tenantName, environment, number, state, currency } = row;
  return {
    invoiceId,
    tenantId,
    tenantName,
    environment,
    number,
    state,
    issuedAt: row.issuedAt.toISOString(),
    dueAt: row.dueAt.toISOString(),
    from: row.from?.toISOString() ?? null,
    to: row.to?.toISOString() ?? null,
    currency,
    net: toMoney(row.net, currency),
    total: toMoney(row.total, currency),
    paid: toMoney(row.paid, currency),
    credited: toMoney(row.credited, currency),
    due: toMoney(row.due, currency),
  };
}

/** Names of lines by their number. */
type Descriptions = ReadonlyMap<number, string>;

/** @param descriptions - Of the lines of its invoice. */
export function toCreditNote(row: CreditNoteRow, descriptions: Descriptions): CreditNote {
  const { currency: code } = row;
  const currency = currencyOf(code);
  const note = fromExactJson<EngineNote>(row.document);
  return {
    creditNoteId: row.creditNoteId,
    number: row.number,
    invoiceId: row.invoiceId,
    invoiceNumber: row.invoiceNumber,
    issuedAt: row.issuedAt.toISOString(),
    currency: code,
    reason: row.reason,
    lines: note.lines.map(({ line, amount }) => ({
      invoiceLine: line + 1,
      description: descriptions.get(line + 1) ?? "",
      amount: formatMinor(amount, currency),
    })),
    net: toMoney(row.net, code),
    taxes: note.taxes.map((tax) => toTax(tax, currency)),
    accountingTax: toAccountingTaxView(row),
    total: toMoney(row.total, code),
    toDue: toMoney(row.toDue, code),
    toBalance: toMoney(row.toBalance, code),
  };
}

function toPayment(row: PaymentRow, currency: Currency): InvoicePayment {
  const { paymentId, amount, paidAt, reference, recordedBy } = row;
  return {
    paymentId,
    amount: formatMinor(BigInt(amount), currency),
    paidAt: paidAt.toISOString(),
    reference,
    recordedBy,
  };
}

function toParty({ name, lines, country, taxId, email }: Party) {
  return { name, lines: [...lines], country, taxId, email };
}

/** An invoice with everything that is on it and that happened to it. */
export function toInvoice(
  row: InvoiceRow,
  {
    lines,
    notes,
    payments,
  }: {
    lines: readonly StoredLineRow[];
    notes: readonly CreditNoteRow[];
    payments: readonly PaymentRow[];
  },
): Invoice {
  const currency = currencyOf(row.currency);
  const coupons = fromExactJson<Coupon[]>(row.coupons);
  const { taxes } = fromExactJson<TaxTotals>(row.document);
  const descriptions = new Map(lines.map(({ line, description }) => [line, description]));
  return {
    ...toSummary(row),
    lines: lines.map(({ line: number, description, meterId, unit, document, credited }) =>
      toInvoiceLine(
        { ...fromExactJson<Line>(document), credited: BigInt(credited) },
        { number, description, meterId, unit: unit ?? meterId, coupons, currency },
      ),
    ),
    taxes: taxes.map((tax) => toTax(tax, currency)),
    accountingTax: toAccountingTaxView(row),
    fromBalance: formatMinor(BigInt(row.fromBalance), currency),
    prepaid: formatMinor(BigInt(row.prepaid), currency),
    toBalance: formatMinor(BigInt(row.toBalance), currency),
    seller: toParty(row.seller),
    customer: toParty(row.customer),
    cutOffAt: row.cutOffAt.toISOString(),
    creditNotes: notes.map((note) => toCreditNote(note, descriptions)),
    payments: payments.map((payment) => toPayment(payment, currency)),
  };
}
