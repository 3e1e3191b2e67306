import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Json } from "#platform/exact-json.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { carriedUpTo } from "../payments/carried.store.ts";

/** An amount in minor units, as text. */
type Minor = string;

export type DocumentRow = AccountKey & {
  invoiceId: string;
  number: string;
  state: "open" | "paid" | "void" | "uncollectible";
  dueAt: Date;
  document: Json;
  paid: Minor;
  credited: Minor;
  toBalance: Minor;
  /** What is too little to be charged by itself; null if that is not known of it. */
  carriedUpTo: Minor | null;
};
export type LineRow = { invoiceId: string; document: Json; credited: Minor; isReturned: boolean };
export type NoteRow = { invoiceId: string; document: Json };

/** How far back an invoice may be that a change looks at, although everything of it is settled. */
const LOOK_BACK = "400 days";

/**
 * Invoices that the engine may still look at, oldest first: recent ones, those that are not settled, those that charged beyond now,
 * and those with coupons, which hold for a number of periods.
 *
 * @param wanted - Ids of others that are listed as well.
 */
export async function listLiveInvoices(
  tx: Tx,
  keys: readonly AccountKey[],
  wanted: readonly string[],
): Promise<DocumentRow[]> {
  return await tx<DocumentRow[]>`
    select i.tenant_id as "tenantId", i.environment, i.invoice_id as "invoiceId", i.number, i.state, i.due_at as "dueAt", i.document, i.paid::text as paid,
      i.credited::text as credited, i.to_balance::text as "toBalance", (${carriedUpTo(tx, "i")})::text as "carriedUpTo"
    from unnest(${keys.map(({ tenantId }) => tenantId)}::text[], ${keys.map(({ environment }) => environment)}::text[])
        as asked (tenant_id, environment)
      join billing_accounts a using (tenant_id, environment)
      join invoices i using (tenant_id, environment)
    where i.closed_at > a.advanced_to - ${LOOK_BACK}::interval or i.state in ('open', 'uncollectible')
      or i.advance_to > a.advanced_to or i.has_coupon or i.invoice_id = any(${[...wanted]}::text[])
    order by i.closed_at, i.issued_at, i.series_number`;
}

/** Open invoices of an account, the first due first. */
export async function listOpenInvoices(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  limit: number,
): Promise<{ number: string; dueAt: Date }[]> {
  return await tx<{ number: string; dueAt: Date }[]>`
    select number, due_at as "dueAt" from invoices
    where tenant_id = ${tenantId} and environment = ${environment} and state = 'open'
    order by due_at
    limit ${limit}`;
}

/** The lines of invoices, in their order. */
export async function listLinesOf(tx: Tx, invoiceIds: readonly string[]): Promise<LineRow[]> {
  return await tx<LineRow[]>`
    select invoice_id as "invoiceId", document, credited::text as credited, is_returned as "isReturned"
    from invoice_lines where invoice_id = any(${[...invoiceIds]}::text[])
    order by invoice_id, line`;
}

/** The credit notes of invoices, oldest first. */
export async function listNotesOf(tx: Tx, invoiceIds: readonly string[]): Promise<NoteRow[]> {
  return await tx<NoteRow[]>`
    select invoice_id as "invoiceId", document
    from credit_notes where invoice_id = any(${[...invoiceIds]}::text[])
    order by issued_at, series_number`;
}

/**
 * Takes numbers of a series. The row stays locked until the end of the transaction, which gives the numbers back when it fails: so
 * take them last.
 *
 * @returns The first number, and the instant of issue: not before that of an earlier number.
 * @throws {AppError} `CONFLICT` for a series of another cell, whose documents came with their tenants.
 */
export async function takeNumbers(
  tx: Tx,
  { series, count, now }: { series: string; count: number; now: Date },
): Promise<{ first: number; issuedAt: Date }> {
  const [row] = await tx<{ first: number; issuedAt: Date }[]>`
    insert into document_series as s (series, next, last_issued_at) values (${series}, 1 + ${count}::int, ${now})
    on conflict (series) do update
      set next = s.next + ${count}::int, last_issued_at = greatest(s.last_issued_at, excluded.last_issued_at)
      where not s.is_foreign
    returning (next - ${count}::int)::float8 as first, last_issued_at as "issuedAt"`;
  if (row === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `Another cell numbers documents in the series ${series}. Give this one other values of billing.invoicePrefix and creditNotePrefix.`,
    });
  }
  return row;
}

/** External ids of those of the tenants whose begin with a prefix, by tenant. */
export async function listExternalIds(
  tx: Tx,
  { tenantIds, prefix }: { tenantIds: readonly TenantId[]; prefix: string },
): Promise<Map<TenantId, string>> {
  const rows = await tx<{ tenantId: TenantId; externalId: string }[]>`
    select tenant_id as "tenantId", external_id as "externalId" from tenants
    where tenant_id = any(${[...new Set(tenantIds)]}::text[]) and starts_with(external_id, ${prefix})`;
  return new Map(rows.map(({ tenantId, externalId }) => [tenantId, externalId]));
}

export type InvoiceWrite = AccountKey & {
  invoiceId: string;
  series: string;
  seriesNumber: number;
  number: string;
  state: "open" | "paid";
  currency: string;
  issuedAt: string;
  closedAt: string;
  dueAt: string;
  cutOffAt: string;
  coversFrom: string | null;
  coversTo: string | null;
  advanceTo: string | null;
  hasCoupon: boolean;
  seller: Json;
  customer: Json;
  net: Minor;
  tax: Minor;
  total: Minor;
  /** What it charges for usage, before tax. */
  usage: Minor;
  fromBalance: Minor;
  prepaid: Minor;
  /** What was credited by the change that issues it: time had to pass before the change. */
  credited: Minor;
  /** What of that went to the balance. */
  toBalance: Minor;
  document: Json;
  accountingTax: Json;
};

/** Writes the taxes of documents of the environment `live` as rows of their own, for reports. */
export async function insertTaxes(tx: Tx, documentIds: readonly string[]): Promise<void> {
  await tx`
    insert into document_taxes select * from taxes_of_documents(${[...documentIds]}::text[])`;
}

export type LineWrite = AccountKey & {
  invoiceId: string;
  line: number;
  kind: string;
  description: string;
  planId: string | null;
  run: number | null;
  card: string | null;
  meterId: string | null;
  from: string | null;
  to: string | null;
  quantity: string | null;
  amount: Minor;
  discount: Minor;
  recordedAfter: string | null;
  recordedTo: string | null;
  document: Json;
  credited: Minor;
  isReturned: boolean;
};

export async function insertInvoices(tx: Tx, rows: readonly InvoiceWrite[]): Promise<void> {
  await tx`
    insert into invoices (invoice_id, tenant_id, environment, series, series_number, number, state, currency, issued_at,
      closed_at, due_at, cut_off_at, covers_from, covers_to, advance_to, has_coupon, seller, customer, net, tax, total, usage,
      from_balance, prepaid, credited, to_balance, document, accounting_tax, settled_at)
    select n."invoiceId", n."tenantId", n.environment, n.series, n."seriesNumber", n.number, n.state, n.currency, n."issuedAt",
      n."closedAt", n."dueAt", n."cutOffAt", n."coversFrom", n."coversTo", n."advanceTo", n."hasCoupon", n.seller, n.customer,
      n.net, n.tax, n.total, n.usage, n."fromBalance", n.prepaid, n.credited, n."toBalance", n.document,
      n."accountingTax", case when n.state = 'paid' then n."issuedAt" end
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("invoiceId" text, "tenantId" text, environment text,
      series text, "seriesNumber" bigint, number text, state text, currency text, "issuedAt" timestamptz, "closedAt" timestamptz,
      "dueAt" timestamptz, "cutOffAt" timestamptz, "coversFrom" timestamptz, "coversTo" timestamptz, "advanceTo" timestamptz,
      "hasCoupon" boolean, seller jsonb, customer jsonb, net numeric, tax numeric, total numeric, usage numeric, "fromBalance" numeric,
      prepaid numeric, credited numeric, "toBalance" numeric, document jsonb,
      "accountingTax" jsonb)`;
}

export async function insertLines(tx: Tx, rows: readonly LineWrite[]): Promise<void> {
  await tx`
    insert into invoice_lines (invoice_id, line, tenant_id, environment, kind, description, plan_id, run, card, meter_id,
      from_at, to_at, quantity, amount, discount, recorded_after, recorded_to, document, credited, is_returned)
    select n."invoiceId", n.line, n."tenantId", n.environment, n.kind, n.description, n."planId", n.run, n.card, n."meterId",
      n."from", n."to", n.quantity, n.amount, n.discount, n."recordedAfter", n."recordedTo", n.document, n.credited, n."isReturned"
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("invoiceId" text, line int, "tenantId" text, environment text,
      kind text, description text, "planId" text, run int, card text, "meterId" text, "from" timestamptz, "to" timestamptz,
      quantity numeric, amount numeric, discount numeric, "recordedAfter" timestamptz, "recordedTo" timestamptz,
      document jsonb, credited numeric, "isReturned" boolean)`;
}

export type NoteWrite = AccountKey & {
  creditNoteId: string;
  invoiceId: string;
  series: string;
  seriesNumber: number;
  number: string;
  issuedAt: string;
  reason: string;
  net: Minor;
  tax: Minor;
  total: Minor;
  toDue: Minor;
  toBalance: Minor;
  document: Json;
  accountingTax: Json;
};

export async function insertNotes(tx: Tx, rows: readonly NoteWrite[]): Promise<void> {
  await tx`
    insert into credit_notes (credit_note_id, tenant_id, environment, invoice_id, series, series_number, number, issued_at,
      reason, net, tax, total, to_due, to_balance, document, accounting_tax)
    select n."creditNoteId", n."tenantId", n.environment, n."invoiceId", n.series, n."seriesNumber", n.number, n."issuedAt",
      n.reason, n.net, n.tax, n.total, n."toDue", n."toBalance", n.document, n."accountingTax"
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("creditNoteId" text, "tenantId" text, environment text,
      "invoiceId" text, series text, "seriesNumber" bigint, number text, "issuedAt" timestamptz, reason text, net numeric,
      tax numeric, total numeric, "toDue" numeric, "toBalance" numeric, document jsonb, "accountingTax" jsonb)`;
}

/** How the tax of invoices is stated in the seller's currency, with the tax that their credit notes have taken back so far. */
export async function listAccountingTaxes(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<{ invoiceId: string; currency: string; accountingTax: Json; credited: Minor }[]> {
  return await tx`
    select i.invoice_id as "invoiceId", i.currency, i.accounting_tax as "accountingTax",
      coalesce((select sum(n.tax) from credit_notes n where n.invoice_id = i.invoice_id), 0)::text as credited
    from invoices i
    where i.invoice_id = any(${[...invoiceIds]}::text[]) and i.accounting_tax is not null`;
}

/** What happened to an issued invoice. */
export type InvoiceChange = {
  invoiceId: string;
  state: "open" | "paid" | "void" | "uncollectible";
  paid: Minor;
  credited: Minor;
  toBalance: Minor;
  settledAt: string | null;
};

export type LineChange = { invoiceId: string; line: number; credited: Minor; isReturned: boolean };

export async function updateInvoices(tx: Tx, rows: readonly InvoiceChange[]): Promise<void> {
  await tx`
    update invoices i
    set state = n.state, paid = n.paid, credited = n.credited, to_balance = n."toBalance",
      settled_at = case when i.state = n.state then coalesce(i.settled_at, n."settledAt") else n."settledAt" end
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("invoiceId" text, state text, paid numeric, credited numeric,
      "toBalance" numeric, "settledAt" timestamptz)
    where i.invoice_id = n."invoiceId"`;
}

export async function updateLines(tx: Tx, rows: readonly LineChange[]): Promise<void> {
  await tx`
    update invoice_lines l
    set credited = n.credited, is_returned = n."isReturned"
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("invoiceId" text, line int, credited numeric,
      "isReturned" boolean)
    where l.invoice_id = n."invoiceId" and l.line = n.line`;
}

/** Writes an open invoice off. @returns False when it is not open. */
export async function writeOff(
  tx: Tx,
  { invoiceId, now }: { invoiceId: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update invoices set state = 'uncollectible', settled_at = ${now}
    where invoice_id = ${invoiceId} and state = 'open'
    returning 1`;
  return rows.length > 0;
}
