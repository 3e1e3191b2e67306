import type { TaxTotals } from "@turnpike/domain/billing/invoices/invoice";
import {
  formatReference,
  toCreditorReference,
} from "@turnpike/domain/billing/payments/check-digits";
import type { Line } from "@turnpike/domain/billing/rating/line";
import { EU_COUNTRIES } from "@turnpike/domain/billing/tax/tax-decision";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import type { BankAccount, Party } from "../billing-settings.ts";
import { explainZero } from "../invoices/explain-zero.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { groupDigits, toCountryText, toDayText, toRangeText } from "./print-text.ts";
import type { PrintedDocument, PrintedLine, PrintedParty, PrintedSum } from "./printed-document.ts";
import type { StoredDocument } from "./stored-document.ts";
import { listPriceNotes, toUnitPrice } from "./unit-price.ts";

type Terms = { currency: Currency; isGross: boolean };

function toParty({ name, lines, country, taxId, email }: Party): PrintedParty {
  return {
    name,
    lines: [
      ...lines,
      ...(country === null ? [] : [toCountryText(country)]),
      ...(taxId === null ? [] : [`Tax id: ${taxId}`]),
      ...(email === null ? [] : [email]),
    ],
  };
}

/** With gross prices the sum of a taxed group is more than its net. */
function isGross({ groups }: TaxTotals): boolean {
  return groups.some(({ sum, net }) => sum !== net);
}

/** Rates where something is taxed, else the category, which the sums explain. */
function toTaxText({ taxes }: Pick<Line, "taxes">): string {
  return taxes
    .map(({ category, rate }) => (category === "S" ? `${fromScaled(rate)} %` : category))
    .join(" + ");
}

function toMoney(minor: bigint, currency: Currency): string {
  return groupDigits(formatMinor(minor, currency));
}

function toPrintedLine(
  line: Line,
  { name, unit, terms }: { name: string; unit: string | null; terms: Terms },
): PrintedLine {
  const { kind, span, quantity, amount, tiers } = line;
  const isCounted =
    quantity !== undefined && kind !== "commitment" && kind !== "adjustment" && kind !== "topUp";
  const hasSpan = span !== undefined && span.fromMs !== span.toMs;
  const reason = explainZero(line, { unit, currency: terms.currency });
  const isPriced = isCounted && amount !== 0n;
  return {
    description: name,
    quantity: isCounted ? groupDigits(fromScaled(quantity)) : "",
    unitPrice: isPriced && tiers.length === 0 ? toUnitPrice(line, terms) : "",
    tax: toTaxText(line),
    amount: toMoney(amount, terms.currency),
    notes: [
      ...(hasSpan ? [toRangeText(span.fromMs, span.toMs)] : []),
      ...(isPriced ? listPriceNotes(line, terms) : []),
      ...(reason === null ? [] : [reason]),
    ],
  };
}

/** Why no tax is charged, in the words that the law asks for (Directive 2006/112/EC, article 226, points 11 and 11a). */
const CATEGORY_NOTES: Readonly<Record<string, string>> = {
  AE: "AE: Reverse charge. The customer accounts for the VAT.",
  O: "O: Not subject to VAT.",
  Z: "Z: Taxed at a rate of zero.",
};

function listTaxNotes({ taxes }: TaxTotals, { exemption }: Party): string[] {
  const categories = new Set(taxes.map(({ category }) => category));
  return [...categories].flatMap((category) => {
    if (category === "E") {
      return [`E: Exempt from VAT${exemption == null ? "." : `: ${exemption}`}`];
    }
    const note = CATEGORY_NOTES[category];
    return note === undefined ? [] : [note];
  });
}

function listTaxSums({ taxes }: TaxTotals, country: string | null, currency: Currency) {
  const general = country !== null && EU_COUNTRIES.has(country) ? "VAT" : "Tax";
  return taxes.map(({ name, category, rate, base, amount }): PrintedSum => {
    const of = category === "S" ? "" : ` (${category})`;
    return {
      name: `${name ?? general} ${fromScaled(rate)} %${of} of ${toMoney(base, currency)}`,
      amount: toMoney(amount, currency),
      isBold: false,
    };
  });
}

function toColumns(lines: readonly PrintedLine[], { currency, isGross: isWithTax }: Terms) {
  return {
    quantity: lines.some(({ quantity }) => quantity !== "") ? "Quantity" : null,
    unitPrice: lines.some(({ unitPrice }) => unitPrice !== "")
      ? isWithTax
        ? "Price without tax"
        : "Unit price"
      : null,
    tax: lines.some(({ tax }) => tax !== "") ? "Tax" : null,
    amount: isWithTax ? `${currency.code} with tax` : `Amount (${currency.code})`,
  };
}

function sumOf(name: string, minor: bigint, currency: Currency, isBold = false): PrintedSum {
  return { name, amount: toMoney(minor, currency), isBold };
}

/** Where to transfer to, and what names the invoice there. */
function listPayment(number: string, bank: BankAccount | undefined): string[] {
  if (bank === undefined) {
    return [`Please name the number ${number} when you pay.`];
  }
  return [
    `To: ${bank.holder}`,
    ...(bank.iban === null ? [] : [`IBAN: ${formatReference(bank.iban)}`]),
    ...(bank.bic === null ? [] : [`BIC: ${bank.bic}`]),
    ...(bank.bank === null ? [] : [bank.bank]),
    ...bank.lines,
    `Reference: ${formatReference(toCreditorReference(number))}`,
  ];
}

/** The tax in the seller's currency, and by which rate (Directive 2006/112/EC, article 230). It adds to no sum, so it is a note. */
function listAccounting({ accountingTax, invoice }: StoredDocument, currency: Currency): string[] {
  if (accountingTax === undefined) {
    return [];
  }
  const { amount, rate, rateFromMs, source, currency: code } = accountingTax;
  const isUnion = invoice.seller.country !== null && EU_COUNTRIES.has(invoice.seller.country);
  const of = [...(source === undefined ? [] : [source]), toDayText(rateFromMs)].join(", ");
  return [
    `${isUnion ? "VAT" : "Tax"} in ${code}: ${toMoney(amount, currencyOf(code))}, at 1 ${currency.code} = ${fromScaled(rate)} ${code} (${of}).`,
  ];
}

function printInvoice(stored: StoredDocument, terms: Terms, bank: BankAccount | undefined) {
  const { invoice, totals, rows, lines } = stored;
  const { currency } = terms;
  const [fromBalance, prepaid] = [BigInt(invoice.fromBalance), BigInt(invoice.prepaid)];
  const due = totals.total - fromBalance - prepaid;
  const dueText = toDayText(invoice.dueAt);
  const printed = lines.map(({ line, name }, index) => {
    const { unit = null, meterId = null } = rows[index] ?? {};
    return toPrintedLine(line, { name, unit: unit ?? meterId, terms });
  });
  const { from, to } = invoice;
  return {
    title: "Invoice" as const,
    number: invoice.number,
    issuedAt: invoice.issuedAt.toISOString(),
    facts: [
      { name: "Number", value: invoice.number },
      { name: "Issued", value: toDayText(invoice.issuedAt) },
      { name: "Due", value: dueText },
      ...(from === null || to === null
        ? []
        : [{ name: "Supplied", value: toRangeText(from.getTime(), to.getTime()) }]),
    ],
    lines: printed,
    sums: [
      sumOf("Net", totals.net, currency),
      ...listTaxSums(totals, invoice.seller.country, currency),
      sumOf(`Total ${currency.code}`, totals.total, currency, true),
      ...(fromBalance === 0n ? [] : [sumOf("Paid from your balance", -fromBalance, currency)]),
      ...(prepaid === 0n ? [] : [sumOf("Paid from prepaid credit", -prepaid, currency)]),
      sumOf(due === 0n ? "Nothing to pay" : `To pay by ${dueText}`, due, currency, true),
    ],
    notes: [...listAccounting(stored, currency), ...listTaxNotes(totals, invoice.customer)],
    payment: due === 0n ? [] : listPayment(invoice.number, bank),
  };
}

function printNote(
  stored: StoredDocument,
  { row, credited }: NonNullable<StoredDocument["note"]>,
  terms: Terms,
) {
  const { invoice, lines } = stored;
  const { currency } = terms;
  const printed = credited.lines.flatMap(({ line: index, amount }): PrintedLine[] => {
    const named = lines[index];
    if (named === undefined) {
      return [];
    }
    const { span } = named.line;
    const isPeriod = span !== undefined && span.fromMs !== span.toMs;
    return [
      {
        description: named.name,
        quantity: "",
        unitPrice: "",
        tax: toTaxText(named.line),
        amount: toMoney(amount, currency),
        notes: isPeriod ? [toRangeText(span.fromMs, span.toMs)] : [],
      },
    ];
  });
  return {
    title: "Credit note" as const,
    number: row.number,
    issuedAt: row.issuedAt.toISOString(),
    facts: [
      { name: "Number", value: row.number },
      { name: "Issued", value: toDayText(row.issuedAt) },
      { name: "Of invoice", value: invoice.number },
      { name: "Which was issued", value: toDayText(invoice.issuedAt) },
      { name: "Reason", value: row.reason },
    ],
    lines: printed,
    sums: [
      sumOf("Net", credited.net, currency),
      ...listTaxSums(credited, invoice.seller.country, currency),
      sumOf(`Credited ${currency.code}`, credited.total, currency, true),
      ...(credited.toDue === 0n
        ? []
        : [sumOf(`Off what ${invoice.number} leaves to pay`, credited.toDue, currency)]),
      ...(credited.toBalance === 0n
        ? []
        : [sumOf("Added to your balance", credited.toBalance, currency)]),
    ],
    notes: [...listAccounting(stored, currency), ...listTaxNotes(credited, invoice.customer)],
    payment: [],
  };
}

/**
 * Writes a stored document as the texts of its pages.
 *
 * @param bank - Where customers transfer to by now: money must not go to an account that was closed since.
 */
export function toPrintedDocument(stored: StoredDocument, bank?: BankAccount): PrintedDocument {
  const { invoice, totals, note } = stored;
  const terms = { currency: currencyOf(invoice.currency), isGross: isGross(totals) };
  const printed =
    note === undefined ? printInvoice(stored, terms, bank) : printNote(stored, note, terms);
  return {
    ...printed,
    warning: invoice.environment === "test" ? "Sandbox: a test, nothing is owed." : null,
    seller: toParty(invoice.seller),
    customer: toParty(invoice.customer),
    columns: toColumns(printed.lines, terms),
  };
}
