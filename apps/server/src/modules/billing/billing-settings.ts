import type { DunningTerms } from "@turnpike/domain/billing/payments/dunning";
import type { ProrationMode } from "@turnpike/domain/billing/subscription/subscription";

/** A party of an invoice, as it is printed. */
export type Party = {
  name: string;
  /** The postal address, line by line. */
  lines: readonly string[];
  /** ISO 3166-1, two letters. */
  country: string | null;
  taxId: string | null;
  email: string | null;
};

/** What the operator configures of billing. */
export type BillingSettings = {
  seller: Party;
  proration: ProrationMode;
  /** Days from issue until an invoice is due. */
  paymentDays: number;
  /** What follows an invoice that is not paid. */
  dunning: DunningTerms;
  /** Begins the numbers of invoices and of credit notes. */
  invoicePrefix: string;
  creditNotePrefix: string;
};
