import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export const LIVE_CALLS_CHANNEL = "turnpike_live_calls";

/** Publishes payloads to every process that listens. Each must have less than 8,000 bytes, the limit of the database. */
export async function notifyLiveCalls(tx: Tx, payloads: readonly string[]): Promise<void> {
  await tx`select pg_notify(${LIVE_CALLS_CHANNEL}, payload) from unnest(${[...payloads]}::text[]) as payload`;
}

/** @returns Undefined when there is no such tenant. */
export async function findSuspension(
  tx: Tx,
  tenantId: TenantId,
): Promise<{ isSuspended: boolean } | undefined> {
  const [row] = await tx<{ is_suspended: boolean }[]>`
    select suspended_at is not null as is_suspended from tenants where tenant_id = ${tenantId}`;
  return row && { isSuspended: row.is_suspended };
}
