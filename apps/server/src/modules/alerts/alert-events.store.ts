import type { AlertEvent } from "@turnpike/contract/alerts";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type AlertEventRow = {
  alert_event_id: string;
  happened_at: Date;
  what: AlertEvent["what"];
  value: number | null;
  note: string;
};

export async function insertAlertEvent(
  tx: Tx,
  alert: { tenant_id: TenantId; alert_id: string },
  row: AlertEventRow,
): Promise<void> {
  await tx`
    insert into alert_events (tenant_id, alert_id, alert_event_id, happened_at, what, value, note)
    values (${alert.tenant_id}, ${alert.alert_id}, ${row.alert_event_id}, ${row.happened_at}, ${row.what}, ${row.value},
      ${row.note})`;
}

/** Newest first, starting before a given id. */
export async function listAlertEventRows(
  tx: Tx,
  tenantId: TenantId,
  page: { alertId: string; beforeId: string | undefined; limit: number },
): Promise<AlertEventRow[]> {
  const before = page.beforeId ?? null;
  return await tx<AlertEventRow[]>`
    select alert_event_id, happened_at, what, value, note from alert_events
    where tenant_id = ${tenantId} and alert_id = ${page.alertId}
      and (${before}::text is null or alert_event_id < ${before})
    order by alert_event_id desc
    limit ${page.limit}`;
}

/** The time of an alert's latest test after `after`. */
export async function findTestedAt(
  tx: Tx,
  of: { tenantId: TenantId; alertId: string; after: Date },
): Promise<Date | undefined> {
  const [row] = await tx<{ happened_at: Date }[]>`
    select happened_at from alert_events
    where tenant_id = ${of.tenantId} and alert_id = ${of.alertId} and what = 'tested' and happened_at > ${of.after}
    order by happened_at desc
    limit 1`;
  return row?.happened_at;
}

/** Needs the operator role. @returns How many rows were deleted, at most `limit`. */
export async function deleteAlertEventsBefore(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    delete from alert_events where (tenant_id, alert_id, alert_event_id) in (
      select tenant_id, alert_id, alert_event_id from alert_events where happened_at < ${before} limit ${limit}
    ) returning 1`;
  return rows.length;
}
