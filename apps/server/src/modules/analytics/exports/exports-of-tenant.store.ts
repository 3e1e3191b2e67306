import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Ends and removes the exports of a deleted tenant. Needs the operator role. */
export const exportsOfTenant = {
  /** Cancels exports that wait or run: their jobs commit nothing more, and end. */
  async close(tx: Tx, input: { tenantId: TenantId; now: Date }): Promise<void> {
    await tx`
      update exports set state = 'cancelled', finished_at = ${input.now}
      where tenant_id = ${input.tenantId} and state in ('waiting', 'running')`;
  },
  /** A nightly sweep removes content without an export from the file store. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const chunks = await tx`
      delete from export_parts where ctid = any(array(
        select ctid from export_parts where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    if (chunks.length > 0) {
      return chunks.length;
    }
    const rows = await tx`
      delete from exports where ctid = any(array(
        select ctid from exports where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    return rows.length;
  },
};
