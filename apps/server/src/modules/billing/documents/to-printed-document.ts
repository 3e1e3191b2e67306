import type { TaxTotals } from "@turnpike/domain/billing/invoices/invoice";
import {
  formatReference,
  toCreditorReference,
} from "@turnpike/domain/billing/payments/check-digits";
import type { Line } from "@turnpike/domain/billing/rating/line";
import { EU_COUNTRIES } from "@turnpike/domain/billing/tax/tax-decision";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import type { BankAccount, Party } from "../billing-settings.ts";
import { explainZero } from "../invoices/explain-zero.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { type DocumentWords, wordsOf } from "./document-words.ts";
import type { PrintedDocument, PrintedLine, PrintedParty, PrintedSum } from "./printed-document.ts";
import type { NamedLine, StoredDocument } from "./stored-document.ts";
import { listPriceNotes, toUnitPrice } from "./unit-price.ts";

type Terms = { currency: Currency; isGross: boolean; words: DocumentWords };

function toParty(
  { name, lines, country, taxId, email }: Party,
  { say, country: nameCountry }: DocumentWords,
): PrintedParty {
  return {
    name,
    lines: [
      ...lines,
      ...(country === null ? [] : [nameCountry(country)]),
      ...(taxId === null ? [] : [say(said("Tax id: {0}"), taxId)]),
      ...(email === null ? [] : [email]),
    ],
  };
}

/** With gross prices the sum of a taxed group is more than its net. */
function isGross({ groups }: TaxTotals): boolean {
  return groups.some(({ sum, net }) => sum !== net);
}

/** Rates where something is taxed, else the category, which the sums explain. */
function toTaxText({ taxes }: Pick<Line, "taxes">, { number }: DocumentWords): string {
  return taxes
    .map(({ category, rate }) => (category === "S" ? `${number(fromScaled(rate))} %` : category))
    .join(" + ");
}

function toMoney(minor: bigint, { currency, words }: Pick<Terms, "currency" | "words">): string {
  return words.money(formatMinor(minor, currency), currency);
}

/** What people named, or wrote for a single line, is the same in every language. */
function toDescription({ line, name }: NamedLine, { translate }: DocumentWords): string {
  return line.label === undefined ? translate(name) : name;
}

function toPrintedLine(
  line: Line,
  { name, unit, terms }: { name: string; unit: string | null; terms: Terms },
): PrintedLine {
  const { kind, span, quantity, amount, tiers } = line;
  const { words, currency } = terms;
  const isCounted =
    quantity !== undefined && kind !== "commitment" && kind !== "adjustment" && kind !== "topUp";
  const hasSpan = span !== undefined && span.fromMs !== span.toMs;
  const reason = explainZero(line, { unit, currency });
  const isPriced = isCounted && amount !== 0n;
  return {
    description: toDescription({ line, name }, words),
    quantity: isCounted ? words.number(fromScaled(quantity)) : "",
    unitPrice: isPriced && tiers.length === 0 ? toUnitPrice(line, terms) : "",
    tax: toTaxText(line, words),
    amount: toMoney(amount, terms),
    notes: [
      ...(hasSpan ? [words.range(span.fromMs, span.toMs)] : []),
      ...(isPriced ? listPriceNotes(line, terms) : []),
      ...(reason === null ? [] : [words.translate(reason)]),
    ],
  };
}

/** Why no tax is charged, in the words that the law asks for (Directive 2006/112/EC, article 226, points 11 and 11a). */
const CATEGORY_NOTES: Readonly<Record<string, string>> = {
  AE: said("AE: Reverse charge. The customer accounts for the VAT."),
  O: said("O: Not subject to VAT."),
  Z: said("Z: Taxed at a rate of zero."),
};

function listTaxNotes(
  { taxes }: TaxTotals,
  { exemption }: Party,
  { say }: DocumentWords,
): string[] {
  const categories = new Set(taxes.map(({ category }) => category));
  return [...categories].flatMap((category) => {
    if (category === "E") {
      return [
        exemption == null
          ? say(said("E: Exempt from VAT."))
          : say(said("E: Exempt from VAT: {0}"), exemption),
      ];
    }
    const note = CATEGORY_NOTES[category];
    return note === undefined ? [] : [say(note)];
  });
}

function nameTax(country: string | null): string {
  return country !== null && EU_COUNTRIES.has(country) ? said("VAT") : said("Tax");
}

function listTaxSums({ taxes }: TaxTotals, country: string | null, terms: Terms) {
  const { say, number } = terms.words;
  return taxes.map(({ name, category, rate, base, amount }): PrintedSum => {
    const of = category === "S" ? "" : ` (${category})`;
    return {
      name: say(
        said("{0} {1} %{2} of {3}"),
        name ?? say(nameTax(country)),
        number(fromScaled(rate)),
        of,
        toMoney(base, terms),
      ),
      amount: toMoney(amount, terms),
      isBold: false,
    };
  });
}

function toColumns(
  lines: readonly PrintedLine[],
  { currency, isGross: isWithTax, words: { say } }: Terms,
) {
  return {
    quantity: lines.some(({ quantity }) => quantity !== "") ? say(said("Quantity")) : null,
    unitPrice: lines.some(({ unitPrice }) => unitPrice !== "")
      ? isWithTax
        ? say(said("Price without tax"))
        : say(said("Unit price"))
      : null,
    tax: lines.some(({ tax }) => tax !== "") ? say(said("Tax")) : null,
    amount: isWithTax
      ? say(said("{0} with tax"), currency.code)
      : say(said("Amount ({0})"), currency.code),
  };
}

function sumOf(name: string, minor: bigint, terms: Terms, isBold = false): PrintedSum {
  return { name, amount: toMoney(minor, terms), isBold };
}

/** Where to transfer to, and what names the invoice there. */
function listPayment(
  number: string,
  bank: BankAccount | undefined,
  { say }: DocumentWords,
): string[] {
  if (bank === undefined) {
    return [say(said("Please name the number {0} when you pay."), number)];
  }
  return [
    say(said("To: {0}"), bank.holder),
    ...(bank.iban === null ? [] : [`IBAN: ${formatReference(bank.iban)}`]),
    ...(bank.bic === null ? [] : [`BIC: ${bank.bic}`]),
    ...(bank.bank === null ? [] : [bank.bank]),
    ...bank.lines,
    say(said("Reference: {0}"), formatReference(toCreditorReference(number))),
  ];
}

/** The tax in the seller's currency, and by which rate (Directive 2006/112/EC, article 230). It adds to no sum, so it is a note. */
function listAccounting({ accountingTax, invoice }: StoredDocument, terms: Terms): string[] {
  if (accountingTax === undefined) {
    return [];
  }
  const { amount, rate, rateFromMs, source, currency: code } = accountingTax;
  const { say, number, day, money } = terms.words;
  const currency = currencyOf(code);
  const of = [...(source === undefined ? [] : [source]), day(rateFromMs)].join(", ");
  return [
    say(
      said("{0} in {1}: {2}, at 1 {3} = {4} {1} ({5})."),
      say(nameTax(invoice.seller.country)),
      code,
      money(formatMinor(amount, currency), currency),
      terms.currency.code,
      number(fromScaled(rate)),
      of,
    ),
  ];
}

function printInvoice(stored: StoredDocument, terms: Terms, bank: BankAccount | undefined) {
  const { invoice, totals, rows, lines } = stored;
  const { currency, words } = terms;
  const { say } = words;
  const [fromBalance, prepaid] = [BigInt(invoice.fromBalance), BigInt(invoice.prepaid)];
  const due = totals.total - fromBalance - prepaid;
  const dueText = words.day(invoice.dueAt);
  const printed = lines.map(({ line, name }, index) => {
    const { unit = null, meterId = null } = rows[index] ?? {};
    return toPrintedLine(line, { name, unit: unit ?? meterId, terms });
  });
  const { from, to } = invoice;
  return {
    title: say(said("Invoice")),
    number: invoice.number,
    issuedAt: invoice.issuedAt.toISOString(),
    facts: [
      { name: say(said("Number")), value: invoice.number },
      { name: say(said("Issued")), value: words.day(invoice.issuedAt) },
      { name: say(said("Due")), value: dueText },
      ...(from === null || to === null
        ? []
        : [{ name: say(said("Supplied")), value: words.range(from.getTime(), to.getTime()) }]),
    ],
    lines: printed,
    sums: [
      sumOf(say(said("Net")), totals.net, terms),
      ...listTaxSums(totals, invoice.seller.country, terms),
      sumOf(say(said("Total {0}"), currency.code), totals.total, terms, true),
      ...(fromBalance === 0n
        ? []
        : [sumOf(say(said("Paid from your balance")), -fromBalance, terms)]),
      ...(prepaid === 0n ? [] : [sumOf(say(said("Paid from prepaid credit")), -prepaid, terms)]),
      sumOf(
        due === 0n ? say(said("Nothing to pay")) : say(said("To pay by {0}"), dueText),
        due,
        terms,
        true,
      ),
    ],
    notes: [...listAccounting(stored, terms), ...listTaxNotes(totals, invoice.customer, words)],
    payment: due === 0n ? [] : listPayment(invoice.number, bank, words),
  };
}

function printNote(
  stored: StoredDocument,
  { row, credited }: NonNullable<StoredDocument["note"]>,
  terms: Terms,
) {
  const { invoice, lines } = stored;
  const { currency, words } = terms;
  const { say } = words;
  const printed = credited.lines.flatMap(({ line: index, amount }): PrintedLine[] => {
    const named = lines[index];
    if (named === undefined) {
      return [];
    }
    const { span } = named.line;
    const isPeriod = span !== undefined && span.fromMs !== span.toMs;
    return [
      {
        description: toDescription(named, words),
        quantity: "",
        unitPrice: "",
        tax: toTaxText(named.line, words),
        amount: toMoney(amount, terms),
        notes: isPeriod ? [words.range(span.fromMs, span.toMs)] : [],
      },
    ];
  });
  return {
    title: say(said("Credit note")),
    number: row.number,
    issuedAt: row.issuedAt.toISOString(),
    facts: [
      { name: say(said("Number")), value: row.number },
      { name: say(said("Issued")), value: words.day(row.issuedAt) },
      { name: say(said("Of invoice")), value: invoice.number },
      { name: say(said("Which was issued")), value: words.day(invoice.issuedAt) },
      { name: say(said("Reason")), value: row.reason },
    ],
    lines: printed,
    sums: [
      sumOf(say(said("Net")), credited.net, terms),
      ...listTaxSums(credited, invoice.seller.country, terms),
      sumOf(say(said("Credited {0}"), currency.code), credited.total, terms, true),
      ...(credited.toDue === 0n
        ? []
        : [sumOf(say(said("Off what {0} leaves to pay"), invoice.number), credited.toDue, terms)]),
      ...(credited.toBalance === 0n
        ? []
        : [sumOf(say(said("Added to your balance")), credited.toBalance, terms)]),
    ],
    notes: [...listAccounting(stored, terms), ...listTaxNotes(credited, invoice.customer, words)],
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
  const words = wordsOf(invoice.customer.language);
  const { say, language } = words;
  const terms = { currency: currencyOf(invoice.currency), isGross: isGross(totals), words };
  const printed =
    note === undefined ? printInvoice(stored, terms, bank) : printNote(stored, note, terms);
  return {
    ...printed,
    language,
    labels: {
      billedTo: say(said("Billed to")),
      charges: say(said("Description")),
      howToPay: say(said("How to pay")),
      page: say(said("Page {0} of {1}"), "{0}", "{1}"),
      substitutes: say(said("“?” replaces letters that the fonts of this document lack.")),
    },
    warning: invoice.environment === "test" ? say(said("Sandbox: a test, nothing is owed.")) : null,
    seller: toParty(invoice.seller, words),
    customer: toParty(invoice.customer, words),
    columns: toColumns(printed.lines, terms),
  };
}
