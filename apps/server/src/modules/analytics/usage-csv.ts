import type { UsageReport } from "@turnpike/contract/usage";

/** Of half and of full width: what a spreadsheet takes for the start of a formula, and the marks it skips before one. */
const FORMULA_START = /^[\s\p{Cc}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
const NEEDS_QUOTES = /["',;\r\n\t]/;

/** A cell of text that no spreadsheet takes for a formula. */
function toTextCell(text: string): string {
  const safe = FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function toNumberCell(value: string | number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

/**
 * Writes the rows of a report as CSV (RFC 4180): a line of names, then one line for each row. Times are in UTC; numbers are
 * as in JSON, empty for null; a text that a spreadsheet would run as a formula begins with `'`.
 */
export function toUsageCsv(report: UsageReport): string {
  const { grain, dimensions, measures } = report;
  const head = [...(grain === null ? [] : ["time"]), ...dimensions, ...measures];
  const lines = report.rows.map(({ time, group, values }) => [
    ...(grain === null ? [] : [time ?? ""]),
    ...dimensions.map((name) => toTextCell(group[name] ?? "")),
    ...measures.map((name) => toNumberCell(values[name])),
  ]);
  return `${[head, ...lines].map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}
