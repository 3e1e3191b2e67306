import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What becomes of the documents of a tenant that is deleted. Needs the operator role. */
export const documentsOfTenant = {
  /** Without a trace: nobody reads on from a revision of theirs. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const rows = await tx`
      delete from documents where ctid = any(array(
        select ctid from documents where tenant_id = ${input.tenantId} limit ${input.limit}))
      returning 1`;
    return rows.length;
  },
};
