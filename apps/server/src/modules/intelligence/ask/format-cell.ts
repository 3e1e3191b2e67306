import type { AnswerMeasure } from "@turnpike/contract/questions";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { toPlural } from "@turnpike/domain/text/to-plural";
import type { Cell } from "./join-runs.ts";

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  requests: ["request", "requests"],
  errors: ["error", "errors"],
  denied: ["denied call", "denied calls"],
  rate_limited: ["rate-limited call", "rate-limited calls"],
  tenants: ["tenant", "tenants"],
  active_tenants: ["active tenant", "active tenants"],
  new_tenants: ["new tenant", "new tenants"],
  active_keys: ["active key", "active keys"],
  keys_created: ["new key", "new keys"],
  keys_revoked: ["revoked key", "revoked keys"],
  invoices: ["invoice", "invoices"],
};
const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];
const KILO = 1_000;

function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= KILO && unit < BYTE_UNITS.length - 1) {
    value /= KILO;
    unit += 1;
  }
  const name = unit === 0 && value === 1 ? "byte" : (BYTE_UNITS[unit] ?? "");
  return `${unit === 0 ? toGrouped(value) : String(Number(value.toPrecision(3)))} ${name}`;
}

/** Three digits are enough to read; whole numbers keep all of theirs. */
function formatNumber(value: number): string {
  return Math.abs(value) >= 100
    ? toGrouped(Math.round(value))
    : String(Number(value.toPrecision(3)));
}

/** A value alone, with its unit but without a noun: `1,234`, `1.2%`, `120 ms`, `49.90 EUR`. */
export function formatCell({ unit, unitName }: AnswerMeasure, cell: Cell | undefined): string {
  if (cell === null || cell === undefined) {
    return "nothing";
  }
  switch (unit) {
    case "share":
      return `${formatNumber(100 * Number(cell))}%`;
    case "milliseconds":
      return `${formatNumber(Number(cell))} ms`;
    case "bytes":
      return formatBytes(Number(cell));
    case "money":
      return unitName === null ? toGrouped(cell) : `${toGrouped(cell)} ${unitName}`;
    default:
      return toGrouped(cell);
  }
}

/** A count with its noun: `no requests`, `1 request`, `1,234 tokens`. */
export function countOf(measure: AnswerMeasure, cell: Cell | undefined): string {
  const unit = measure.unitName ?? measure.name;
  const [one, many] = NOUNS[measure.name] ?? [unit, toPlural(unit)];
  const value = Number(cell ?? 0);
  if (value === 0) {
    return `no ${many}`;
  }
  return `${formatCell(measure, cell)} ${value === 1 ? one : many}`;
}

/** True for what is counted, so that the values of parts add up. */
export const isCounted = ({ unit }: AnswerMeasure): boolean => unit === "count" || unit === "units";
