import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Removes the recent calls of a deleted tenant. Needs the operator role. */
export const callsOfTenant = {
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const calls = await tx`
      delete from recent_calls where ctid = any(array(
        select ctid from recent_calls where tenant_id = ${tenantId} limit ${limit}))`;
    if (calls.count > 0) {
      return calls.count;
    }
    const omitted = await tx`
      delete from omitted_calls where ctid = any(array(
        select ctid from omitted_calls where tenant_id = ${tenantId} limit ${limit}))`;
    return omitted.count;
  },
};
