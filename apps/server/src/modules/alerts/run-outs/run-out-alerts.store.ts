import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type RunOutSettingsRow = { days: number | null; mail_roles: Role[] };

export async function findRunOutSettings(
  tx: Tx,
  tenantId: TenantId,
): Promise<RunOutSettingsRow | undefined> {
  const [row] = await tx<RunOutSettingsRow[]>`
    select days, mail_roles from run_out_alert_settings where tenant_id = ${tenantId}`;
  return row;
}

export async function upsertRunOutSettings(
  tx: Tx,
  tenantId: TenantId,
  { days, mail_roles, updated_at }: RunOutSettingsRow & { updated_at: Date },
): Promise<void> {
  await tx`
    insert into run_out_alert_settings (tenant_id, days, mail_roles, updated_at)
    values (${tenantId}, ${days}, ${mail_roles}, ${updated_at})
    on conflict (tenant_id) do update
      set days = excluded.days, mail_roles = excluded.mail_roles, updated_at = excluded.updated_at`;
}

/** What had a notice, with the end of its period. */
export type RunOutStateRow = { what: string; resets_at: Date | null };

/** All of a tenant, locked until the end of the transaction, by what they are of. Needs the operator role. */
export async function lockRunOutStates(
  tx: Tx,
  tenantId: TenantId,
): Promise<Map<string, RunOutStateRow>> {
  const rows = await tx<RunOutStateRow[]>`
    select what, resets_at from run_out_alert_states where tenant_id = ${tenantId} order by what for update`;
  return new Map(rows.map((row) => [row.what, row]));
}

/**
 * Stores which notices were sent. Of two processes that send at once the first one does.
 *
 * @returns False when another has stored it meanwhile.
 */
export async function insertRunOutState(
  tx: Tx,
  tenantId: TenantId,
  { what, resets_at, told_at }: RunOutStateRow & { told_at: Date },
): Promise<boolean> {
  const rows = await tx`
    insert into run_out_alert_states (tenant_id, what, resets_at, told_at)
    values (${tenantId}, ${what}, ${resets_at}, ${told_at})
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

export async function deleteRunOutState(tx: Tx, tenantId: TenantId, what: string): Promise<void> {
  await tx`delete from run_out_alert_states where tenant_id = ${tenantId} and what = ${what}`;
}
