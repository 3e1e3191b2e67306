import type { CreditNote, Invoice } from "@turnpike/contract/invoices";
import { toCsvRow, toNumberCell, toTextCell } from "#platform/csv.ts";

/** Cells by column; a column that is left out is empty. */
type Cells = Partial<Record<(typeof COLUMNS)[number], string>>;

const COLUMNS = [
  "invoice",
  "currency",
  "record",
  "number",
  "kind",
  "description",
  "plan",
  "card",
  "meter",
  "unit",
  "from",
  "to",
  "quantity",
  "amount",
  "discount",
  "credited",
  "coupon",
  "reason",
  "tax_category",
  "tax_rate",
  "tax_name",
  "tax_base",
] as const;

const SUMS = [
  "net",
  "total",
  "fromBalance",
  "prepaid",
  "paid",
  "credited",
  "toBalance",
  "due",
] as const;

function toText(text: string | null): string {
  return toTextCell(text ?? "");
}

function toLineCells(line: Invoice["lines"][number]): Cells {
  return {
    record: "line",
    number: toNumberCell(line.number),
    kind: line.kind,
    description: toText(line.description),
    plan: toText(line.planId),
    card: toText(line.card),
    meter: toText(line.meterId),
    unit: toText(line.unit),
    from: line.from ?? "",
    to: line.to ?? "",
    quantity: toNumberCell(line.quantity),
    amount: line.amount,
    discount: line.discount,
    credited: line.credited,
    coupon: toText(line.couponId),
    reason: toText(line.reason),
  };
}

function toTaxCells(tax: Invoice["taxes"][number]): Cells {
  return {
    record: "tax",
    amount: tax.amount,
    tax_category: toText(tax.category),
    tax_rate: tax.rate,
    tax_name: toText(tax.name),
    tax_base: tax.base,
  };
}

/** The tax in the seller's currency, whose code is in `tax_name`, by the rate in `tax_rate`. */
function toAccountingCells({ accountingTax }: Pick<Invoice, "accountingTax">): Cells[] {
  return accountingTax === null
    ? []
    : [
        {
          record: "accountingTax",
          amount: accountingTax.amount,
          tax_name: toText(accountingTax.currency),
          tax_rate: accountingTax.rate,
        },
      ];
}

function toCsv(common: Cells, records: readonly Cells[]): string {
  return [
    toCsvRow(COLUMNS),
    ...records.map((record) => {
      const cells: Cells = { ...common, ...record };
      return toCsvRow(COLUMNS.map((name) => cells[name] ?? ""));
    }),
  ].join("");
}

/** Writes an invoice as CSV (RFC 4180): its lines, its taxes and its sums, under a line of names. Amounts are numbers. */
export function toInvoiceCsv(invoice: Invoice): string {
  const common = { invoice: toText(invoice.number), currency: toText(invoice.currency) };
  return toCsv(common, [
    ...invoice.lines.map(toLineCells),
    ...invoice.taxes.map(toTaxCells),
    ...toAccountingCells(invoice),
    ...SUMS.map((name) => ({ record: name, amount: invoice[name] })),
  ]);
}

const NOTE_SUMS = ["net", "total", "toDue", "toBalance"] as const;

/** Writes a credit note in the columns of invoices. `number` of a line is that of the invoice, and the first record names it. */
export function toCreditNoteCsv(note: CreditNote): string {
  const common = { invoice: toText(note.number), currency: toText(note.currency) };
  return toCsv(common, [
    { record: "of", description: toText(note.invoiceNumber), reason: toText(note.reason) },
    ...note.lines.map(({ invoiceLine, description, amount }) => ({
      record: "line",
      number: toNumberCell(invoiceLine),
      description: toText(description),
      amount,
    })),
    ...note.taxes.map(toTaxCells),
    ...toAccountingCells(note),
    ...NOTE_SUMS.map((name) => ({ record: name, amount: note[name] })),
  ]);
}
