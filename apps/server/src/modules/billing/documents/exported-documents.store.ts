import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";

export type ExportFilters = {
  environment: Environment;
  tenantId?: TenantId | undefined;
  /** Issued in `[from, to)`. */
  from?: Date | undefined;
  to?: Date | undefined;
};

/** An invoice or a credit note, without what is on it. */
export type ExportedRow = {
  tenantId: TenantId;
  invoiceId: string;
  creditNoteId: string | null;
  number: string;
  issuedAt: Date;
  /** Of the document itself. */
  id: string;
};

type Place = Pick<ExportedRow, "issuedAt" | "id">;

function matching(tx: Tx, { environment, tenantId, from, to }: ExportFilters): Fragment {
  return tx`d.environment = ${environment}
    ${tenantId === undefined ? tx`` : tx`and d.tenant_id = ${tenantId}`}
    ${from === undefined ? tx`` : tx`and d.issued_at >= ${from}`}
    ${to === undefined ? tx`` : tx`and d.issued_at < ${to}`}`;
}

/** Invoices and credit notes of all tenants that match, oldest first, after a place. Needs the operator role. */
export async function listExported(
  tx: Tx,
  filters: ExportFilters,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<ExportedRow[]> {
  return await tx<ExportedRow[]>`
    select "tenantId", "invoiceId", "creditNoteId", number, issued_at as "issuedAt", id
    from (
      select d.tenant_id as "tenantId", d.invoice_id as "invoiceId", null as "creditNoteId", d.number, d.issued_at, d.invoice_id as id
      from invoices d where ${matching(tx, filters)}
      union all
      select d.tenant_id, d.invoice_id, d.credit_note_id, d.number, d.issued_at, d.credit_note_id
      from credit_notes d where ${matching(tx, filters)}
    ) as documents
    ${after === undefined ? tx`` : tx`where (issued_at, id) > (${after.issuedAt}, ${after.id})`}
    order by issued_at, id
    limit ${limit}`;
}

export async function countExported(tx: Tx, filters: ExportFilters): Promise<number> {
  const [{ count }] = await tx<[{ count: number }]>`
    select (select count(*) from invoices d where ${matching(tx, filters)})::int
      + (select count(*) from credit_notes d where ${matching(tx, filters)})::int as count`;
  return count;
}
