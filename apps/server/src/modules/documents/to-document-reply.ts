import type { Document, DocumentChange } from "@turnpike/contract/documents";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { DocumentRow } from "./documents.store.ts";

export function toDocumentReply(
  tenantId: TenantId,
  collection: string,
  row: DocumentRow & { body: Record<string, unknown> },
): Document {
  return {
    tenantId,
    collection,
    documentId: row.document_id,
    revision: String(row.revision),
    body: row.body,
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
  };
}

export function toDocumentChange(row: DocumentRow): DocumentChange {
  return {
    documentId: row.document_id,
    revision: String(row.revision),
    body: row.body,
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
  };
}
