import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/** Tenants with keys that expire by `until`, after `after`. Needs the operator role. */
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
 * Working keys of a tenant, live and test, with a warning that is due and was not sent: the one with the fewest days that
 * still applies. A key created after the instant of a warning gets no such warning, since its creator chose the expiry. A
 * rolled key inherits the expiry of the first in its line, so the creation of that one counts.
 *
 * @param input.days - Days before the expiry, each warned of once.
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

/** Records warnings as sent. @returns The keys whose warning no other process has recorded. */
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
  // The expiry comes from the row: it is finer than a Date, and the next query compares the two.
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
