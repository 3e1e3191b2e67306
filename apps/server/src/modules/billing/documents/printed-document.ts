import type { Language } from "@turnpike/domain/text/languages";

/** A party as it is printed: its name, and what stands below it. */
export type PrintedParty = { name: string; lines: readonly string[] };

export type PrintedLine = {
  description: string;
  /** Empty where there is none. */
  quantity: string;
  /** Without tax; empty where a line has no price of one. */
  unitPrice: string;
  tax: string;
  amount: string;
  /** The small print below it. */
  notes: readonly string[];
};

export type PrintedSum = { name: string; amount: string; isBold: boolean };

/**
 * Everything that the pages of an invoice or a credit note say, as texts. It is made of what was frozen at the issue, so one document
 * always gives the same bytes.
 */
export type PrintedDocument = {
  language: Language;
  title: string;
  number: string;
  /** ISO 8601, UTC. */
  issuedAt: string;
  /** Below the title: dates, numbers, what it belongs to. */
  facts: readonly { name: string; value: string }[];
  /** What must be seen first, such as that nothing is owed. */
  warning: string | null;
  seller: PrintedParty;
  customer: PrintedParty;
  /** Heads of columns; null for a column that this document has not. */
  columns: {
    quantity: string | null;
    unitPrice: string | null;
    tax: string | null;
    amount: string;
  };
  lines: readonly PrintedLine[];
  sums: readonly PrintedSum[];
  /** What the pages say besides. */
  labels: {
    billedTo: string;
    charges: string;
    howToPay: string;
    /** With places for the page and for how many there are. */
    page: string;
    /** Says that a letter is not shown. */
    substitutes: string;
  };
  /** Reasons and references that the law asks for. */
  notes: readonly string[];
  /** How to pay what is due; empty when nothing is. */
  payment: readonly string[];
};
