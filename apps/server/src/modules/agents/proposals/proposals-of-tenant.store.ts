import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The proposals of a deleted tenant. */
export const proposalsOfTenant = {
  /** Needs the operator role. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const rows = await tx`
      delete from proposals where ctid = any(array(
        select ctid from proposals where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    return rows.length;
  },
};
