import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Tenants of which nothing may be left that were purged since an instant. */
export async function listPurgedTenantIds(tx: Tx, since: Date): Promise<TenantId[]> {
  const rows = await tx<{ tenant_id: TenantId }[]>`
    select tenant_id from tenants where purged_at >= ${since} order by tenant_id`;
  return rows.map((row) => row.tenant_id);
}

/** Names of tenants, deleted ones included where the transaction sees them. */
export async function listTenantNames(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx<{ tenant_id: string; name: string }[]>`
    select tenant_id, name from tenants where tenant_id = any(${[...new Set(tenantIds)]}::text[])`;
  return new Map(rows.map((row) => [row.tenant_id, row.name]));
}
