import type { Fragment, Tx } from "@turnpike/db/client";
import { UNKNOWN_COUNTRY, UNTAXED } from "@turnpike/domain/billing/tax/tax-scheme";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** An amount in minor units, as text. */
type Minor = string;
type Range = { from: Date; to: Date };

export type TaxKindOfDocument = "invoice" | "credit_note" | "void";

/**
 * Live documents of a period by their dates: invoices, credit notes below zero, and invoices that were voided in it, below zero too, so
 * that the period in which they were issued stays as it was.
 */
function documentsOf(tx: Tx, { from, to }: Range): Fragment {
  return tx`
    select 'invoice' as kind, i.invoice_id as document_id, i.invoice_id, i.tenant_id, i.number, i.issued_at as at, i.currency,
      i.seller, i.customer, 1 as sign, i.net, i.tax, i.document
    from invoices i
    where i.environment = 'live' and i.issued_at >= ${from} and i.issued_at < ${to}
    union all
    select 'credit_note', n.credit_note_id, n.invoice_id, n.tenant_id, n.number, n.issued_at, i.currency,
      i.seller, i.customer, -1, n.net, n.tax, n.document
    from credit_notes n join invoices i using (invoice_id)
    where n.environment = 'live' and n.issued_at >= ${from} and n.issued_at < ${to}
    union all
    select 'void', i.invoice_id, i.invoice_id, i.tenant_id, i.number, i.settled_at, i.currency,
      i.seller, i.customer, -1, i.net, i.tax, i.document
    from invoices i
    where i.environment = 'live' and i.state = 'void' and i.settled_at >= ${from} and i.settled_at < ${to}`;
}

/** The taxes of those documents, one row for each; a document without any has one row without a tax. */
function taxesOf(tx: Tx, range: Range): Fragment {
  return tx`
    select d.kind, d.document_id, d.invoice_id, d.tenant_id, d.number, d.at, d.currency,
      coalesce(d.seller ->> 'country', ${UNKNOWN_COUNTRY}) as seller_country,
      coalesce(d.customer ->> 'country', d.seller ->> 'country', ${UNKNOWN_COUNTRY}) as country,
      d.customer ->> 'name' as customer_name, d.customer ->> 'taxId' as tax_id,
      coalesce(x.tax ->> 'category', ${UNTAXED}) as category,
      coalesce((x.tax -> 'rate' ->> '#')::numeric, 0) as rate, x.tax ->> 'name' as name,
      d.sign * coalesce((x.tax -> 'base' ->> '#')::numeric, d.net) as net,
      d.sign * coalesce((x.tax -> 'amount' ->> '#')::numeric, 0) as tax
    from (${documentsOf(tx, range)}) d
      left join lateral jsonb_array_elements(d.document -> 'taxes') as x (tax) on true`;
}

export type TaxCellRow = {
  currency: string;
  sellerCountry: string;
  country: string;
  category: string;
  /** Per cent, scaled by 10^12. */
  rate: string;
  name: string | null;
  documents: number;
  net: Minor;
  tax: Minor;
};

/** Sums taxes by currency, country, category and rate. Needs the operator role. */
export async function sumTaxes(tx: Tx, range: Range): Promise<TaxCellRow[]> {
  return await tx<TaxCellRow[]>`
    select currency, seller_country as "sellerCountry", country, category, rate::text as rate, name, count(*)::int as documents,
      sum(net)::text as net, sum(tax)::text as tax
    from (${taxesOf(tx, range)}) t
    group by currency, seller_country, country, category, t.rate, name
    order by currency, country, category, t.rate desc, name`;
}

export type TaxTotalRow = {
  currency: string;
  invoices: number;
  creditNotes: number;
  voided: number;
  net: Minor;
  tax: Minor;
};

/** Sums of the documents themselves, by currency. */
export async function sumDocuments(tx: Tx, range: Range): Promise<TaxTotalRow[]> {
  return await tx<TaxTotalRow[]>`
    select currency, count(*) filter (where kind = 'invoice')::int as invoices,
      count(*) filter (where kind = 'credit_note')::int as "creditNotes", count(*) filter (where kind = 'void')::int as voided,
      sum(sign * net)::text as net, sum(sign * tax)::text as tax
    from (${documentsOf(tx, range)}) d
    group by currency
    order by currency`;
}

export type EcSaleRow = {
  currency: string;
  country: string;
  taxId: string;
  name: string;
  net: Minor;
};

/** What was sold by reverse charge to each tax id. */
export async function sumEcSales(tx: Tx, range: Range): Promise<EcSaleRow[]> {
  return await tx<EcSaleRow[]>`
    select currency, country, coalesce(tax_id, '') as "taxId", (array_agg(customer_name order by at desc))[1] as name,
      sum(net)::text as net
    from (${taxesOf(tx, range)}) t
    where category = 'AE'
    group by currency, country, tax_id
    order by currency, country, tax_id`;
}

/** When the first live invoice was issued. */
export async function findFirstIssue(tx: Tx): Promise<Date | undefined> {
  const [row] = await tx<{ at: Date }[]>`
    select issued_at as at from invoices where environment = 'live' order by issued_at limit 1`;
  return row?.at;
}

export type TaxDocumentRow = {
  kind: TaxKindOfDocument;
  documentId: string;
  invoiceId: string;
  tenantId: TenantId;
  number: string;
  at: Date;
  currency: string;
  sellerCountry: string;
  country: string;
  category: string;
  rate: string;
  name: string | null;
  customerName: string;
  taxId: string | null;
  net: Minor;
  tax: Minor;
};

/** Of which cell documents are listed. */
export type TaxCellFilter = {
  currency: string;
  sellerCountry: string | undefined;
  country: string;
  category: string;
  /** Per cent, scaled by 10^12. */
  rate: bigint;
  /** Undefined for a tax without a name. */
  name: string | undefined;
};

/** A place in the list. Of a document with several taxes all rows are on one page. */
export type TaxPlace = { at: Date; documentId: string; kind: TaxKindOfDocument };

/**
 * Lists documents of a period with their taxes, oldest first.
 *
 * @param input.limit - Documents, each of which may have several taxes.
 */
export async function listTaxRows(
  tx: Tx,
  {
    cell,
    after,
    limit,
    ...range
  }: Range & { cell: TaxCellFilter | undefined; after: TaxPlace | undefined; limit: number },
): Promise<TaxDocumentRow[]> {
  const ofCell =
    cell === undefined
      ? tx`true`
      : tx`currency = ${cell.currency} and country = ${cell.country} and category = ${cell.category}
          and rate = ${cell.rate.toString()}::numeric
          ${cell.sellerCountry === undefined ? tx`` : tx`and seller_country = ${cell.sellerCountry}`}
          and name is not distinct from ${cell.name ?? null}`;
  return await tx<TaxDocumentRow[]>`
    select kind, document_id as "documentId", invoice_id as "invoiceId", tenant_id as "tenantId", number, at, currency,
      seller_country as "sellerCountry", country, category, rate::text as rate, name, customer_name as "customerName",
      tax_id as "taxId", net::text as net, tax::text as tax
    from (
      select *, dense_rank() over (order by at, document_id, kind) as place from (${taxesOf(tx, range)}) t
      where ${ofCell}
        ${after === undefined ? tx`` : tx`and (at, document_id, kind) > (${after.at}, ${after.documentId}, ${after.kind})`}
    ) t
    where place <= ${limit}
    order by at, document_id, kind, rate desc, name`;
}
