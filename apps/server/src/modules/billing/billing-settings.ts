import type { DunningTerms } from "@turnpike/domain/billing/payments/dunning";
import type { ProrationMode } from "@turnpike/domain/billing/subscription/subscription";
import type { AccountingTerms } from "@turnpike/domain/billing/tax/accounting-tax";
import type { Seller } from "@turnpike/domain/billing/tax/tax-decision";
import type { Language } from "@turnpike/domain/text/languages";
import type { TopUpSettings } from "./credits/top-up-settings.ts";

/** A postal address in parts, as e-invoices have it. */
export type Address = {
  lines: readonly string[];
  postalCode: string | null;
  city: string | null;
  region: string | null;
};

/** A party of an invoice, as it is printed. */
export type Party = {
  name: string;
  /** The whole postal address, line by line. */
  lines: readonly string[];
  /** ISO 3166-1, two letters. */
  country: string | null;
  taxId: string | null;
  email: string | null;
  /** Left out on invoices that were issued before there were parts. */
  address?: Address;
  /** The certificate by which a customer is exempt from tax. */
  exemption?: string | null;
  /** In which the documents of a customer are; left out for English, as on those from before there were others. */
  language?: Language;
};

/** How invoices and credit notes look as files. */
export type DocumentSettings = {
  /** For customers who chose none. */
  language: Language;
  /** Absolute path of the seller's picture, PNG or JPEG. */
  logo: string | null;
  /** Absolute path of a font for letters that the fonts of Turnpike lack. */
  font: string | null;
  /** Left out: no documents are mailed. */
  mail?: DocumentMailSettings | undefined;
};

/** How documents are mailed when they are issued. */
export type DocumentMailSettings = {
  /** True: documents of sandboxes too. */
  sandbox: boolean;
  /** The e-invoice as a second file, where a document has one; null: inside the PDF alone. */
  eInvoice: "ubl" | "cii" | null;
};

/** The operator's bank account, where customers transfer to. */
export type BankAccount = {
  holder: string;
  /** Its check digits are right. */
  iban: string | null;
  bic: string | null;
  bank: string | null;
  /** What banks without an IBAN need, line by line. */
  lines: readonly string[];
};

/** What the operator configures of billing. */
export type BillingSettings = {
  seller: Party;
  /** How the seller is taxed; undefined for no tax at all. */
  tax: Seller | undefined;
  /** In which currency tax is accounted for; left out: documents state it in their own alone. */
  accounting?: AccountingTerms | undefined;
  proration: ProrationMode;
  /** Days from issue until an invoice is due. */
  paymentDays: number;
  /** What follows an invoice that is not paid. */
  dunning: DunningTerms;
  /** Selling credit; left out where none is sold. */
  topUps?: TopUpSettings | undefined;
  /** Begins the numbers of invoices and of credit notes. */
  invoicePrefix: string;
  creditNotePrefix: string;
  documents: DocumentSettings;
  /** Undefined where no transfers are taken. */
  bank?: BankAccount | undefined;
};
