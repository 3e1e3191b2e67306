import type { Tx } from "@turnpike/db/client";
import type { KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";

/** Names one balance: the use of a meter in a period, by a tenant or by one of its keys. */
export type BalanceName = {
  tenantId: TenantId;
  /** The first of a line of rolled keys; undefined: the whole tenant. */
  keyId: KeyId | undefined;
  meterId: string;
  environment: Environment;
  periodStart: Date;
  periodEnd: Date;
};

/**
 * Locks a balance until the end of the transaction, making it first when there is none, and reads what is left of it.
 *
 * @returns Units committed, and units held by leases (active and forfeited).
 */
export async function lockBalance(
  tx: Tx,
  name: BalanceName,
): Promise<{ used: number; held: number }> {
  const used =
    name.keyId === undefined
      ? await lockTenantBalance(tx, name)
      : await lockKeyBalance(tx, { ...name, keyId: name.keyId });
  // A statement of its own, so that it sees what was committed while the lock was waited for.
  const [held] = await tx<{ held: number }[]>`
    select coalesce(sum(remaining), 0)::float8 as held from leases
    where tenant_id = ${name.tenantId} and meter_id = ${name.meterId} and environment = ${name.environment}
      and period_start = ${name.periodStart} and ${isOfBalance(tx, name)}`;
  return { used, held: held?.held ?? 0 };
}

function isOfBalance(tx: Tx, { keyId }: BalanceName) {
  return keyId === undefined ? tx`key_id is null` : tx`key_id = ${keyId}`;
}

async function lockTenantBalance(tx: Tx, name: BalanceName): Promise<number> {
  await tx`
    insert into balances (tenant_id, meter_id, environment, period_start, period_end, used)
    values (${name.tenantId}, ${name.meterId}, ${name.environment}, ${name.periodStart}, ${name.periodEnd}, 0)
    on conflict do nothing`;
  const [balance] = await tx<{ used: number }[]>`
    select used::float8 as used from balances
    where tenant_id = ${name.tenantId} and meter_id = ${name.meterId} and environment = ${name.environment}
      and period_start = ${name.periodStart}
    for update`;
  return balance?.used ?? 0;
}

/** A key has one environment, so its balance names none. */
async function lockKeyBalance(tx: Tx, name: BalanceName & { keyId: KeyId }): Promise<number> {
  await tx`
    insert into key_balances (tenant_id, key_id, meter_id, period_start, period_end, used)
    values (${name.tenantId}, ${name.keyId}, ${name.meterId}, ${name.periodStart}, ${name.periodEnd}, 0)
    on conflict do nothing`;
  const [balance] = await tx<{ used: number }[]>`
    select used::float8 as used from key_balances
    where tenant_id = ${name.tenantId} and key_id = ${name.keyId} and meter_id = ${name.meterId}
      and period_start = ${name.periodStart}
    for update`;
  return balance?.used ?? 0;
}

export async function insertLease(
  tx: Tx,
  name: BalanceName,
  lease: { leaseId: LeaseId; processId: ProcessId; granted: number; ttlMs: number },
): Promise<void> {
  await tx`
    insert into leases (tenant_id, lease_id, key_id, meter_id, environment, period_start, process_id, state, granted,
      remaining, expires_at, created_at)
    values (${name.tenantId}, ${lease.leaseId}, ${name.keyId ?? null}, ${name.meterId}, ${name.environment},
      ${name.periodStart}, ${lease.processId}, 'active', ${lease.granted}, ${lease.granted},
      now() + make_interval(secs => ${lease.ttlMs / 1000}), now())`;
}

/** Adds to an active lease and prolongs it; false when it is not active any more. */
export async function extendLease(
  tx: Tx,
  name: BalanceName,
  lease: { leaseId: LeaseId; granted: number; ttlMs: number },
): Promise<boolean> {
  const rows = await tx`
    update leases
    set granted = granted + ${lease.granted}, remaining = remaining + ${lease.granted},
        expires_at = now() + make_interval(secs => ${lease.ttlMs / 1000})
    where tenant_id = ${name.tenantId} and lease_id = ${lease.leaseId} and state = 'active' and expires_at > now()
    returning 1`;
  return rows.length === 1;
}

/**
 * Gives back what is left of leases. Only the holder may, once everything that it spent is committed; then even a lease
 * that was forfeited meanwhile is known exactly and can be given back.
 */
export async function deleteLeases(
  tx: Tx,
  leases: readonly { tenantId: TenantId; leaseId: LeaseId }[],
): Promise<void> {
  await tx`
    delete from leases l
    using unnest(
      ${leases.map((lease) => lease.tenantId)}::text[],
      ${leases.map((lease) => lease.leaseId)}::text[]
    ) as input (tenant_id, lease_id)
    where l.tenant_id = input.tenant_id and l.lease_id = input.lease_id`;
}

/**
 * Forfeits what processes left in leases that they can no longer spend: those past their deadline (the holder's own is
 * earlier), and those of `processId` when it is known to be gone.
 *
 * @returns How many leases were forfeited now.
 */
export async function forfeitLeases(tx: Tx, processId: ProcessId | null): Promise<number> {
  const rows = await tx`
    update leases set state = 'forfeited'
    where state = 'active' and (expires_at < now() or process_id = ${processId})
    returning 1`;
  return rows.length;
}

/** Deletes leases whose period has been over for a day: nothing can be spent from them or blocked by them. */
export async function deleteOldLeases(tx: Tx): Promise<number> {
  const ofTenants = await tx`
    delete from leases l
    using balances b
    where l.key_id is null and b.tenant_id = l.tenant_id and b.meter_id = l.meter_id
      and b.environment = l.environment and b.period_start = l.period_start
      and b.period_end < now() - interval '1 day'
    returning 1`;
  const ofKeys = await tx`
    delete from leases l
    using key_balances b
    where b.tenant_id = l.tenant_id and b.key_id = l.key_id and b.meter_id = l.meter_id
      and b.period_start = l.period_start and b.period_end < now() - interval '1 day'
    returning 1`;
  return ofTenants.length + ofKeys.length;
}

/** Processes that did not stop properly and have not been heard of for `silentSeconds`. */
export async function deleteSilentProcesses(tx: Tx, silentSeconds: number): Promise<number> {
  const rows = await tx`
    delete from processes
    where heartbeat_at < now() - make_interval(secs => ${silentSeconds}) returning 1`;
  return rows.length;
}
