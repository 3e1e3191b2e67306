import type { UsageReport } from "#platform/usage-query.ts";

/** A program that opens the file must not take a value for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * Writes a report as CSV (RFC 4180): time, dimensions, measures, and a row for each group.
 *
 * @param nameOf - Adds a readable name beside a value, such as that of a key; undefined adds none.
 */
export function toUsageCsv(
  report: UsageReport,
  nameOf: (dimension: string, value: string) => string | undefined = () => undefined,
): string {
  const isTimed = report.grain !== null;
  const named = report.dimensions.filter((dimension) => dimension === "key");
  const head = [
    ...(isTimed ? ["time"] : []),
    ...report.dimensions,
    ...named.map((dimension) => `${dimension}_name`),
    ...report.measures,
  ];
  const rows = report.rows.map((row) => [
    ...(isTimed ? [row.time ?? ""] : []),
    ...report.dimensions.map((dimension) => row.group[dimension] ?? ""),
    ...named.map((dimension) => nameOf(dimension, row.group[dimension] ?? "") ?? ""),
    ...report.measures.map((measure) => String(row.values[measure] ?? "")),
  ]);
  return `${[head, ...rows].map((cells) => cells.map(toCell).join(",")).join("\r\n")}\r\n`;
}

function toCell(text: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const safe = !isNumber && FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
