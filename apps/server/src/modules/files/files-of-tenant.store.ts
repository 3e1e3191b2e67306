import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The files of a deleted tenant. Needs the operator role. */
export const filesOfTenant = {
  /** Deletes the rows. The sweep deletes their bytes from the file store. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const rows = await tx`
      delete from files where ctid = any(array(
        select ctid from files where tenant_id = ${input.tenantId} limit ${input.limit}))
      returning 1`;
    return rows.length;
  },
};
