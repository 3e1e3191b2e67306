import type { Invoice, InvoiceSummary } from "#platform/billing-queries.ts";

const STATES = [
  "open",
  "paid",
  "void",
  "uncollectible",
] as const satisfies readonly InvoiceSummary["state"][];
/** States of invoices that the list can be narrowed to, in order. */
export const INVOICE_STATES: readonly InvoiceSummary["state"][] = STATES;

const PARTS = ["day", "key", "route", "model"] as const;
/** What a usage line opens to. */
export type PartKind = (typeof PARTS)[number];
export const PART_KINDS: readonly PartKind[] = PARTS;

/** Limits of the API. */
const TEXT_LENGTH_MAX = 200;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The search parameters of `/billings`. */
export type BillingsSearch = {
  /** The invoice that is shown; left out: the running invoice and the list. */
  invoice?: Invoice["invoiceId"];
  /** Number of the usage line that is open. */
  line?: number;
  /** What the parts of the open line are; left out: days. */
  by?: PartKind;
  /** The key that the parts are narrowed to. */
  key?: string;
  /** The day that the parts are narrowed to, UTC. */
  day?: string;
  /** Filter of the list. */
  state?: InvoiceSummary["state"];
  /** The cursor of the current page of the list. */
  cursor?: string;
};

/** The router parses `cursor=17` as a number. */
function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= TEXT_LENGTH_MAX
    ? text
    : undefined;
}

/** Keeps the search parameters that the page understands and drops the rest. */
export function parseBillingsSearch(search: Record<string, unknown>): BillingsSearch {
  const invoice = readText(search["invoice"]);
  const state = STATES.find((known) => known === search["state"]);
  const cursor = readText(search["cursor"]);
  return {
    ...(invoice === undefined ? {} : { invoice }),
    ...parseOpenLine(search),
    ...(state === undefined ? {} : { state }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** Without a line there is nothing to narrow. */
function parseOpenLine(
  search: Record<string, unknown>,
): Pick<BillingsSearch, "line" | "by" | "key" | "day"> {
  const line = Number(search["line"]);
  if (!(Number.isInteger(line) && line >= 1)) {
    return {};
  }
  const by = PARTS.find((known) => known === search["by"]);
  const key = readText(search["key"]);
  const day = readText(search["day"]);
  return {
    line,
    ...(by === undefined ? {} : { by }),
    ...(key === undefined ? {} : { key }),
    ...(day === undefined || !DAY.test(day) ? {} : { day }),
  };
}

/** The same place with the open line closed. */
export function withoutLine({ line: _, by: __, key: ___, day: ____, ...rest }: BillingsSearch) {
  return rest;
}
