import type { Tx } from "@turnpike/db/client";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type {
  GroupId,
  KeyId,
  LeaseId,
  LockId,
  ProcessId,
  TenantId,
} from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { KeyQuota } from "@turnpike/domain/limits/key-quota";

export type LockState = "open" | "settled" | "released" | "lapsed";

export type LockRow = {
  tenant_id: TenantId;
  lock_id: LockId;
  key_id: KeyId;
  origin_key_id: KeyId;
  meter_id: string;
  environment: Environment;
  route: string | null;
  period_start: Date;
  period_end: Date;
  reserved: number;
  lease_id: LeaseId | null;
  key_lease_id: LeaseId | null;
  /** An open lock past its expiry reads as `lapsed`, even before the row says so. */
  state: LockState;
  cost: number | null;
  created_at: Date;
  expires_at: Date;
  ended_at: Date | null;
};

/** A lock to be made: open, from now on. */
export type NewLock = {
  tenantId: TenantId;
  lockId: LockId;
  keyId: KeyId;
  originKeyId: KeyId;
  meterId: string;
  environment: Environment;
  route: string | undefined;
  periodStart: Date;
  periodEnd: Date;
  reserved: number;
  leaseId: LeaseId | undefined;
  keyLeaseId: LeaseId | undefined;
  createdBy: string;
  ttlSeconds: number;
};

/** Counts the open locks of a tenant, up to `countMax`. Leaves out those past their expiry, even before their row says so. */
export async function countOpenLocks(
  tx: Tx,
  tenantId: TenantId,
  countMax: number,
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from (
      select from locks where tenant_id = ${tenantId} and state = 'open' and expires_at > now() limit ${countMax}
    ) as open`;
  return row?.count ?? 0;
}

/**
 * Moves units from a lease to a new lease of a lock. What is held of the balance stays the same.
 *
 * @returns False when the lease holds fewer.
 */
export async function moveToLockLease(
  tx: Tx,
  input: {
    tenantId: TenantId;
    from: LeaseId;
    to: LeaseId;
    quantity: number;
    processId: ProcessId;
    ttlSeconds: number;
  },
): Promise<boolean> {
  const rows = await tx`
    with source as (
      update leases set remaining = remaining - ${input.quantity}::numeric
      where tenant_id = ${input.tenantId} and lease_id = ${input.from} and state <> 'locked'
        and remaining >= ${input.quantity}::numeric
      returning tenant_id, key_id, meter_id, environment, period_start
    )
    insert into leases (tenant_id, lease_id, key_id, meter_id, environment, period_start, process_id, state, granted,
      remaining, expires_at, created_at)
    select tenant_id, ${input.to}, key_id, meter_id, environment, period_start, ${input.processId}, 'locked',
      ${input.quantity}::numeric, ${input.quantity}::numeric, now() + make_interval(secs => ${input.ttlSeconds}), now()
    from source
    returning 1`;
  return rows.length === 1;
}

/**
 * @returns When the lock will lapse, by the database's clock, and how many of the tenant were open before, up to `countMax`.
 */
export async function insertLock(
  tx: Tx,
  lock: NewLock,
  countMax: number,
): Promise<{ expires_at: Date; open_before: number }> {
  const [row] = await tx<{ expires_at: Date; open_before: number }[]>`
    insert into locks (tenant_id, lock_id, key_id, origin_key_id, meter_id, environment, route, period_start, period_end,
      reserved, lease_id, key_lease_id, state, created_by, created_at, expires_at)
    values (${lock.tenantId}, ${lock.lockId}, ${lock.keyId}, ${lock.originKeyId}, ${lock.meterId}, ${lock.environment},
      ${lock.route ?? null}, ${lock.periodStart}, ${lock.periodEnd}, ${lock.reserved}, ${lock.leaseId ?? null},
      ${lock.keyLeaseId ?? null}, 'open', ${lock.createdBy}, now(), now() + make_interval(secs => ${lock.ttlSeconds}))
    returning expires_at, (
      select count(*)::int from (
        select from locks where tenant_id = ${lock.tenantId} and state = 'open' and expires_at > now() limit ${countMax}
      ) as open
    ) as open_before`;
  if (row === undefined) {
    throw new Error("Inserting a lock returned no row.");
  }
  return row;
}

function lockColumns(tx: Tx) {
  return tx`tenant_id, lock_id, key_id, origin_key_id, meter_id, environment, route, period_start, period_end,
    reserved::float8 as reserved, lease_id, key_lease_id, cost::float8 as cost, created_at, expires_at,
    case when state = 'open' and expires_at <= now() then 'lapsed' else state end as state,
    case when state = 'open' and expires_at <= now() then expires_at else ended_at end as ended_at`;
}

export async function findLock(tx: Tx, lockId: LockId): Promise<LockRow | undefined> {
  const [row] = await tx<LockRow[]>`select ${lockColumns(tx)} from locks where lock_id = ${lockId}`;
  return row;
}

/** Finds a lock and keeps others from ending it until the transaction ends. */
export async function claimLock(tx: Tx, lockId: LockId): Promise<LockRow | undefined> {
  const [row] = await tx<LockRow[]>`
    select ${lockColumns(tx)} from locks where lock_id = ${lockId} for update`;
  return row;
}

/**
 * Deletes the leases of a lock.
 *
 * @returns False when they are gone already, because someone found the lock past its expiry.
 */
export async function dropLockLeases(
  tx: Tx,
  { tenant_id, lease_id, key_lease_id }: LockRow,
): Promise<boolean> {
  const leaseIds = [lease_id, key_lease_id].filter((leaseId) => leaseId !== null);
  if (leaseIds.length === 0) {
    return true;
  }
  const rows = await tx`
    delete from leases where tenant_id = ${tenant_id} and lease_id = any(${leaseIds}::text[]) returning 1`;
  return rows.length === leaseIds.length;
}

export async function endLock(
  tx: Tx,
  lockId: LockId,
  end: { state: "released" } | { state: "settled"; cost: number; groupId: GroupId },
): Promise<LockRow> {
  const { cost, groupId } = end.state === "settled" ? end : { cost: null, groupId: null };
  const [row] = await tx<LockRow[]>`
    update locks set state = ${end.state}, cost = ${cost}, group_id = ${groupId}, ended_at = now()
    where lock_id = ${lockId} returning ${lockColumns(tx)}`;
  if (row === undefined) {
    throw new Error("A lock that was claimed is gone.");
  }
  return row;
}

/**
 * Lets locks past their expiry lapse, at most `rowsMax`; their units go back. Skips locks that are being ended.
 *
 * @returns How many lapsed.
 */
export async function lapseLocks(tx: Tx, rowsMax: number): Promise<number> {
  const [row] = await tx<{ lapsed: number }[]>`
    with due as (
      select lock_id from locks where state = 'open' and expires_at <= now()
      order by expires_at limit ${rowsMax} for update skip locked
    ), lapsed as (
      update locks set state = 'lapsed', ended_at = expires_at
      where lock_id in (select lock_id from due)
      returning tenant_id, lease_id, key_lease_id
    ), freed as (
      delete from leases l using lapsed
      where l.tenant_id = lapsed.tenant_id and l.lease_id in (lapsed.lease_id, lapsed.key_lease_id)
    )
    select count(*)::int as lapsed from lapsed`;
  return row?.lapsed ?? 0;
}

/** Deletes locks that ended more than `days` ago, at most `rowsMax`. @returns How many. */
export async function deleteOldLocks(tx: Tx, days: number, rowsMax: number): Promise<number> {
  const rows = await tx`
    delete from locks
    where lock_id in (
      select lock_id from locks
      where state <> 'open' and ended_at < now() - make_interval(days => ${days}) order by ended_at limit ${rowsMax}
    )
    returning 1`;
  return rows.length;
}

/** The current hard limits of a tenant and of a key. */
export type LockCaps = {
  tenant: number | undefined;
  key: number | undefined;
  /** True when a spend cap limits the tenant's use of the meter as well. */
  isSpendCapped: boolean;
  /** True when they may have just changed. */
  isRecent: boolean;
};

/** Finds the current hard limits of a lock's tenant and key; none for a key or tenant that is gone. */
export async function findCaps(
  tx: Tx,
  {
    tenant_id,
    key_id,
    meter_id,
    environment,
  }: Pick<LockRow, "tenant_id" | "key_id" | "meter_id" | "environment">,
): Promise<LockCaps> {
  const [row] = await tx<
    {
      terms: PlanTerms;
      quotas: KeyQuota[] | null;
      is_spend_capped: boolean | null;
      is_recent: boolean;
    }[]
  >`
    select e.terms, k.quotas, s.spend -> 'meters' ? ${meter_id} as is_spend_capped,
      greatest(e.updated_at, k.updated_at, to_timestamp((s.spend ->> 'changedAtMs')::float8 / 1000))
        > now() - interval '1 minute' as is_recent
    from entitlements e
    cross join lateral (select ${environment === "live" ? tx`e.spend_cap` : tx`e.sandbox_spend`} as spend) s
    left join api_keys k on k.tenant_id = e.tenant_id and k.key_id = ${key_id}
    where e.tenant_id = ${tenant_id}`;
  return {
    tenant: row?.terms.quotas.find((quota) => quota.meter === meter_id && quota.kind === "hard")
      ?.limit,
    key: row?.quotas?.find((quota) => quota.meter === meter_id)?.limit,
    isSpendCapped: row?.is_spend_capped === true,
    isRecent: row?.is_recent === true,
  };
}
