import type { Tx } from "@turnpike/db/client";
import { ownSuffix, PRIVATE_PREFIX } from "@turnpike/domain/documents/own-collection";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

/** The documents that only one person may see. Needs the operator role. */
export const documentsOfPerson = {
  kind: "documents",
  async list(
    tx: Tx,
    { userId, tenantIds, limit }: { userId: UserId; tenantIds: readonly TenantId[]; limit: number },
  ): Promise<Record<string, unknown>[]> {
    return await tx`
      select tenant_id as "tenantId", collection, document_id as "documentId", body, updated_at as "updatedAt"
      from documents
      where tenant_id = any(${[...tenantIds]}::text[]) and body is not null
        and starts_with(collection, ${PRIVATE_PREFIX}) and right(collection, ${ownSuffix(userId).length}) = ${ownSuffix(userId)}
      order by revision desc
      limit ${limit}`;
  },
  /** Deletes without tombstones: no one else reads them. */
  async forget(
    tx: Tx,
    { userId, tenantIds }: { userId: UserId; tenantIds: readonly TenantId[] },
  ): Promise<void> {
    await tx`
      delete from documents
      where tenant_id = any(${[...tenantIds]}::text[])
        and starts_with(collection, ${PRIVATE_PREFIX}) and right(collection, ${ownSuffix(userId).length}) = ${ownSuffix(userId)}`;
  },
};
