import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Everything here is of a cell's own database and needs the operator role. */

/** A process that may still serve a tenant, or may have used what is not in the ledger yet. */
export type ServingProcess = {
  processId: string;
  /** Of its machine, as operators know it; null for one of an older version. */
  nodeName: string | null;
  heartbeatAt: Date;
  /** Calls that waited for their commit at its last heartbeat. */
  callsWaiting: number;
};

/**
 * Refuses the calls of a tenant from now on: every process hears of it and says when it has stopped.
 *
 * @returns False when there is no such tenant here, or its calls are refused already.
 */
export async function beginMoving(tx: Tx, tenantId: TenantId): Promise<boolean> {
  const rows = await tx`
    update tenants set moving_since = now()
    where tenant_id = ${tenantId} and moving_since is null
    returning 1`;
  if (rows.length === 0) {
    return false;
  }
  await tx`delete from moving_stops where tenant_id = ${tenantId}`;
  await tx`select record_change('tenant', ${tenantId}, ${tenantId})`;
  return true;
}

/** Lets the calls of a tenant pass again. @returns False when they were not refused. */
export async function endMoving(tx: Tx, tenantId: TenantId): Promise<boolean> {
  const rows = await tx`
    update tenants set moving_since = null
    where tenant_id = ${tenantId} and moving_since is not null returning 1`;
  await tx`delete from moving_stops where tenant_id = ${tenantId}`;
  if (rows.length > 0) {
    await tx`select record_change('tenant', ${tenantId}, ${tenantId})`;
  }
  return rows.length > 0;
}

/** The tenants that move and that a process has not stopped serving, at most a thousand. */
export async function listMovingTenantIds(tx: Tx, processId: string): Promise<TenantId[]> {
  const rows = await tx<{ tenant_id: TenantId }[]>`
    select tenant_id from tenants t
    where moving_since is not null
      and not exists (
        select from moving_stops s where s.tenant_id = t.tenant_id and s.process_id = ${processId})
    limit 1000`;
  return rows.map((row) => row.tenant_id);
}

/** Notes that a process has stopped serving a tenant that moves; nothing when it does not move any more. */
export async function insertMovingStop(
  tx: Tx,
  { tenantId, processId }: { tenantId: TenantId; processId: string },
): Promise<void> {
  // Locked, so that the end of the move comes before or after.
  await tx`
    insert into moving_stops (tenant_id, process_id)
    select tenant_id, ${processId} from tenants
    where tenant_id = ${tenantId} and moving_since is not null for share
    on conflict do nothing`;
}

/**
 * Lists the processes that have not stopped serving a tenant that moves, among those that gave a sign of life in the last so many
 * seconds and did not end. One that is cut off from the database goes on with what it knows for ten minutes.
 */
export async function listServingProcesses(
  tx: Tx,
  { tenantId, seconds }: { tenantId: TenantId; seconds: number },
): Promise<ServingProcess[]> {
  return await tx<ServingProcess[]>`
    select p.process_id as "processId", p.node_name as "nodeName", p.heartbeat_at as "heartbeatAt",
      p.calls_waiting::int as "callsWaiting"
    from processes p
    where p.stopped_at is null and p.heartbeat_at > now() - make_interval(secs => ${seconds})
      and not exists (
        select from moving_stops s where s.tenant_id = ${tenantId} and s.process_id = p.process_id)
    order by p.started_at, p.process_id limit 1000`;
}

/** Notes up to which change a process has heard. */
export async function updateHeard(
  tx: Tx,
  { processId, revision }: { processId: string; revision: bigint },
): Promise<void> {
  await tx`
    update processes set heard_revision = ${revision}
    where process_id = ${processId} and heard_revision is distinct from ${revision}`;
}

/** Says once more that a tenant is here. @returns When, by the clock of the database. */
export async function announceTenant(tx: Tx, tenantId: TenantId): Promise<Date> {
  const [row] = await tx<[{ at: Date }]>`
    select clock_timestamp() as at, record_change('tenant', ${tenantId}, ${tenantId})`;
  return row.at;
}

/** The newest change of a tenant itself, by its revision; 0 without one. */
export async function findTenantChange(tx: Tx, tenantId: TenantId): Promise<bigint> {
  const [row] = await tx<[{ revision: bigint }]>`
    select coalesce(max(revision), 0) as revision from changes
    where kind = 'tenant' and tenant_id = ${tenantId}`;
  return row.revision;
}

/**
 * Lists the processes with a sign of life in the last so many seconds that have not heard of a change. One that started after it was
 * made knows nothing from before.
 */
export async function listUnaware(
  tx: Tx,
  { revision, madeAt, seconds }: { revision: bigint; madeAt: Date; seconds: number },
): Promise<Pick<ServingProcess, "processId" | "nodeName">[]> {
  return await tx<Pick<ServingProcess, "processId" | "nodeName">[]>`
    select process_id as "processId", node_name as "nodeName" from processes
    where stopped_at is null and heartbeat_at > now() - make_interval(secs => ${seconds})
      and started_at < ${madeAt} and coalesce(heard_revision, 0) < ${revision}
    order by started_at, process_id limit 1000`;
}
