import type { AlertHappening } from "@turnpike/contract/alerts";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type HappeningRow = {
  happening_id: string;
  happened_at: Date;
  what: AlertHappening["what"];
  value: number | null;
  note: string;
};

export async function insertHappening(
  tx: Tx,
  alert: { tenant_id: TenantId; alert_id: string },
  row: HappeningRow,
): Promise<void> {
  await tx`
    insert into alert_happenings (tenant_id, alert_id, happening_id, happened_at, what, value, note)
    values (${alert.tenant_id}, ${alert.alert_id}, ${row.happening_id}, ${row.happened_at}, ${row.what}, ${row.value},
      ${row.note})`;
}

/** Newest first, from before an id on. */
export async function listHappeningRows(
  tx: Tx,
  tenantId: TenantId,
  page: { alertId: string; beforeId: string | undefined; limit: number },
): Promise<HappeningRow[]> {
  const before = page.beforeId ?? null;
  return await tx<HappeningRow[]>`
    select happening_id, happened_at, what, value, note from alert_happenings
    where tenant_id = ${tenantId} and alert_id = ${page.alertId}
      and (${before}::text is null or happening_id < ${before})
    order by happening_id desc
    limit ${page.limit}`;
}

/** When an alert was tested the last time, of the tests after `after`. */
export async function findTestedAt(
  tx: Tx,
  of: { tenantId: TenantId; alertId: string; after: Date },
): Promise<Date | undefined> {
  const [row] = await tx<{ happened_at: Date }[]>`
    select happened_at from alert_happenings
    where tenant_id = ${of.tenantId} and alert_id = ${of.alertId} and what = 'tested' and happened_at > ${of.after}
    order by happened_at desc
    limit 1`;
  return row?.happened_at;
}

/** Needs the operator role. @returns How many were deleted, `limit` at the most. */
export async function deleteHappeningsBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from alert_happenings where (tenant_id, alert_id, happening_id) in (
      select tenant_id, alert_id, happening_id from alert_happenings where happened_at < ${before} limit ${limit}
    ) returning 1`;
  return rows.length;
}
