import type { InvoiceSummary } from "#platform/billing-queries.ts";
import {
  type BillingsSearch,
  INVOICE_STATES,
  parseBillingsSearch,
} from "../billings-search.view-model.ts";

import { parseReportsSearch, type ReportsSearch } from "./reports/reports-search.view-model.ts";

/** What an invoice is filtered by: its state, or that it is overdue. */
export type StateFilter = InvoiceSummary["state"] | "overdue";
export const STATE_FILTERS: readonly StateFilter[] = [
  "open",
  "overdue",
  "paid",
  "void",
  "uncollectible",
];

/** The filters of the list of all invoices. */
export type InvoiceFilters = {
  status?: StateFilter;
  /** ISO 4217. */
  currency?: string;
  /** Part of a number or of a tenant's name. */
  q?: string;
  /** The first and the last day of issue, UTC. */
  from?: string;
  to?: string;
};

/** The search parameters of `/billings` for an operator who looks at all tenants. */
export type AllInvoicesSearch = InvoiceFilters &
  BillingsSearch &
  ReportsSearch & {
    view?: "all";
    /** The tenant of the open invoice; without an invoice, the tenant whose billing is open as a whole. */
    owner?: string;
    /** Lines of bank statements that are decided; left out for those that wait. */
    lines?: (typeof DECIDED_LINES)[number];
  };

/** Everything that the address of `/billings` may say. */
export type BillingsAddress = AllInvoicesSearch;

const DECIDED_LINES = ["ignored", "matched"] as const;

const TEXT_LENGTH_MAX = 100;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CURRENCY = /^[A-Z]{3}$/;

/** The router parses `q=404` as a number. */
function readText(value: unknown, pattern?: RegExp): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" &&
    text !== "" &&
    text.length <= TEXT_LENGTH_MAX &&
    pattern?.test(text) !== false
    ? text
    : undefined;
}

function parseFilters(search: Record<string, unknown>): InvoiceFilters {
  const status = STATE_FILTERS.find((known) => known === search["status"]);
  const currency = readText(search["currency"], CURRENCY);
  const q = readText(search["q"]);
  const from = readText(search["from"], DAY);
  const to = readText(search["to"], DAY);
  return {
    ...(status === undefined ? {} : { status }),
    ...(currency === undefined ? {} : { currency }),
    ...(q === undefined ? {} : { q }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

/** Keeps the search parameters of `/billings` that are understood, of a tenant's own page or of all invoices. */
export function parseBillingsAddress(search: Record<string, unknown>): BillingsAddress {
  const own = parseBillingsSearch(search);
  if (search["view"] !== "all") {
    return own;
  }
  // The list of one tenant has its own filter, by state; that of all tenants has the filters below.
  const { state, ...rest } = own;
  const owner = readText(search["owner"]);
  const lines = DECIDED_LINES.find((known) => known === search["lines"]);
  return {
    ...rest,
    view: "all",
    ...parseFilters(search),
    ...parseReportsSearch(search),
    ...(lines === undefined ? {} : { lines }),
    ...(owner === undefined ? {} : { owner, ...(state === undefined ? {} : { state }) }),
  };
}

/** The filters of an address, without what is open and which page is shown. */
export function toFilters(search: AllInvoicesSearch): InvoiceFilters {
  const { status, currency, q, from, to } = search;
  return {
    ...(status === undefined ? {} : { status }),
    ...(currency === undefined ? {} : { currency }),
    ...(q === undefined ? {} : { q }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

/** The same invoice with no line open. */
export function closeLine(search: AllInvoicesSearch): AllInvoicesSearch {
  const { line, by, key, day, ...rest } = search;
  return rest;
}

/** The page of the list from which an invoice was opened. */
export function toListAddress(search: AllInvoicesSearch): AllInvoicesSearch {
  const { invoice, owner, state, ...rest } = closeLine(search);
  return rest;
}

export function hasFilters(search: AllInvoicesSearch): boolean {
  return Object.keys(toFilters(search)).length > 0;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The filters as the API takes them: instants, half-open, so that the last day is in it. */
export function toInvoiceQuery({ status, currency, q, from, to }: InvoiceFilters) {
  const state = INVOICE_STATES.find((known) => known === status);
  return {
    ...(state === undefined ? {} : { state }),
    ...(status === "overdue" ? { isOverdue: "true" as const } : {}),
    ...(currency === undefined ? {} : { currency }),
    ...(q === undefined ? {} : { search: q }),
    ...(from === undefined ? {} : { from: `${from}T00:00:00.000Z` }),
    ...(to === undefined
      ? {}
      : { to: new Date(Date.parse(`${to}T00:00:00.000Z`) + DAY_MS).toISOString() }),
  };
}
