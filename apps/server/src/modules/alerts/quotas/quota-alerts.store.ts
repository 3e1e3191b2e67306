import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type QuotaSettingsRow = { tenant_id: TenantId; thresholds: number[]; mail_roles: Role[] };

export async function listQuotaSettings(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<QuotaSettingsRow[]> {
  return await tx<QuotaSettingsRow[]>`
    select tenant_id, thresholds, mail_roles from quota_alert_settings where tenant_id = any(${[...tenantIds]})`;
}

export async function upsertQuotaSettings(
  tx: Tx,
  row: QuotaSettingsRow & { updated_at: Date },
): Promise<void> {
  await tx`
    insert into quota_alert_settings (tenant_id, thresholds, mail_roles, updated_at)
    values (${row.tenant_id}, ${row.thresholds}, ${row.mail_roles}, ${row.updated_at})
    on conflict (tenant_id) do update
      set thresholds = excluded.thresholds, mail_roles = excluded.mail_roles, updated_at = excluded.updated_at`;
}

export type QuotaStateRow = {
  tenant_id: TenantId;
  meter_id: string;
  environment: string;
  period_start: Date;
  quota_limit: number;
  threshold: number;
  highest: number;
};

export async function listQuotaStates(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<QuotaStateRow[]> {
  return await tx<QuotaStateRow[]>`
    select tenant_id, meter_id, environment, period_start, quota_limit, threshold, highest
    from quota_alert_states where tenant_id = any(${[...tenantIds]})`;
}

/**
 * Creates the state row of a quota if it is missing, and locks it until the end of the transaction. So two processes decide on a
 * quota one after the other.
 */
export async function lockQuotaState(
  tx: Tx,
  of: Pick<QuotaStateRow, "tenant_id" | "meter_id" | "environment" | "period_start"> & { at: Date },
): Promise<QuotaStateRow | undefined> {
  await tx`
    insert into quota_alert_states (tenant_id, meter_id, environment, period_start, quota_limit, threshold, decided_at)
    values (${of.tenant_id}, ${of.meter_id}, ${of.environment}, ${of.period_start}, 0, 0, ${of.at})
    on conflict do nothing`;
  const [row] = await tx<QuotaStateRow[]>`
    select tenant_id, meter_id, environment, period_start, quota_limit, threshold, highest from quota_alert_states
    where tenant_id = ${of.tenant_id} and meter_id = ${of.meter_id} and environment = ${of.environment}
    for update`;
  return row;
}

export async function updateQuotaState(tx: Tx, row: QuotaStateRow & { at: Date }): Promise<void> {
  await tx`
    update quota_alert_states
    set period_start = ${row.period_start}, quota_limit = ${row.quota_limit}, threshold = ${row.threshold},
      highest = ${row.highest}, decided_at = ${row.at}
    where tenant_id = ${row.tenant_id} and meter_id = ${row.meter_id} and environment = ${row.environment}`;
}
