import { type Document, documentId } from "@turnpike/contract/documents";
import type { CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { assertMayUse } from "./assert-may-use.ts";
import { type DocumentRow, findDocumentRow, listDocumentRows } from "./documents.store.ts";
import { toDocumentReply } from "./to-document-reply.ts";

export function isLive(
  row: DocumentRow | undefined,
): row is DocumentRow & { body: Record<string, unknown> } {
  return row !== undefined && row.body !== null;
}

/** @throws {AppError} `RESOURCE_NOT_FOUND` for a document that is missing, deleted or another tenant's. */
export async function getDocument(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: { tenantId: TenantId; collection: string; documentId: string },
): Promise<Document> {
  const { tenantId, collection } = input;
  assertMayUse(context, "documents:read", input);
  const row = await deps.transact.asTenant(tenantId, (tx) => findDocumentRow(tx, tenantId, input));
  if (!isLive(row)) {
    throw resourceNotFound("document");
  }
  return toDocumentReply(tenantId, collection, row);
}

/** Of JSON in one page, and one document more: a hundred of the largest would hold the event loop for 200 ms. */
const PAGE_BYTES_MAX = 512 * 1024;

/**
 * Lists a collection by document id, which is also the cursor; a page of large documents has fewer than `limit`. Empty if the collection does not exist.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` if the tenant does not exist.
 */
export async function listDocuments(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: { tenantId: TenantId; collection: string; cursor?: string | undefined; limit: number },
): Promise<{ items: Document[]; nextCursor: string | null }> {
  const { tenantId, collection, cursor, limit } = input;
  assertMayUse(context, "documents:read", input);
  const afterId = parseCursor(cursor, (text) => documentId.safeParse(text).data);
  const { rows, hasMore } = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const page = { collection, afterId, limit, bytesMax: PAGE_BYTES_MAX };
    return await listDocumentRows(tx, tenantId, page);
  });
  const items = rows.filter(isLive).map((row) => toDocumentReply(tenantId, collection, row));
  return { items, nextCursor: hasMore ? (items.at(-1)?.documentId ?? null) : null };
}
