import type { Fragment, Tx } from "@turnpike/db/client";
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
    select 'invoice' as kind, i.currency, i.net, i.tax
    from invoices i
    where i.environment = 'live' and i.issued_at >= ${from} and i.issued_at < ${to}
    union all
    select 'credit_note', i.currency, -n.net, -n.tax
    from credit_notes n join invoices i using (invoice_id)
    where n.environment = 'live' and n.issued_at >= ${from} and n.issued_at < ${to}
    union all
    select 'void', i.currency, -i.net, -i.tax
    from invoices i
    where i.environment = 'live' and i.state = 'void' and i.settled_at >= ${from} and i.settled_at < ${to}`;
}

/** The taxes of those documents, one row for each; a document without any has one row without a tax. */
function taxesOf(tx: Tx, { from, to }: Range): Fragment {
  return tx`
    select kind, document_id, invoice_id, tenant_id, number, issued_at as at, currency, seller_country, country, customer_name,
      tax_id, category, rate, name, net, tax
    from document_taxes
    where issued_at >= ${from} and issued_at < ${to}
    union all
    select 'void', t.document_id, t.invoice_id, t.tenant_id, t.number, i.settled_at, t.currency, t.seller_country, t.country,
      t.customer_name, t.tax_id, t.category, t.rate, t.name, -t.net, -t.tax
    from invoices i join document_taxes t on t.tenant_id = i.tenant_id and t.document_id = i.invoice_id
    where i.environment = 'live' and i.state = 'void' and i.settled_at >= ${from} and i.settled_at < ${to}`;
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
      sum(net)::text as net, sum(tax)::text as tax
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
