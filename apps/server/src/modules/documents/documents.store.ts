import type { JsonValue, Tx } from "@turnpike/db/client";
import { PRIVATE_PREFIX } from "@turnpike/domain/documents/own-collection";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type DocumentRow = {
  document_id: string;
  revision: bigint;
  /** Null for a deleted document. */
  body: Record<string, unknown> | null;
  updated_at: Date;
  updated_by: string;
};

const COLUMNS = ["document_id", "revision", "body", "updated_at", "updated_by"] as const;

/** Including deleted ones. */
export async function findDocumentRow(
  tx: Tx,
  tenantId: TenantId,
  at: { collection: string; documentId: string },
): Promise<DocumentRow | undefined> {
  const [row] = await tx<DocumentRow[]>`
    select ${tx(COLUMNS)} from documents
    where tenant_id = ${tenantId} and collection = ${at.collection} and document_id = ${at.documentId}`;
  return row;
}

/** Selects the documents that members share, or one actor's own. */
export type DocumentsScope = { kind: "shared" } | { kind: "own"; suffix: string };

/** Bytes of the documents of a tenant as they are stored, all collections together. Reads no body: each knows its size. */
export async function sumDocumentBytes(tx: Tx, tenantId: TenantId): Promise<number> {
  const [row] = await tx<{ bytes: number }[]>`
    select coalesce(sum(pg_column_size(body)), 0)::float8 as bytes from documents where tenant_id = ${tenantId}`;
  return row?.bytes ?? 0;
}

/** Counts documents, and separately those including recently deleted ones. */
export async function countDocuments(
  tx: Tx,
  tenantId: TenantId,
  scope: DocumentsScope,
): Promise<{ live: number; all: number }> {
  const isIn =
    scope.kind === "shared"
      ? tx`not starts_with(collection, ${PRIVATE_PREFIX})`
      : tx`starts_with(collection, ${PRIVATE_PREFIX}) and right(collection, ${scope.suffix.length}) = ${scope.suffix}`;
  const [row] = await tx<{ live: number; all: number }[]>`
    select count(*) filter (where body is not null)::int as live, count(*)::int as all
    from documents where tenant_id = ${tenantId} and ${isIn}`;
  return row ?? { live: 0, all: 0 };
}

/**
 * Writes a document and publishes the change, in one statement: from then on all other changes wait for the commit, so it must
 * be the last one of the transaction.
 *
 * @returns The revision of the change.
 */
export async function upsertDocument(
  tx: Tx,
  tenantId: TenantId,
  row: { collection: string } & Omit<DocumentRow, "revision">,
): Promise<bigint> {
  // The bodies come from JSON, which the driver cannot know.
  const body = row.body === null ? null : tx.json(row.body as JsonValue);
  const [written] = await tx<{ revision: bigint }[]>`
    with change as materialized (
      select record_change_now('document', ${tenantId}, ${`${row.collection}/${row.document_id}`}) as revision
    )
    insert into documents (tenant_id, collection, document_id, revision, body, updated_at, updated_by)
    select ${tenantId}, ${row.collection}, ${row.document_id}, revision, ${body}::jsonb, ${row.updated_at}::timestamptz,
      ${row.updated_by}
    from change
    on conflict (tenant_id, collection, document_id) do update
    set revision = excluded.revision, body = excluded.body, updated_at = excluded.updated_at,
      updated_by = excluded.updated_by
    returning revision`;
  if (written === undefined) {
    throw new Error("The document was not written.");
  }
  return written.revision;
}

/**
 * Live documents by id, at most `limit`, and no further one once there are `bytesMax` of JSON.
 */
export async function listDocumentRows(
  tx: Tx,
  tenantId: TenantId,
  page: { collection: string; afterId: string | undefined; limit: number; bytesMax: number },
): Promise<{ rows: DocumentRow[]; hasMore: boolean }> {
  const rows = await tx<(DocumentRow & { found: number })[]>`
    with page as (
      select ${tx(COLUMNS)} from documents
      where tenant_id = ${tenantId} and collection = ${page.collection} and body is not null
        and (${page.afterId ?? null}::text is null or document_id > ${page.afterId ?? null})
      order by document_id
      limit ${page.limit + 1}
    ), sized as (
      select *, octet_length(body::text) as bytes from page
    ), summed as (
      select *, sum(bytes) over (order by document_id) - bytes as bytes_before from sized
    )
    select ${tx(COLUMNS)}, (select count(*)::int from page) as found
    from summed
    where bytes_before < ${page.bytesMax}
    order by document_id
    limit ${page.limit}`;
  return { rows, hasMore: (rows[0]?.found ?? 0) > rows.length };
}

/** Documents changed after a revision, including deleted ones, in the order of their last changes. */
export async function listDocumentChanges(
  tx: Tx,
  tenantId: TenantId,
  page: { collection: string; after: bigint; limit: number },
): Promise<DocumentRow[]> {
  return await tx<DocumentRow[]>`
    select ${tx(COLUMNS)} from documents
    where tenant_id = ${tenantId} and collection = ${page.collection} and revision > ${page.after}
    order by revision
    limit ${page.limit}`;
}

/** Deletions up to this revision may have been pruned. */
export async function readPrunedDocumentRevision(tx: Tx): Promise<bigint> {
  const [row] = await tx<{ revision: bigint }[]>`
    select revision from pruned_revisions where source = 'documents'`;
  return row?.revision ?? 0n;
}

/** Prunes deletions of all tenants from before a time. Needs the operator role. @returns How many. */
export async function deleteTombstonesBefore(tx: Tx, before: Date): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    with deleted as (
      delete from documents where body is null and updated_at < ${before} returning revision
    ), noted as (
      update pruned_revisions
      set revision = greatest(pruned_revisions.revision, (select max(revision) from deleted))
      where source = 'documents' and exists (select 1 from deleted)
    )
    select count(*)::int as count from deleted`;
  return row?.count ?? 0;
}
