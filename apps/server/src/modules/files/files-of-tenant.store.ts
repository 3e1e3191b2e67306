import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What becomes of the files of a tenant that is deleted. Needs the operator role. */
export const filesOfTenant = {
  /** What nobody knows any more is swept from the file store. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const rows = await tx`
      delete from files where ctid = any(array(
        select ctid from files where tenant_id = ${input.tenantId} limit ${input.limit}))
      returning 1`;
    return rows.length;
  },
};
