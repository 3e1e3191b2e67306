import type { AnswerMeasure } from "@turnpike/contract/questions";
import { said } from "@turnpike/domain/text/said";
import { toPlural } from "@turnpike/domain/text/to-plural";
import { type AnswerWords, wordsOf } from "./answer-words.ts";
import type { Cell } from "./join-runs.ts";

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  requests: [said("request"), said("requests")],
  errors: [said("error"), said("errors")],
  denied: [said("denied call"), said("denied calls")],
  rate_limited: [said("rate-limited call"), said("rate-limited calls")],
  tenants: [said("tenant"), said("tenants")],
  active_tenants: [said("active tenant"), said("active tenants")],
  new_tenants: [said("new tenant"), said("new tenants")],
  active_keys: [said("active key"), said("active keys")],
  keys_created: [said("new key"), said("new keys")],
  keys_revoked: [said("revoked key"), said("revoked keys")],
  invoices: [said("invoice"), said("invoices")],
};
/** Units that the product and its examples name; those of operators stay as they are. */
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  call: [said("call"), said("calls")],
  unit: [said("unit"), said("units")],
  seat: [said("seat"), said("seats")],
  token: [said("token"), said("tokens")],
};
const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];
const KILO = 1_000;

function formatBytes(bytes: number, { say, number }: AnswerWords): string {
  let value = bytes;
  let unit = 0;
  while (value >= KILO && unit < BYTE_UNITS.length - 1) {
    value /= KILO;
    unit += 1;
  }
  return unit === 0
    ? say(value === 1 ? said("{0} byte") : said("{0} bytes"), number(value))
    : `${number(Number(value.toPrecision(3)))} ${BYTE_UNITS[unit] ?? ""}`;
}

/** Three digits are enough to read; whole numbers keep all of theirs. */
function toShort(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** A value alone, with its unit but without a noun: `1,234`, `1.2%`, `120 ms`, `49.90 EUR`. */
export function formatCell(
  { unit, unitName }: AnswerMeasure,
  cell: Cell | undefined,
  words: AnswerWords = wordsOf("en"),
): string {
  if (cell === null || cell === undefined) {
    return words.say(said("nothing"));
  }
  switch (unit) {
    case "share":
      return words.percent(toShort(100 * Number(cell)));
    case "milliseconds":
      return `${words.number(toShort(Number(cell)))} ms`;
    case "bytes":
      return formatBytes(Number(cell), words);
    case "money":
      return words.money(cell, unitName);
    default:
      return words.number(cell);
  }
}

/** What is counted, in the singular and the plural. */
export function nounsOf({ name, unitName }: AnswerMeasure): readonly [one: string, many: string] {
  const unit = unitName ?? name;
  return NOUNS[name] ?? UNITS[unit] ?? [unit, toPlural(unit)];
}

/** A count with its noun: `no requests`, `1 request`, `1,234 tokens`. */
export function countOf(
  measure: AnswerMeasure,
  cell: Cell | undefined,
  words: AnswerWords,
): string {
  const [one, many] = nounsOf(measure);
  const value = Number(cell ?? 0);
  return value === 0
    ? words.say(said("no {0}"), words.say(many))
    : `${formatCell(measure, cell, words)} ${words.say(value === 1 ? one : many)}`;
}

/** True for what is counted, so that the values of parts add up. */
export const isCounted = ({ unit }: AnswerMeasure): boolean => unit === "count" || unit === "units";
