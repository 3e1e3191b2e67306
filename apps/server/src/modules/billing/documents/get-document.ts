import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { type DocumentKey, readStoredDocument, type StoredDocument } from "./stored-document.ts";

/**
 * Gets an invoice or one of its credit notes, as it was issued.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant, invoice, credit note), `INSUFFICIENT_SCOPE`.
 */
export async function getDocument(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  key: DocumentKey,
): Promise<StoredDocument> {
  assertMayInTenant(context.actor, "billing:read", key.tenantId);
  return await deps.transact.asTenant(key.tenantId, async (tx) => {
    await assertTenantExists(tx, key.tenantId);
    return await readStoredDocument(tx, key);
  });
}
