import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { Json } from "#platform/exact-json.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { Party } from "../billing-settings.ts";

export type InvoiceState = "open" | "paid" | "void" | "uncollectible";

/** An invoice as lists show it. Amounts are minor units, as text. */
export type SummaryRow = AccountKey & {
  invoiceId: string;
  tenantName: string;
  number: string;
  state: InvoiceState;
  currency: string;
  issuedAt: Date;
  dueAt: Date;
  from: Date | null;
  to: Date | null;
  net: string;
  total: string;
  paid: string;
  credited: string;
  due: string;
};

export type InvoiceRow = SummaryRow & {
  fromBalance: string;
  prepaid: string;
  toBalance: string;
  cutOffAt: Date;
  seller: Party;
  customer: Party;
  document: Json;
  accountingTax: Json;
  /** Coupons of the account, which discounts refer to by their place. */
  coupons: Json;
  /** How far the clock of the environment is ahead. */
  aheadMs: number;
};

/** What is left to pay, as the engine has it. */
export function dueOf(tx: Tx): Fragment {
  return tx`case when i.state = 'void' then 0
    else greatest(i.total - i.from_balance - i.prepaid - i.paid - i.credited + i.to_balance, 0) end`;
}

/** A deleted tenant has the name that is on the document. */
function summaryColumns(tx: Tx): Fragment {
  return tx`i.invoice_id as "invoiceId", i.tenant_id as "tenantId", i.environment,
    coalesce(t.name, i.customer ->> 'name') as "tenantName", i.number, i.state, i.currency, i.issued_at as "issuedAt",
    i.due_at as "dueAt", i.covers_from as "from", i.covers_to as "to", i.net::text as net, i.total::text as total,
    i.paid::text as paid, i.credited::text as credited, (${dueOf(tx)})::text as due`;
}

/** Invoices of an account, newest first, after a place in the list. */
export async function listInvoiceRows(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  {
    state,
    beforeId,
    limit,
  }: { state: InvoiceState | undefined; beforeId: string | undefined; limit: number },
): Promise<SummaryRow[]> {
  return await tx<SummaryRow[]>`
    select ${summaryColumns(tx)}
    from invoices i left join tenants t using (tenant_id)
    where i.tenant_id = ${tenantId} and i.environment = ${environment}
      ${state === undefined ? tx`` : tx`and i.state = ${state}`}
      ${beforeId === undefined ? tx`` : tx`and i.invoice_id < ${beforeId}`}
    order by i.invoice_id desc
    limit ${limit}`;
}

/** Invoices by their ids, in no order. */
export async function listSummaries(tx: Tx, invoiceIds: readonly string[]): Promise<SummaryRow[]> {
  return await tx<SummaryRow[]>`
    select ${summaryColumns(tx)}
    from invoices i left join tenants t using (tenant_id)
    where i.invoice_id = any(${[...invoiceIds]}::text[])`;
}

/** @param tenantId - Whose invoice it must be; undefined for that of any tenant. */
export async function findInvoiceRow(
  tx: Tx,
  { invoiceId, tenantId }: { invoiceId: string; tenantId?: TenantId },
): Promise<InvoiceRow | undefined> {
  const [row] = await tx<InvoiceRow[]>`
    select ${summaryColumns(tx)}, i.from_balance::text as "fromBalance", i.prepaid::text as prepaid, i.to_balance::text as "toBalance",
      i.cut_off_at as "cutOffAt", i.seller, i.customer, i.document, i.accounting_tax as "accountingTax",
      coalesce(a.state -> 'coupons', '[]') as coupons,
      coalesce(a.ahead_ms, 0)::float8 as "aheadMs"
    from invoices i left join tenants t using (tenant_id) left join billing_accounts a using (tenant_id, environment)
    where i.invoice_id = ${invoiceId} ${tenantId === undefined ? tx`` : tx`and i.tenant_id = ${tenantId}`}`;
  return row;
}

/** A line with what it is called. */
export type StoredLineRow = {
  line: number;
  description: string;
  meterId: string | null;
  /** Name of one unit; null when the meter is gone. */
  unit: string | null;
  document: Json;
  credited: string;
};

/** The lines of an invoice in their order. */
export async function listInvoiceLines(tx: Tx, invoiceId: string): Promise<StoredLineRow[]> {
  return await tx<StoredLineRow[]>`
    select l.line, l.description, l.meter_id as "meterId", m.unit, l.document, l.credited::text as credited
    from invoice_lines l left join meters m using (meter_id)
    where l.invoice_id = ${invoiceId}
    order by l.line`;
}

export type CreditNoteRow = {
  creditNoteId: string;
  invoiceId: string;
  invoiceNumber: string;
  number: string;
  currency: string;
  issuedAt: Date;
  reason: string;
  net: string;
  total: string;
  toDue: string;
  toBalance: string;
  document: Json;
  accountingTax: Json;
};

/** The credit notes of invoices, oldest first. */
export async function listCreditNotes(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<CreditNoteRow[]> {
  return await tx<CreditNoteRow[]>`
    select n.credit_note_id as "creditNoteId", n.invoice_id as "invoiceId", i.number as "invoiceNumber", n.number, i.currency,
      n.issued_at as "issuedAt", n.reason, n.net::text as net, n.total::text as total, n.to_due::text as "toDue",
      n.to_balance::text as "toBalance", n.document, n.accounting_tax as "accountingTax"
    from credit_notes n join invoices i using (invoice_id)
    where n.invoice_id = any(${[...invoiceIds]}::text[])
    order by n.issued_at, n.series_number`;
}

/** What lines of invoices are called: by invoice, then by number. */
export async function listDescriptions(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<Map<string, Map<number, string>>> {
  const rows = await tx<{ invoiceId: string; line: number; description: string }[]>`
    select invoice_id as "invoiceId", line, description
    from invoice_lines where invoice_id = any(${[...invoiceIds]}::text[])`;
  const descriptions = new Map<string, Map<number, string>>();
  for (const { invoiceId, line, description } of rows) {
    const own = descriptions.get(invoiceId) ?? new Map<number, string>();
    descriptions.set(invoiceId, own.set(line, description));
  }
  return descriptions;
}

export type InvoiceFilters = {
  environment: Environment;
  state?: InvoiceState | undefined;
  tenantId?: TenantId | undefined;
  isOverdue?: boolean | undefined;
  currency?: string | undefined;
  /** Part of a number or of a tenant's name. */
  search?: string | undefined;
  /** Issued in `[from, to)`. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** The real time: that of a sandbox is ahead by as much as its clock. */
  now: Date;
};

function matching(tx: Tx, filters: InvoiceFilters): Fragment {
  const { environment, state, tenantId, isOverdue, currency, search, from, to, now } = filters;
  const pattern = search === undefined ? null : `%${search.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  const isPast = tx`(i.state = 'open' and i.due_at < ${now}::timestamptz + coalesce(a.ahead_ms, 0) * interval '1 millisecond')`;
  return tx`
    from invoices i left join tenants t using (tenant_id) left join billing_accounts a using (tenant_id, environment)
    where i.environment = ${environment}
      ${state === undefined ? tx`` : tx`and i.state = ${state}`}
      ${tenantId === undefined ? tx`` : tx`and i.tenant_id = ${tenantId}`}
      ${isOverdue === undefined ? tx`` : tx`and ${isPast} = ${isOverdue}`}
      ${currency === undefined ? tx`` : tx`and i.currency = ${currency}`}
      ${from === undefined ? tx`` : tx`and i.issued_at >= ${from}`}
      ${to === undefined ? tx`` : tx`and i.issued_at < ${to}`}
      ${pattern === null ? tx`` : tx`and (i.number ilike ${pattern} or coalesce(t.name, i.customer ->> 'name') ilike ${pattern})`}`;
}

/** A place in the list of all invoices. */
export type InvoicePlace = { issuedAt: Date; invoiceId: string };

/** Invoices of all tenants that match, newest first, after a place in the list. Needs the operator role. */
export async function listMatching(
  tx: Tx,
  filters: InvoiceFilters,
  { after, limit }: { after: InvoicePlace | undefined; limit: number },
): Promise<SummaryRow[]> {
  return await tx<SummaryRow[]>`
    select ${summaryColumns(tx)} ${matching(tx, filters)}
      ${after === undefined ? tx`` : tx`and (i.issued_at, i.invoice_id) < (${after.issuedAt}, ${after.invoiceId})`}
    order by i.issued_at desc, i.invoice_id desc
    limit ${limit}`;
}

export type SumsRow = { currency: string; count: number; total: string; due: string };

/** The sums of all that match, for each currency. */
export async function sumMatching(tx: Tx, filters: InvoiceFilters): Promise<SumsRow[]> {
  return await tx<SumsRow[]>`
    select i.currency, count(*)::int as count, sum(i.total)::text as total, sum(${dueOf(tx)})::text as due
    ${matching(tx, filters)}
    group by i.currency
    order by i.currency`;
}
