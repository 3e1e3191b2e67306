import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/** Lists which of the keys have usage in the hour of `since` or later. */
export async function listKeysUsedSince(
  tx: Tx,
  tenantId: TenantId,
  input: { keyIds: readonly KeyId[]; since: Date },
): Promise<KeyId[]> {
  const rows = await tx<{ key_id: KeyId }[]>`
    with recent as materialized (
      select distinct key_id from recent_usage_of_keys
      where tenant_id = ${tenantId} and key_id = any(${[...input.keyIds]}::text[])
        and occurred_at >= date_trunc('hour', ${input.since}::timestamptz, 'UTC')
    )
    select asked.key_id from unnest(${[...input.keyIds]}::text[]) as asked (key_id)
    where asked.key_id in (select key_id from recent) or exists (
      select from usage_rollups_hourly u
      where u.tenant_id = ${tenantId} and u.key_id = asked.key_id
        and u.occurred_at >= date_trunc('hour', ${input.since}::timestamptz, 'UTC')
    )`;
  return rows.map((row) => row.key_id);
}
