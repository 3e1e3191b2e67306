import type { Tx } from "@turnpike/db/client";
import {
  type Account,
  type BillingTerms,
  createAccount,
} from "@turnpike/domain/billing/account/account";
import type { CreditNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import type { Invoice } from "@turnpike/domain/billing/invoices/invoice";
import type { Usage } from "@turnpike/domain/billing/lifecycle/record-usage";
import type { Line } from "@turnpike/domain/billing/rating/line";
import type { ClosedStretch } from "@turnpike/domain/billing/rating/stretch";
import { findCurrency } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { fromExactJson } from "#platform/exact-json.ts";
import type { BillingSettings } from "../billing-settings.ts";
import {
  type BillingDetailsRow,
  listBillingDetails,
  NO_DETAILS,
} from "../details/billing-details.store.ts";
import { toCustomer } from "../details/to-customer.ts";
import {
  type DocumentRow,
  type LineRow,
  listLinesOf,
  listLiveInvoices,
  listNotesOf,
  type NoteRow,
} from "../invoices/documents.store.ts";
import { capOf } from "../spend-cap/cap-of.ts";
import { findSpendCap } from "../spend-cap/spend-caps.store.ts";
import { decodeState, listReferences } from "./account-state.ts";
import {
  type AccountKey,
  type AccountRow,
  listBilledPeriods,
  listUsage,
  type PeriodRow,
  type UsageRow,
  type UsageWindow,
} from "./accounts.store.ts";
import { loadPlans, type PlanLibrary } from "./load-plans.ts";
import type { PlanReference } from "./plan-book.ts";

/** An account as the engine sees it, with what it takes to write it back. */
export type LoadedAccount = {
  key: AccountKey;
  /** Undefined for one that is new. */
  row: AccountRow | undefined;
  tenantName: string;
  details: BillingDetailsRow;
  account: Account;
  plans: PlanLibrary;
  /** Ids of `account.invoices`, at the same places. */
  invoiceIds: readonly string[];
  invoiceNumbers: readonly string[];
  /** When `account.invoices` are due, at the same places. */
  invoicesDueMs: readonly number[];
  /** Invoices that were written off: to the engine they are open. */
  uncollectible: ReadonlySet<string>;
  /** Invoices that wait for the next one while no more is due on them than this, which is too little to be charged. */
  carried: ReadonlyMap<string, bigint>;
  /** Up to where usage of `account.closed` is billed, at the same places. */
  billedTo: readonly Date[];
  /** What was used since the account was fed last, in the order of time, by the clock of the environment. */
  usages: readonly Usage[];
  /** Usage recorded up to here is in `usages`. */
  recordedTo: Date;
};

export function keyText({ tenantId, environment }: AccountKey): string {
  return `${tenantId} ${environment}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

function toLine({ document, credited, isReturned }: LineRow): Line {
  return { ...fromExactJson<Line>(document), credited: BigInt(credited), isReturned };
}

function toInvoice(row: DocumentRow, lines: readonly LineRow[]): Invoice {
  return {
    ...fromExactJson<Invoice>(row.document),
    number: row.number,
    lines: lines.map(toLine),
    paid: BigInt(row.paid),
    credited: BigInt(row.credited),
    toBalance: BigInt(row.toBalance),
    isVoid: row.state === "void",
  };
}

function toNote({ document }: NoteRow, invoice: number): CreditNote {
  return { ...fromExactJson<CreditNote>(document), invoice };
}

/** Usage happened later by the clock of a sandbox that is ahead. */
function toUsage({ meterId, minute, quantity }: UsageRow, aheadMs: number): Usage {
  return { meterId, atMs: minute.getTime() + aheadMs, quantity: toScaled(quantity) };
}

function toTerms(
  settings: BillingSettings,
  { code, plans, wanted }: { code: string; plans: PlanLibrary; wanted: readonly PlanReference[] },
): BillingTerms {
  const currency = findCurrency(code);
  if (currency === undefined) {
    throw new Error(`${code} is no currency.`);
  }
  return {
    currency,
    seller: settings.tax,
    catalog: {
      meters: new Map(),
      plans: new Map(wanted.map((reference) => [reference.planId, plans.book.get(reference)])),
    },
    proration: settings.proration,
    dunning: settings.dunning,
  };
}

type Loading = {
  settings: BillingSettings;
  /** Usage recorded up to here is loaded. */
  recordedTo: Date;
  /** Plans that a step may name, beside those that accounts refer to. */
  wanted?: readonly PlanReference[];
  /** Invoices that a step names: one that is old and settled would not be loaded. */
  invoiceIds?: readonly string[];
};

/** Before anything was recorded. */
const NEVER = new Date(0);

/**
 * The usage that an account was not fed yet. While nothing runs usage is not kept: what happened since, whenever it was recorded, is
 * loaded again, for a plan that may begin in the same minute. The clock of a sandbox tells it apart no longer.
 */
function listWindows(row: AccountRow, recordedTo: Date): UsageWindow[] {
  const { tenantId, environment, beginsAt, fedTo, advancedTo, life } = row;
  const key = { tenantId, environment };
  const fresh = { ...key, happenedFrom: beginsAt, recordedAfter: fedTo, recordedTo };
  const rests = environment === "live" && ["paused", "ended", "scheduled"].includes(life);
  return rests
    ? [fresh, { ...key, happenedFrom: advancedTo, recordedAfter: NEVER, recordedTo: fedTo }]
    : [fresh];
}

/** Loads an account that does not exist yet, for its first plan; usage of the minute in which that begins is of it. */
export async function loadNewAccount(
  tx: Tx,
  key: AccountKey,
  {
    settings,
    recordedTo,
    wanted,
    currency,
    tenantName,
    atMs,
  }: Required<Omit<Loading, "invoiceIds">> & {
    currency: string;
    tenantName: string;
    /** When the plan begins. */
    atMs: number;
  },
): Promise<LoadedAccount> {
  const [plans] = await loadPlans(tx, [{ tenantId: key.tenantId, references: wanted }]);
  if (plans === undefined) {
    throw new Error(`No plans were loaded for ${key.tenantId}.`);
  }
  const [details = NO_DETAILS] = await listBillingDetails(tx, [key.tenantId]);
  const account = createAccount(
    toTerms(settings, { code: currency, plans, wanted }),
    toCustomer(details),
  );
  const row = key.environment === "live" ? await findSpendCap(tx, key.tenantId) : undefined;
  // A cap in another currency cannot count.
  const cap = row?.currency === currency ? capOf(row) : undefined;
  const window = { ...key, happenedFrom: new Date(atMs), recordedAfter: NEVER, recordedTo };
  const usage = await listUsage(tx, [window]);
  return {
    key,
    row: undefined,
    tenantName,
    details,
    account: { ...account, cap },
    plans,
    invoiceIds: [],
    invoiceNumbers: [],
    invoicesDueMs: [],
    uncollectible: new Set(),
    carried: new Map(),
    billedTo: [],
    usages: usage.map((each) => toUsage(each, 0)),
    recordedTo,
  };
}

/** Ranges of time that hold usage recorded late, to find the charged stretches that it belongs to. */
function listLateRanges(
  rows: readonly AccountRow[],
  usage: ReadonlyMap<string, readonly UsageRow[]>,
): (AccountKey & { from: Date; to: Date })[] {
  return rows.flatMap((row) => {
    const { tenantId, environment, aheadMs, state, advancedTo } = row;
    const waiting = listReferences(state).late.map(({ fromMs }) => fromMs);
    const happened = (usage.get(keyText(row)) ?? []).map(
      ({ minute }) => minute.getTime() + aheadMs,
    );
    const times = [...waiting, ...happened.filter((ms) => ms < advancedTo.getTime())];
    return times.length === 0
      ? []
      : [
          {
            tenantId,
            environment,
            from: new Date(Math.min(...times)),
            to: new Date(times.reduce((a, b) => Math.max(a, b))),
          },
        ];
  });
}

/**
 * Loads accounts with what the engine looks at: their state, documents, plans, new usage, and the charged stretches that late usage
 * belongs to. A handful of queries, however many there are.
 */
export async function loadAccounts(
  tx: Tx,
  rows: readonly AccountRow[],
  { settings, recordedTo, wanted = [], invoiceIds = [] }: Loading,
): Promise<LoadedAccount[]> {
  if (rows.length === 0) {
    return [];
  }
  const windows = rows.flatMap((row) => listWindows(row, recordedTo));
  const usage = groupBy(await listUsage(tx, windows), keyText);
  const ranges = listLateRanges(rows, usage);
  const periods = groupBy(ranges.length === 0 ? [] : await listBilledPeriods(tx, ranges), keyText);
  const documents = await listLiveInvoices(tx, rows, invoiceIds);
  const ids = documents.map(({ invoiceId }) => invoiceId);
  const lines = groupBy(ids.length === 0 ? [] : await listLinesOf(tx, ids), (row) => row.invoiceId);
  const notes = ids.length === 0 ? [] : await listNotesOf(tx, ids);
  const invoices = groupBy(documents, keyText);
  const libraries = await loadPlans(
    tx,
    rows.map(({ tenantId, state }) => ({
      tenantId,
      references: [...listReferences(state).plans, ...wanted],
    })),
  );
  const found = await listBillingDetails(
    tx,
    rows.map(({ tenantId }) => tenantId),
  );
  const detailsOf = new Map(found.map((details) => [details.tenantId, details]));
  const notesOf = groupBy(notes, ({ invoiceId }) => invoiceId);
  return rows.map((row, index) => {
    const plans = libraries[index];
    if (plans === undefined) {
      throw new Error(`No plans were loaded for ${row.tenantId}.`);
    }
    const key = { tenantId: row.tenantId, environment: row.environment };
    const own = invoices.get(keyText(row)) ?? [];
    const closed = periods.get(keyText(row)) ?? [];
    return toLoaded(row, {
      key,
      plans,
      details: detailsOf.get(row.tenantId) ?? NO_DETAILS,
      own,
      closed,
      lines,
      notesOf,
      usage: usage.get(keyText(row)) ?? [],
      terms: toTerms(settings, { code: row.currency, plans, wanted }),
      recordedTo,
    });
  });
}

function toLoaded(
  row: AccountRow,
  {
    key,
    plans,
    details,
    own,
    closed,
    lines,
    notesOf,
    usage,
    terms,
    recordedTo,
  }: {
    key: AccountKey;
    plans: PlanLibrary;
    details: BillingDetailsRow;
    own: readonly DocumentRow[];
    closed: readonly PeriodRow[];
    lines: ReadonlyMap<string, readonly LineRow[]>;
    notesOf: ReadonlyMap<string, readonly NoteRow[]>;
    usage: readonly UsageRow[];
    terms: BillingTerms;
    recordedTo: Date;
  },
): LoadedAccount {
  const invoiceIds = own.map(({ invoiceId }) => invoiceId);
  const account = decodeState(
    row.state,
    {
      terms,
      customer: toCustomer(details),
      invoiceIds,
      invoices: own.map((document) => toInvoice(document, lines.get(document.invoiceId) ?? [])),
      creditNotes: own.flatMap(({ invoiceId }, index) =>
        (notesOf.get(invoiceId) ?? []).map((note) => toNote(note, index)),
      ),
      closed: closed.map(({ stretch }) => fromExactJson<ClosedStretch>(stretch)),
    },
    plans.book,
  );
  return {
    key,
    row,
    tenantName: row.tenantName,
    details,
    account,
    plans,
    invoiceIds,
    invoiceNumbers: own.map(({ number }) => number),
    invoicesDueMs: own.map(({ dueAt }) => dueAt.getTime()),
    uncollectible: new Set(
      own.filter(({ state }) => state === "uncollectible").map(({ invoiceId }) => invoiceId),
    ),
    carried: new Map(
      own.flatMap(({ invoiceId, carriedUpTo }) =>
        carriedUpTo === null ? [] : [[invoiceId, BigInt(carriedUpTo)] as const],
      ),
    ),
    billedTo: closed.map(({ billedTo }) => billedTo),
    usages: usage.map((each) => toUsage(each, row.aheadMs)),
    // Another change may have fed it up to a later cut-off meanwhile.
    recordedTo: row.fedTo > recordedTo ? row.fedTo : recordedTo,
  };
}
