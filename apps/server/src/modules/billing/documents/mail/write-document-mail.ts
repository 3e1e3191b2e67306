import type { MailContent, MailFact } from "@turnpike/domain/mail/mail-content";
import { formatMinor } from "@turnpike/domain/money/currency";
import { said } from "@turnpike/domain/text/said";
import { currencyOf } from "../../invoices/to-invoice.ts";
import { groupDigits, toDayText } from "../print-text.ts";
import type { StoredDocument } from "../stored-document.ts";

export type DocumentMail = { subject: string; content: MailContent };

type Context = {
  /** Whose console it is. */
  brandName: string;
  /** The page of the invoice in the console; undefined when its address is not known. */
  link: string | undefined;
  /** What collects the invoice by itself, such as "Visa ending in 4242"; undefined when the customer pays it. */
  method: string | undefined;
  hasEInvoice: boolean;
};

type Content = {
  title: string;
  facts: readonly MailFact[];
  /** What follows, sentence by sentence. */
  says: readonly string[];
};

/** What is still to be paid is as it is now: the payment may have been faster than the mail. */
function sayPayment({ invoice }: StoredDocument, { method }: Context, due: string): string {
  if (invoice.state === "paid") {
    return "It is paid: there is nothing to do.";
  }
  return method === undefined
    ? "How to pay is on the invoice."
    : said(`${due} is collected from ${method} by itself: there is nothing to do.`);
}

function ofInvoice(stored: StoredDocument, context: Context): Content {
  const { invoice, totals } = stored;
  const { number, issuedAt, dueAt, fromBalance, prepaid, currency, seller } = invoice;
  const money = (minor: bigint) =>
    `${groupDigits(formatMinor(minor, currencyOf(currency)))} ${currency}`;
  const before = BigInt(fromBalance) + BigInt(prepaid);
  const due = money(totals.total - before);
  return {
    title: said(`Invoice ${number} of ${seller.name}`),
    facts: [
      [said("Number"), number],
      [said("Issued"), toDayText(issuedAt)],
      [said("Total"), money(totals.total)],
      ...(before === 0n ? [] : [[said("Paid from balance and credit"), money(before)] as const]),
      ...(totals.total === before
        ? [[said("To pay"), said("nothing")] as const]
        : [[said("To pay"), due] as const, [said("Due"), toDayText(dueAt)] as const]),
    ],
    says: [sayPayment(stored, context, due)],
  };
}

function ofNote(
  { invoice }: StoredDocument,
  { row, credited }: NonNullable<StoredDocument["note"]>,
): Content {
  const { number, currency, seller } = invoice;
  const money = (minor: bigint) =>
    `${groupDigits(formatMinor(minor, currencyOf(currency)))} ${currency}`;
  const isSplit = credited.toDue !== 0n && credited.toBalance !== 0n;
  return {
    title: said(`Credit note ${row.number} of ${seller.name}`),
    facts: [
      [said("Number"), row.number],
      [said("Issued"), toDayText(row.issuedAt)],
      [said("Of invoice"), number],
      [said("Reason"), row.reason, "people"],
      [said("Credited"), money(credited.total)],
    ],
    says: [
      ...(credited.toDue === 0n
        ? []
        : [
            isSplit
              ? said(`${money(credited.toDue)} of it lowers what ${number} leaves to pay.`)
              : said(`It lowers what ${number} leaves to pay.`),
          ]),
      ...(credited.toBalance === 0n
        ? []
        : [
            isSplit
              ? said(
                  `${money(credited.toBalance)} of it is added to your balance, which the next invoice uses.`,
                )
              : said("It is added to your balance, which the next invoice uses."),
          ]),
    ],
  };
}

/**
 * Writes the mail that brings a document. Its subject has no name that people chose but the brand's: it is read as ours.
 */
export function writeDocumentMail(stored: StoredDocument, context: Context): DocumentMail {
  const { invoice, note } = stored;
  const { title, facts, says } =
    note === undefined ? ofInvoice(stored, context) : ofNote(stored, note);
  const isTest = invoice.environment === "test";
  const attached = context.hasEInvoice
    ? "It is attached as PDF, with the e-invoice (EN 16931) inside."
    : "It is attached as PDF.";
  const sentences = [...(isTest ? ["Sandbox: a test, nothing is owed."] : []), ...says, attached];
  const what =
    note === undefined ? said(`Invoice ${invoice.number}`) : said(`Credit note ${note.row.number}`);
  return {
    subject: `${context.brandName}: ${isTest ? said(`Sandbox: ${what}`) : what}`,
    content: [
      { kind: "title", text: title },
      { kind: "facts", facts },
      { kind: "paragraph", text: sentences.join("\n") },
      ...(context.link === undefined
        ? []
        : [{ kind: "link" as const, label: "Open it in the console", address: context.link }]),
    ],
  };
}
