import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What becomes of the exports of a tenant that is deleted. Needs the operator role. */
export const exportsOfTenant = {
  /** Cancels what waits or runs: its job commits nothing from then on, and ends. */
  async close(tx: Tx, input: { tenantId: TenantId; now: Date }): Promise<void> {
    await tx`
      update exports set state = 'cancelled', finished_at = ${input.now}
      where tenant_id = ${input.tenantId} and state in ('waiting', 'running')`;
  },
  /** What nobody knows any more is swept from the file store. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const parts = await tx`
      delete from export_parts where ctid = any(array(
        select ctid from export_parts where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    if (parts.length > 0) {
      return parts.length;
    }
    const rows = await tx`
      delete from exports where ctid = any(array(
        select ctid from exports where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    return rows.length;
  },
};
