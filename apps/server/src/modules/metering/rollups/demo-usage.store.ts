import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/**
 * Removes everything that the ledger has of a tenant, and the invoices made of it, whole or not at all, so that what is left adds up.
 * The database does so for deleted demo tenants only, and for documents in series of their own. Needs the operator role that sees deleted tenants.
 *
 * @returns What the ledger had.
 */
export async function deleteDemoUsage(
  tx: Tx,
  tenantId: TenantId,
): Promise<{ entries: number; calls: number }> {
  await tx`select remove_demo_credit(${tenantId})`;
  // Before the documents that they are of.
  await tx`select remove_demo_taxes(${tenantId})`;
  await tx`select remove_demo_documents(${tenantId}), remove_demo_revenue(${tenantId})`;
  const [removed] = await tx<{ entries: bigint; calls: bigint }[]>`
    select entries, calls from remove_demo_usage(${tenantId})`;
  return { entries: Number(removed?.entries ?? 0), calls: Number(removed?.calls ?? 0) };
}

/** True when events of any tenant, deleted or not, were counted by a meter. Needs the same role. */
export async function isMeterUsed(tx: Tx, meterId: string): Promise<boolean> {
  const rows = await tx`
    select 1 from tenants t
    where exists (select from meter_rollups r where r.tenant_id = t.tenant_id and r.meter_id = ${meterId})
      or exists (select from meter_uniques u where u.tenant_id = t.tenant_id and u.meter_id = ${meterId})
    limit 1`;
  return rows.length > 0;
}
