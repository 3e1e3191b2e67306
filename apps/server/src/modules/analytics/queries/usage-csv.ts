import type { UsageDimension, UsageMeasure, UsageReport, UsageRow } from "@turnpike/contract/usage";

/** Characters, of half and of full width, that start a formula in a spreadsheet, and those that it skips before one. */
const FORMULA_START = /^[\s\p{Cc}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
const NEEDS_QUOTES = /["',;\r\n\t]/;

/** The columns. */
export type CsvShape = {
  grain: UsageReport["grain"];
  dimensions: readonly UsageDimension[];
  measures: readonly UsageMeasure[];
  /** Names of keys by id. Left out, keys have their ids alone. */
  keyNames?: ReadonlyMap<string, string>;
};

/** Writes a cell of text that no spreadsheet takes for a formula. */
function toTextCell(text: string): string {
  const safe = FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function toNumberCell(value: string | number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function namesKeys({ dimensions, keyNames }: CsvShape): boolean {
  return keyNames !== undefined && dimensions.includes("key");
}

function toLine(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

/** The line of names. */
export function toCsvHead(shape: CsvShape): string {
  return toLine([
    ...(shape.grain === null ? [] : ["time"]),
    ...shape.dimensions,
    ...(namesKeys(shape) ? ["key_name"] : []),
    ...shape.measures,
  ]);
}

export function toCsvLine(shape: CsvShape, { time, group, values }: UsageRow): string {
  return toLine([
    ...(shape.grain === null ? [] : [time ?? ""]),
    ...shape.dimensions.map((name) => toTextCell(group[name] ?? "")),
    ...(namesKeys(shape) ? [toTextCell(shape.keyNames?.get(group.key ?? "") ?? "")] : []),
    ...shape.measures.map((name) => toNumberCell(values[name])),
  ]);
}

/**
 * Writes the rows of a report as CSV (RFC 4180): a line of names, then one line for each row. Times are in UTC; numbers are
 * as in JSON, empty for null; a text that a spreadsheet would run as a formula begins with `'`.
 */
export function toUsageCsv(report: UsageReport): string {
  return toCsvHead(report) + report.rows.map((row) => toCsvLine(report, row)).join("");
}
