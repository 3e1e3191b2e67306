import type { Tx } from "@turnpike/db/client";
import type { KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";

/** Names one balance: the use of a meter in a billing period, by a tenant or by one of its lines of keys. */
export type BalanceName = {
  tenantId: TenantId;
  /** The first key of the line; undefined: the whole tenant. */
  keyId: KeyId | undefined;
  meterId: string;
  environment: Environment;
  periodStart: Date;
  periodEnd: Date;
};

export type LockedBalance = {
  /** Units committed. */
  used: number;
  /** Units held by leases: active, forfeited and those of locks. */
  held: number;
  /** How many of these by active leases of others. */
  heldElsewhere: number;
  /** True for a meter of events: events report what has happened and need no lease. */
  isReported: boolean;
  /** True when the tenant has a spend cap that its use of this meter counts against. */
  isBudgeted: boolean;
};

/**
 * Locks a balance until the end of the transaction, making it first when there is none, and reads what is taken of it. Frees
 * what locks hold past their expiry.
 *
 * The balance of a line of keys is complete only when the line is limited (see `limited-keys.ts`).
 *
 * @param own - The lease of the caller, if it has one.
 */
export async function lockBalance(
  tx: Tx,
  name: BalanceName,
  own?: LeaseId,
): Promise<LockedBalance> {
  const { keyId } = name;
  const used =
    keyId === undefined
      ? await lockTenantBalance(tx, name)
      : await lockKeyBalance(tx, { ...name, keyId });
  // A separate statement, so that it sees what was committed while this transaction waited for the lock.
  const ofBalance = isOfBalance(tx, name);
  const [held] = await tx<
    { held: number; held_elsewhere: number; is_reported: boolean; is_budgeted: boolean }[]
  >`
    with past as (
      -- A lock that is being ended right now is skipped; its units count until the next time.
      select lease_id from leases
      where ${ofBalance} and state = 'locked' and expires_at <= now()
      order by lease_id for update skip locked
    ), lapsed as (
      -- Deleted, not only left out, so that a late settlement of the lock finds its units gone.
      delete from leases where tenant_id = ${name.tenantId} and lease_id in (select lease_id from past)
      returning remaining
    )
    select coalesce(sum(remaining), 0)::float8 - (select coalesce(sum(remaining), 0) from lapsed)::float8 as held,
      coalesce(sum(remaining) filter (
        where state = 'active' and expires_at > now() and lease_id is distinct from ${own ?? null}
      ), 0)::float8 as held_elsewhere,
      exists (select from meters where meter_id = ${name.meterId} and event_type is not null) as is_reported,
      ${
        keyId === undefined
          ? tx`exists (select from spend_budgets where tenant_id = ${name.tenantId} and environment = ${name.environment}
              and ${name.meterId} = any(meters))`
          : tx`false`
      } as is_budgeted
    from leases where ${ofBalance}`;
  return {
    used,
    held: held?.held ?? 0,
    heldElsewhere: held?.held_elsewhere ?? 0,
    isReported: held?.is_reported === true,
    isBudgeted: held?.is_budgeted === true,
  };
}

/** The condition that a lease is of this balance. */
function isOfBalance(tx: Tx, name: BalanceName) {
  return tx`tenant_id = ${name.tenantId} and meter_id = ${name.meterId} and environment = ${name.environment}
    and period_start = ${name.periodStart}
    and ${name.keyId === undefined ? tx`key_id is null` : tx`key_id = ${name.keyId}`}`;
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

/** A key belongs to one environment, so its balance has no environment. */
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

/** Locks an active lease. @returns What is left of it; undefined when it is not active any more. */
export async function lockLease(
  tx: Tx,
  name: BalanceName,
  leaseId: LeaseId,
): Promise<number | undefined> {
  const [row] = await tx<{ remaining: number }[]>`
    select remaining::float8 as remaining from leases
    where tenant_id = ${name.tenantId} and lease_id = ${leaseId} and state = 'active' and expires_at > now()
    for update`;
  return row?.remaining;
}

/** Adds units to an active lease (negative: takes them) and prolongs it. @returns False when it is not active any more. */
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
 * Takes units off leases, in the order in which commits lock them. Only the holder may do this: it knows that no call uses
 * them.
 */
export async function shrinkLeases(
  tx: Tx,
  leases: readonly { tenantId: TenantId; leaseId: LeaseId; units: number }[],
): Promise<void> {
  await tx`
    with input as (
      select * from unnest(
        ${leases.map((lease) => lease.tenantId)}::text[],
        ${leases.map((lease) => lease.leaseId)}::text[],
        ${leases.map((lease) => lease.units)}::numeric[]
      ) as input (tenant_id, lease_id, units)
    ), target as (
      select tenant_id, lease_id, input.units
      from leases l join input using (tenant_id, lease_id)
      order by 1, 2
      for update of l
    )
    update leases l set granted = l.granted - target.units, remaining = l.remaining - target.units
    from target
    where l.tenant_id = target.tenant_id and l.lease_id = target.lease_id and l.remaining >= target.units`;
}

/**
 * Gives back what is left of leases. Only the holder may do this, once everything it spent is committed. Then even a lease that
 * was forfeited meanwhile is known exactly and can go back.
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
 * Forfeits leases that their processes can no longer spend: those past their deadline (the holder's own is earlier), and those
 * of `processId`, which is known to be gone. Locks them in the same order as commits, so that the two cannot deadlock.
 *
 * @returns How many leases were forfeited.
 */
export async function forfeitLeases(tx: Tx, processId: ProcessId | null): Promise<number> {
  const rows = await tx`
    with lost as (
      select tenant_id, lease_id from leases
      where state = 'active' and (expires_at < now() or process_id = ${processId})
      order by 1, 2
      for update
    )
    update leases l set state = 'forfeited'
    from lost
    where l.tenant_id = lost.tenant_id and l.lease_id = lost.lease_id
    returning 1`;
  return rows.length;
}

/**
 * Deletes leases whose period ended more than a day ago: nothing can be spent from them or blocked by them. A lease of a lock
 * ends with its lock.
 */
export async function deleteOldLeases(tx: Tx): Promise<number> {
  const ofTenants = await tx`
    delete from leases l
    using balances b
    where l.state <> 'locked' and l.key_id is null and b.tenant_id = l.tenant_id and b.meter_id = l.meter_id
      and b.environment = l.environment and b.period_start = l.period_start
      and b.period_end < now() - interval '1 day'
    returning 1`;
  const ofKeys = await tx`
    delete from leases l
    using key_balances b
    where l.state <> 'locked' and b.tenant_id = l.tenant_id and b.key_id = l.key_id and b.meter_id = l.meter_id
      and b.period_start = l.period_start and b.period_end < now() - interval '1 day'
    returning 1`;
  return ofTenants.length + ofKeys.length;
}

/** Deletes processes that sent no heartbeat for `silentSeconds`. @returns How many. */
export async function deleteSilentProcesses(tx: Tx, silentSeconds: number): Promise<number> {
  const rows = await tx`
    delete from processes
    where heartbeat_at < now() - make_interval(secs => ${silentSeconds})
      and (calls_waiting = 0 or stopped_at is not null or heartbeat_at < now() - interval '90 days')
    returning 1`;
  return rows.length;
}
