import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { AlertCondition, AlertPhase } from "@turnpike/domain/alerts/alert-rule";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type AlertRow = {
  tenant_id: TenantId;
  alert_id: string;
  name: string;
  query: { measure: string; filters: Record<string, string> };
  window_minutes: number;
  condition: AlertCondition;
  for_evaluations: number;
  renotify_minutes: number | null;
  mail_roles: Role[];
  paused_at: Date | null;
  paused_until: Date | null;
  phase: AlertPhase;
  phase_since: Date | null;
  streak: number;
  evaluated_to: Date | null;
  notice_at: Date | null;
  last_value: number | null;
  last_previous: number | null;
  last_error: string | null;
  timeouts: number;
  next_evaluation_at: Date;
  claimed_until: Date | null;
  revision: bigint;
  created_at: Date;
  updated_at: Date;
};

/** The columns that an evaluation or an edit changes. */
const CHANGING = [
  "name",
  "query",
  "window_minutes",
  "condition",
  "for_evaluations",
  "renotify_minutes",
  "mail_roles",
  "paused_at",
  "paused_until",
  "phase",
  "phase_since",
  "streak",
  "evaluated_to",
  "notice_at",
  "last_value",
  "last_previous",
  "last_error",
  "timeouts",
  "next_evaluation_at",
  "claimed_until",
  "updated_at",
] as const;

const COLUMNS = ["tenant_id", "alert_id", ...CHANGING, "revision", "created_at"] as const;

export async function insertAlert(tx: Tx, row: AlertRow): Promise<void> {
  await tx`
    insert into alerts ${tx(
      { ...row, query: tx.json(row.query), condition: tx.json(row.condition) },
      ...COLUMNS,
    )}`;
}

/** Newest first. A tenant has few. */
export async function listAlertRows(
  tx: Tx,
  tenantId: TenantId,
  limit: number,
): Promise<AlertRow[]> {
  return await tx<AlertRow[]>`
    select ${tx(COLUMNS)} from alerts where tenant_id = ${tenantId} order by alert_id desc limit ${limit}`;
}

export async function findAlertRow(
  tx: Tx,
  tenantId: TenantId,
  alertId: string,
): Promise<AlertRow | undefined> {
  const [row] = await tx<AlertRow[]>`
    select ${tx(COLUMNS)} from alerts where tenant_id = ${tenantId} and alert_id = ${alertId}`;
  return row;
}

/** The same, locked until the end of the transaction. */
export async function lockAlertRow(
  tx: Tx,
  tenantId: TenantId,
  alertId: string,
): Promise<AlertRow | undefined> {
  const [row] = await tx<AlertRow[]>`
    select ${tx(COLUMNS)} from alerts where tenant_id = ${tenantId} and alert_id = ${alertId} for update`;
  return row;
}

/** Stores a row that this transaction has locked. The new revision invalidates decisions based on the old row. */
export async function updateAlertRow(tx: Tx, row: AlertRow): Promise<void> {
  await tx`
    update alerts set ${tx(
      { ...row, query: tx.json(row.query), condition: tx.json(row.condition) },
      ...CHANGING,
    )}, revision = revision + 1
    where tenant_id = ${row.tenant_id} and alert_id = ${row.alert_id}`;
}

export async function deleteAlertRow(
  tx: Tx,
  tenantId: TenantId,
  alertId: string,
): Promise<AlertRow | undefined> {
  const [row] = await tx<AlertRow[]>`
    delete from alerts where tenant_id = ${tenantId} and alert_id = ${alertId}
    returning ${tx(COLUMNS)}`;
  return row;
}

/** How many of the longest overdue alerts are considered for a batch: far more tenants than a batch holds. */
const CANDIDATES_MAX = 1_000;

/**
 * Claims alerts that are due and unclaimed, until `until`; later the claiming process is presumed dead. Takes at most `perTenant`
 * of one tenant, longest overdue first. Tenants take turns, the least recently evaluated first, so that a tenant with many or
 * slow alerts does not hold up the others. Needs the operator role.
 */
export async function claimAlertRows(
  tx: Tx,
  input: {
    now: Date;
    until: Date;
    limit: number;
    perTenant: number;
    /** Left out: all tenants. */
    tenantIds?: readonly TenantId[] | undefined;
  },
): Promise<AlertRow[]> {
  const { now, until, limit, perTenant, tenantIds } = input;
  const isFree = tx`
    a.next_evaluation_at <= ${now} and (a.claimed_until is null or a.claimed_until <= ${now})
    and (a.paused_at is null or a.paused_until is not null) and (a.paused_at is null or a.paused_until <= ${now})`;
  return await tx<AlertRow[]>`
    with due as (
      select tenant_id, alert_id, next_evaluation_at from alerts a
      where ${isFree}
        ${tenantIds === undefined ? tx`` : tx`and tenant_id = any(${[...tenantIds]})`}
        -- Those that are deleted are not seen.
        and tenant_id in (select tenant_id from tenants)
      order by next_evaluation_at
      limit ${CANDIDATES_MAX}
    ),
    served as (
      select a.tenant_id, max(a.evaluated_to) as served_to from alerts a
      where a.tenant_id in (select tenant_id from due)
      group by a.tenant_id
    ),
    turns as (
      select due.*, served_to, row_number() over (partition by tenant_id order by next_evaluation_at, alert_id) as turn
      from due join served using (tenant_id)
    ),
    taken as (
      select a.tenant_id, a.alert_id from alerts a join turns using (tenant_id, alert_id)
      -- Checked again on the locked row, which may have been claimed or paused since it was read.
      where turn <= ${perTenant} and ${isFree}
      order by turn, served_to nulls first, a.next_evaluation_at, a.alert_id
      limit ${limit}
      for update of a skip locked
    )
    update alerts a set claimed_until = ${until}, revision = revision + 1
    from taken where a.tenant_id = taken.tenant_id and a.alert_id = taken.alert_id
    returning ${tx(COLUMNS.map((column) => `a.${column}`))}`;
}

/**
 * Makes alerts due again whose last window ends after `aheadOf`, as if they had not been evaluated yet. Keeps their phase, but
 * moves none of its times into the future. Invalidates claims on them. Needs the operator role.
 *
 * @returns How many alerts.
 */
export async function rewindAlertRows(
  tx: Tx,
  input: { now: Date; aheadOf: Date; limit: number },
): Promise<number> {
  const { now, aheadOf, limit } = input;
  const result = await tx`
    update alerts a
    set evaluated_to = null, streak = 0, phase_since = least(a.phase_since, ${now}::timestamptz),
      notice_at = least(a.notice_at, ${now}::timestamptz), next_evaluation_at = ${now}::timestamptz, claimed_until = null,
      revision = revision + 1
    from (
      select tenant_id, alert_id from alerts
      -- What was looked at until then is due later; the index knows of that alone.
      where next_evaluation_at > ${aheadOf} and evaluated_to > ${aheadOf} and paused_at is null
      order by next_evaluation_at
      limit ${limit}
      for update skip locked
    ) ahead
    where a.tenant_id = ahead.tenant_id and a.alert_id = ahead.alert_id`;
  return result.count;
}
