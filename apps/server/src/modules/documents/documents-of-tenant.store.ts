import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The documents of a deleted tenant. Needs the operator role. */
export const documentsOfTenant = {
  /** Deletes without tombstones: no reader continues from a revision of theirs. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const rows = await tx`
      delete from documents where ctid = any(array(
        select ctid from documents where tenant_id = ${input.tenantId} limit ${input.limit}))
      returning 1`;
    return rows.length;
  },
};
