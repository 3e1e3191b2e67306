import type { UsageReport, UsageRow } from "@turnpike/contract/usage";
import type { UsageDimension, UsageMeasure } from "@turnpike/contract/usage-query";
import { toCsvRow, toNumberCell, toTextCell } from "#platform/csv.ts";

/** The columns. */
export type CsvShape = {
  grain: UsageReport["grain"];
  dimensions: readonly UsageDimension[];
  measures: readonly UsageMeasure[];
  /** Names of keys by id. Left out, keys have their ids alone. */
  keyNames?: ReadonlyMap<string, string>;
};

function namesKeys({ dimensions, keyNames }: CsvShape): boolean {
  return keyNames !== undefined && dimensions.includes("key");
}

/** The line of names. */
export function toCsvHead(shape: CsvShape): string {
  return toCsvRow([
    ...(shape.grain === null ? [] : ["time"]),
    ...shape.dimensions,
    ...(namesKeys(shape) ? ["key_name"] : []),
    ...shape.measures,
  ]);
}

export function toCsvLine(shape: CsvShape, { time, group, values }: UsageRow): string {
  return toCsvRow([
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
