import { wordsLiteral } from "@turnpike/db/array-literal";
import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/**
 * Advisory locks, by numbers that no other lock of the product has. Commits share `commits`; making keys limited takes it
 * alone. `pendingUsage` is held while pending usage is applied to balances.
 */
const LOCKS = { commits: 7_163_029, pendingUsage: 7_163_030 } as const;

/** A line of keys, named by its first key. */
export type KeyLine = { tenantId: TenantId; keyId: KeyId };

/** Keeps keys from becoming limited until the transaction ends. Call it before reading which keys are limited. */
export async function shareLimitedKeys(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(${LOCKS.commits}::bigint)`;
}

/**
 * Waits for commits that have read which keys are limited, and holds back others until the transaction ends.
 *
 * @throws The database's `lock_not_available` after a second.
 */
export async function holdCommits(tx: Tx): Promise<void> {
  // Waiting for this lock blocks new commits, so the wait is capped at one second.
  await tx`select lock_within_a_second(${LOCKS.commits}::bigint)`;
}

/** Waits until no other transaction applies pending usage, and keeps others from it until this one ends. */
export async function holdPendingUsage(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCKS.pendingUsage}::bigint)`;
}

export async function isKeyLimited(tx: Tx, { tenantId, keyId }: KeyLine): Promise<boolean> {
  const rows = await tx`
    select from limited_keys where tenant_id = ${tenantId} and key_id = ${keyId}`;
  return rows.length > 0;
}

/** Lists which of the keys are limited. Most tenants have no limited key, so tenants are filtered first. */
export async function listLimitedKeys(tx: Tx, keys: readonly KeyLine[]): Promise<Set<KeyId>> {
  const tenantIds = [...new Set(keys.map(({ tenantId }) => tenantId))];
  const tenants = await tx<{ tenant_id: TenantId }[]>`
    select tenant_id from unnest(${wordsLiteral(tenantIds)}::text::text[]) as asked (tenant_id)
    where exists (select from limited_keys l where l.tenant_id = asked.tenant_id)`;
  if (tenants.length === 0) {
    return new Set();
  }
  const withLimits = new Set(tenants.map((row) => row.tenant_id));
  const asked = keys.filter(({ tenantId }) => withLimits.has(tenantId));
  const rows = await tx<{ key_id: KeyId }[]>`
    select distinct asked.key_id
    from unnest(
      ${wordsLiteral(asked.map(({ tenantId }) => tenantId))}::text::text[],
      ${wordsLiteral(asked.map(({ keyId }) => keyId))}::text::text[]
    ) as asked (tenant_id, key_id)
    where exists (
      select from limited_keys l where l.tenant_id = asked.tenant_id and l.key_id = asked.key_id
    )`;
  return new Set(rows.map((row) => row.key_id));
}

/** @returns False when the line was limited already. */
export async function insertLimitedKey(tx: Tx, { tenantId, keyId }: KeyLine): Promise<boolean> {
  const rows = await tx`
    insert into limited_keys (tenant_id, key_id) values (${tenantId}, ${keyId})
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

/** Adds the pending usage of a line of keys to its balances. */
export async function applyPendingUsage(tx: Tx, { tenantId, keyId }: KeyLine): Promise<void> {
  await tx`
    insert into key_balances as b (tenant_id, key_id, meter_id, period_start, period_end, used)
    select tenant_id, key_id, meter_id, period_start, max(period_end), sum(of_key.quantity)
    from recent_usage cross join lateral unnest(key_ids, quantities) as of_key (key_id, quantity)
    where tenant_id = ${tenantId} and period_start is not null and key_ids @> array[${keyId}]
      and of_key.key_id = ${keyId} and of_key.quantity > 0
    group by 1, 2, 3, 4
    order by meter_id collate "C", period_start
    on conflict (tenant_id, key_id, meter_id, period_start) do update set used = b.used + excluded.used`;
}
