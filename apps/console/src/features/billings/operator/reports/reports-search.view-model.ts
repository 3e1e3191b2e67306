/** The tabs about all tenants; without one, their invoices. */
export const REPORTS = ["payments", "revenue", "dunning", "tax", "setup"] as const;
export type Report = (typeof REPORTS)[number];

/** Rows behind a figure of a month. */
export const ROW_KINDS = [
  "closing",
  "new",
  "expansion",
  "contraction",
  "churned",
  "reactivated",
  "usage",
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** What the address says of the reports. */
export type ReportsSearch = {
  report?: Report;
  /** The month whose rows are open. */
  month?: string;
  rows?: RowKind;
  /** Of the tax report: a year, quarter or month. */
  period?: string;
  /** The row of the tax report that is open: its place. */
  cell?: string;
  /** The first day of an age of overdue invoices. */
  age?: number;
};

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const PERIOD = /^\d{4}(?:-Q[1-4]|-(?:0[1-9]|1[0-2]))?$/;
const CELL = /^[\w .%-]{1,120}$/;
const AGES = [0, 31, 61, 91];

function readMatch(value: unknown, pattern: RegExp): string | undefined {
  // The router parses `period=2026` as a number.
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && pattern.test(text) ? text : undefined;
}

/** Keeps what the reports understand; nothing without a report. */
export function parseReportsSearch(search: Record<string, unknown>): ReportsSearch {
  const report = REPORTS.find((known) => known === search["report"]);
  if (report === undefined) {
    return {};
  }
  const month = readMatch(search["month"], MONTH);
  const rows = ROW_KINDS.find((known) => known === search["rows"]);
  const period = readMatch(search["period"], PERIOD);
  const cell = readMatch(search["cell"], CELL);
  const age = AGES.find((known) => known === search["age"]);
  return {
    report,
    ...(month === undefined || rows === undefined ? {} : { month, rows }),
    ...(period === undefined ? {} : { period }),
    ...(cell === undefined ? {} : { cell }),
    ...(age === undefined ? {} : { age }),
  };
}
