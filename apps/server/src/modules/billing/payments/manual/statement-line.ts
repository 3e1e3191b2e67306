/** A line of a bank's statement as it was read. */
export type StatementLine = {
  /** The day on which it was booked, such as 2026-11-26. */
  bookedOn: string;
  /** Minor units; negative for money that left. */
  amount: bigint;
  currency: string;
  payer: string;
  payerAccount: string;
  purpose: string;
  /** The bank's own id; empty where it gives none. */
  bankReference: string;
};

export type StatementProblem = { line: number; message: string };

/** What a file holds. Lines that cannot be read are named, and the others are good. */
export type ReadStatement = {
  format: "csv" | "camt053";
  headings: string[];
  columns: Record<string, string | null>;
  lines: StatementLine[];
  problems: StatementProblem[];
};

/** Columns of a CSV, by what they hold. */
export const COLUMNS = [
  "date",
  "amount",
  "currency",
  "payer",
  "payerAccount",
  "purpose",
  "bankReference",
] as const;
export type Column = (typeof COLUMNS)[number];

/** What a person says of a file that does not say it itself. */
export type StatementHints = {
  columns?: Partial<Record<Column, string | null | undefined>> | undefined;
  currency?: string | undefined;
};
