import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What the comparison of a cell with the directory reads and writes. The first half is of the cell's own database. */

/** A tenant that lives here, deleted ones included that can be restored. */
export type LivingTenant = { tenantId: TenantId; version: number };

/** Needs the operator role that sees deleted tenants. */
export async function listLivingTenants(
  tx: Tx,
  { after, limit }: { after: string; limit: number },
): Promise<LivingTenant[]> {
  return await tx<LivingTenant[]>`
    select tenant_id as "tenantId", place_version::float8 as version from tenants
    where tenant_id > ${after} and purged_at is null
    order by tenant_id limit ${limit}`;
}

/** Those of the tenants that live here. Needs the operator role that sees deleted tenants. */
export async function findLivingTenants(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<Set<TenantId>> {
  const rows = await tx<{ tenant_id: TenantId }[]>`
    select tenant_id from tenants
    where tenant_id = any(${[...tenantIds]}::text[]) and purged_at is null`;
  return new Set(rows.map((row) => row.tenant_id));
}

/** Needs the operator role that sees deleted tenants. @returns Hashes, hexadecimal, after one of them, in their order. */
export async function listKeyHashes(
  tx: Tx,
  { tenantId, after, limit }: { tenantId: TenantId; after: string; limit: number },
): Promise<{ keyId: string; hash: string }[]> {
  return await tx<{ keyId: string; hash: string }[]>`
    select key_id as "keyId", encode(key_hash, 'hex') as hash from api_keys
    where tenant_id = ${tenantId} and key_id > ${after}
    order by key_id limit ${limit}`;
}

/** How far a cell has compared itself; undefined before it was announced. */
export type Comparison = { comparedTo: string | null; isDue: boolean };

/** @param hours - After how many the next comparison is due. */
export async function findComparison(
  tx: Tx,
  { cell, hours }: { cell: string; hours: number },
): Promise<Comparison | undefined> {
  const [row] = await tx<Comparison[]>`
    select compared_to as "comparedTo",
      compared_to is not null or compared_at is null or compared_at < now() - make_interval(hours => ${hours}) as "isDue"
    from turnpike_directory.cells where name = ${cell}`;
  return row;
}

/** @param comparedTo - Null when it is over. */
export async function saveComparison(
  tx: Tx,
  { cell, comparedTo }: { cell: string; comparedTo: string | null },
): Promise<void> {
  await tx`
    update turnpike_directory.cells
    set compared_to = ${comparedTo}, compared_at = case when ${comparedTo}::text is null then now() else compared_at end
    where name = ${cell}`;
}

/** Enters tenants of a cell, and takes back those whose entry is older than what the cell knows. */
export async function upsertPlaces(
  tx: Tx,
  { cell, tenants }: { cell: string; tenants: readonly LivingTenant[] },
): Promise<void> {
  const taken = await tx<{ tenant_id: string; is_new: boolean }[]>`
    insert into turnpike_directory.tenants as t (tenant_id, cell, version)
    select tenant_id, ${cell}, version
    from unnest(${tenants.map(({ tenantId }) => tenantId)}::text[], ${tenants.map(({ version }) => version)}::bigint[])
      as living (tenant_id, version)
    order by tenant_id
    on conflict (tenant_id) do update
      set cell = excluded.cell, state = 'here', version = excluded.version, changed_at = now()
      where t.version < excluded.version
    returning tenant_id, xmax = 0 as is_new`;
  for (const { tenant_id: tenantId } of taken.filter((row) => !row.is_new)) {
    await tx`select pg_notify('turnpike_directory', ${tenantId})`;
  }
}

/** Tenants of a cell that were entered more than an hour ago, by id: younger ones may be about to be made. */
export async function listOldPlaces(
  tx: Tx,
  { cell, after, limit }: { cell: string; after: string; limit: number },
): Promise<TenantId[]> {
  const rows = await tx<{ tenant_id: TenantId }[]>`
    select tenant_id from turnpike_directory.tenants
    where cell = ${cell} and tenant_id > ${after} and state = 'here' and created_at < now() - interval '1 hour'
    order by tenant_id limit ${limit}`;
  return rows.map((row) => row.tenant_id);
}

/** Removes keys of a tenant that were entered more than an hour ago, but for those named. @param lookups - Hexadecimal. */
export async function deleteOtherKeyPlaces(
  tx: Tx,
  { tenantId, lookups }: { tenantId: TenantId; lookups: readonly string[] },
): Promise<number> {
  const rows = await tx`
    delete from turnpike_directory.keys k
    where tenant_id = ${tenantId} and created_at < now() - interval '1 hour'
      and not exists (
        select from unnest(${[...lookups]}::text[]) as kept where decode(kept, 'hex') = k.lookup)
    returning 1`;
  return rows.length;
}

/** How many keys the directory has of each tenant; those without any are left out. */
export async function countKeyPlaces(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<Map<TenantId, number>> {
  const rows = await tx<{ tenant_id: TenantId; count: number }[]>`
    select tenant_id, count(*)::int as count from turnpike_directory.keys
    where tenant_id = any(${[...tenantIds]}::text[]) group by tenant_id`;
  return new Map(rows.map((row) => [row.tenant_id, row.count]));
}
