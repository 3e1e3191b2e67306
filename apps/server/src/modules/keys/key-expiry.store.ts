import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/** Tenants with keys that end by `until`, behind `after`. Needs the operator role. */
export async function listTenantsWithEndingKeys(
  tx: Tx,
  input: { now: Date; until: Date; after: string; limit: number },
): Promise<TenantId[]> {
  const rows = await tx<{ tenant_id: TenantId }[]>`
    select distinct tenant_id from api_keys
    where expires_at > ${input.now} and expires_at <= ${input.until} and revoked_at is null
      and tenant_id > ${input.after}
    order by tenant_id
    limit ${input.limit}`;
  return rows.map((row) => row.tenant_id);
}

export type DueWarningRow = {
  key_id: KeyId;
  name: string;
  start: string;
  last_four: string;
  expires_at: Date;
  days_before: number;
  is_rolled: boolean;
};

/**
 * Keys of a tenant that still work, live and test, whose next warning is due and was not given: the one with the fewest
 * days that still holds. A key that was made after the moment of a warning is not warned of at once, as whoever made it
 * chose its end; one that came from a roll has the end of the first in its line, so that one's making counts.
 *
 * @param input.days - Days before the end, each warned of once.
 */
export async function listDueWarnings(
  tx: Tx,
  tenantId: TenantId,
  input: { now: Date; days: readonly number[]; after: string; limit: number },
): Promise<DueWarningRow[]> {
  return await tx<DueWarningRow[]>`
    select k.key_id, k.name, k.start, k.last_four, k.expires_at, due.days_before, k.rolled_to is not null as is_rolled
    from api_keys k
    cross join lateral (
      select min(days)::int as days_before from unnest(${[...input.days]}::int[]) as days
      where k.expires_at <= ${input.now}::timestamptz + make_interval(days => days)
    ) due
    where k.tenant_id = ${tenantId} and k.key_id > ${input.after} and k.expires_at > ${input.now}
      and k.revoked_at is null and k.disabled_at is null and due.days_before is not null
      and (
        select coalesce(min(o.created_at), k.created_at) from api_keys o
        where o.tenant_id = k.tenant_id and o.key_id = k.origin_key_id
      ) < k.expires_at - make_interval(days => due.days_before)
      and not exists (
        select from key_expiry_warnings w
        where w.tenant_id = k.tenant_id and w.key_id = k.key_id and w.expires_at = k.expires_at
          and w.days_before <= due.days_before
      )
    order by k.key_id
    limit ${input.limit}`;
}

/** Notes warnings as given. @returns The keys of those that nobody else has given meanwhile. */
export async function insertWarnings(
  tx: Tx,
  tenantId: TenantId,
  input: {
    warnings: readonly Pick<DueWarningRow, "key_id" | "expires_at" | "days_before">[];
    now: Date;
  },
): Promise<Set<KeyId>> {
  const rows = input.warnings.map((warning) => ({
    key_id: warning.key_id,
    expires_at: warning.expires_at.toISOString(),
    days_before: warning.days_before,
  }));
  // The expiry is taken from the row: it is finer than a Date, and the next look compares the two.
  const inserted = await tx<{ key_id: KeyId }[]>`
    insert into key_expiry_warnings (tenant_id, key_id, expires_at, days_before, warned_at)
    select ${tenantId}, k.key_id, k.expires_at, w.days_before, ${input.now}
    from jsonb_to_recordset(${tx.json(rows)}) as w (key_id text, expires_at timestamptz, days_before smallint)
    join api_keys k on k.tenant_id = ${tenantId} and k.key_id = w.key_id
      and date_trunc('milliseconds', k.expires_at) = w.expires_at
    order by k.key_id
    on conflict do nothing
    returning key_id`;
  return new Set(inserted.map((row) => row.key_id));
}
