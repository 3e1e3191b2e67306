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
