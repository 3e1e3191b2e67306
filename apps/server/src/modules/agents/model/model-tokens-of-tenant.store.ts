import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What a language model read and wrote for a deleted tenant. */
export const modelTokensOfTenant = {
  /** Needs the operator role. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const rows = await tx`
      delete from model_tokens where ctid = any(array(
        select ctid from model_tokens where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    return rows.length;
  },
};
