import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Everything here needs the operator role. */

/** The last move of a tenant that came here or left. */
export type TenantMove = {
  tenantId: TenantId;
  moveId: string;
  direction: "out" | "in";
  otherCell: string;
  /**
   * `closing`: calls are refused. `parked`: its rows are parked, or on their way. `done`: the other cell has it, or for one that
   * came: this one has. `cancelled`: it was to come, and does not.
   */
  state: "closing" | "parked" | "done" | "cancelled";
  name: string;
  slug: string;
  startedAt: Date;
  changedAt: Date;
};

export async function findMove(tx: Tx, tenantId: TenantId): Promise<TenantMove | undefined> {
  const [row] = await tx<TenantMove[]>`
    select tenant_id as "tenantId", move_id as "moveId", direction, other_cell as "otherCell", state, name, slug,
      started_at as "startedAt", changed_at as "changedAt"
    from tenant_moves where tenant_id = ${tenantId}`;
  return row;
}

/** Tenants that left or are about to, by slug; for those who name one that is not here. */
export async function findMoveBySlug(tx: Tx, slug: string): Promise<TenantMove | undefined> {
  const [row] = await tx<{ tenantId: TenantId }[]>`
    select tenant_id as "tenantId" from tenant_moves
    where slug = ${slug} and direction = 'out' order by changed_at desc limit 1`;
  return row && (await findMove(tx, row.tenantId));
}

/** Writes a move over an earlier one of the tenant. */
export async function putMove(
  tx: Tx,
  move: Omit<TenantMove, "startedAt" | "changedAt">,
): Promise<void> {
  await tx`
    insert into tenant_moves (tenant_id, move_id, direction, other_cell, state, name, slug, started_at, changed_at)
    values (${move.tenantId}, ${move.moveId}, ${move.direction}, ${move.otherCell}, ${move.state}, ${move.name}, ${move.slug},
      now(), now())
    on conflict (tenant_id) do update set move_id = excluded.move_id, direction = excluded.direction,
      other_cell = excluded.other_cell, state = excluded.state, name = excluded.name, slug = excluded.slug,
      started_at = excluded.started_at, changed_at = excluded.changed_at`;
}

/** Writes that a move was cancelled, unless it has been written already how it ended; waits for a transaction that writes it. */
export async function fenceMove(
  tx: Tx,
  move: Omit<TenantMove, "startedAt" | "changedAt">,
): Promise<void> {
  await tx`
    insert into tenant_moves as m (tenant_id, move_id, direction, other_cell, state, name, slug, started_at, changed_at)
    values (${move.tenantId}, ${move.moveId}, 'in', ${move.otherCell}, 'cancelled', ${move.name}, ${move.slug}, now(), now())
    on conflict (tenant_id) do update set move_id = excluded.move_id, direction = excluded.direction,
      other_cell = excluded.other_cell, state = excluded.state, started_at = excluded.started_at,
      changed_at = excluded.changed_at
    where m.move_id <> excluded.move_id`;
}

export async function updateMoveState(
  tx: Tx,
  tenantId: TenantId,
  state: TenantMove["state"],
): Promise<void> {
  await tx`
    update tenant_moves set state = ${state}, is_open = false, changed_at = now() where tenant_id = ${tenantId}`;
}

/** Lets the functions that move rows see those of the tenant, until the end of the transaction closes it again. */
export async function setOpen(tx: Tx, tenantId: TenantId, isOpen: boolean): Promise<void> {
  await tx`update tenant_moves set is_open = ${isOpen} where tenant_id = ${tenantId}`;
}

/** Forgets a move that has parked nothing. @returns False when it has by now. */
export async function deleteClosingMove(tx: Tx, tenantId: TenantId): Promise<boolean> {
  const rows = await tx`
    delete from tenant_moves where tenant_id = ${tenantId} and state = 'closing' returning 1`;
  return rows.length > 0;
}

export type TenantNames = { name: string; slug: string; externalId: string | null };

/** Locks a tenant, so that nothing is added to it until the end of the transaction. */
export async function lockTenant(tx: Tx, tenantId: TenantId): Promise<TenantNames | undefined> {
  const [row] = await tx<TenantNames[]>`
    select name, slug, external_id as "externalId" from tenants
    where tenant_id = ${tenantId} and deleted_at is null for update`;
  return row;
}

/** Publishes that a tenant, its keys and the roles of its members changed, as its rows are here. */
export async function publishWhole(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`select record_change('key', ${tenantId}, key_id) from api_keys where tenant_id = ${tenantId}`;
  await tx`select record_change('user', ${tenantId}, user_id) from members where tenant_id = ${tenantId}`;
  await tx`select record_change('tenant', ${tenantId}, ${tenantId})`;
}

/** Says that hours of the tenant's usage changed, which may be copied to another engine. */
export async function markHoursChanged(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`
    insert into changed_hours as h (occurred_at)
    select distinct occurred_at from usage_rollups_hourly where tenant_id = ${tenantId} order by 1
    on conflict (occurred_at) do update set changes = h.changes + 1`;
}

/** What was under way when the tenant's rows were parked, and so must not have been; null for nothing. */
export async function findUnderWay(tx: Tx, tenantId: TenantId, now: Date): Promise<string | null> {
  const [row] = await tx<[{ deliveries: boolean; payments: boolean; refunds: boolean }]>`
    select exists (
        select from parked_rows where tenant_id = ${tenantId} and table_name = 'webhook_deliveries'
          and (content::webhook_deliveries).claimed_until > ${now}
      ) as deliveries,
      exists (
        select from parked_rows where tenant_id = ${tenantId} and table_name = 'payment_attempts'
          and (content::payment_attempts).state in ('pending', 'unknown')
      ) as payments,
      exists (
        select from parked_rows where tenant_id = ${tenantId} and table_name = 'payment_refunds'
          and (content::payment_refunds).state in ('pending', 'unknown')
      ) as refunds`;
  if (row.deliveries) {
    return "A webhook is being sent.";
  }
  if (row.payments) {
    return "A payment is being made.";
  }
  return row.refunds ? "A refund is being made." : null;
}

/** Ends what acts for the tenant by name: operators who act in it. */
export async function endActing(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`
    update acting_sessions set ended_at = least(now(), expires_at)
    where tenant_id = ${tenantId} and ended_at is null`;
}

/** True while a process may still spend from a lease of the tenant. */
export async function hasLiveLeases(tx: Tx, tenantId: TenantId): Promise<boolean> {
  const rows = await tx`
    select 1 from leases where tenant_id = ${tenantId} and state = 'active' and expires_at > now() limit 1`;
  return rows.length > 0;
}

/** Up to which parked row what was recorded late has been added here. */
export async function lockLateTo(tx: Tx, tenantId: TenantId): Promise<bigint> {
  const [row] = await tx<[{ lateTo: bigint }]>`
    select late_to as "lateTo" from tenant_moves where tenant_id = ${tenantId} for update`;
  return row.lateTo;
}

export async function updateLateTo(tx: Tx, tenantId: TenantId, lateTo: bigint): Promise<void> {
  await tx`update tenant_moves set late_to = ${lateTo}, changed_at = now() where tenant_id = ${tenantId}`;
}

/** A tenant that is here, by its id or slug. */
export async function findTenantNames(
  tx: Tx,
  idOrSlug: string,
): Promise<(TenantNames & { tenantId: TenantId }) | undefined> {
  const [row] = await tx<(TenantNames & { tenantId: TenantId })[]>`
    select tenant_id as "tenantId", name, slug, external_id as "externalId" from tenants
    where deleted_at is null and (tenant_id = ${idOrSlug} or slug = ${idOrSlug})`;
  return row;
}

/** Notes which version of the directory's entry says that a tenant is here. */
export async function updatePlaceVersion(
  tx: Tx,
  tenantId: TenantId,
  version: number,
): Promise<void> {
  await tx`update tenants set place_version = ${version} where tenant_id = ${tenantId}`;
}

/** A tenant whose move has begun and not ended. */
export type TenantOnItsWay = Pick<TenantMove, "slug" | "changedAt">;

/** Those that are about to leave this cell or are on their way, the longest first; at most 20. */
export async function listOnTheirWay(tx: Tx): Promise<TenantOnItsWay[]> {
  return await tx<TenantOnItsWay[]>`
    select slug, changed_at as "changedAt" from tenant_moves
    where direction = 'out' and state in ('closing', 'parked') order by changed_at limit 20`;
}
