import { MONEY_KINDS } from "@turnpike/contract/insights";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { InsightBook } from "./save-found.ts";
import {
  CHANGING_COLUMNS,
  INSIGHT_COLUMNS,
  type StoredInsight,
  toFactsJson,
} from "./stored-insight.ts";

export type InsightRow = StoredInsight & { tenant_id: TenantId };

const COLUMNS = ["tenant_id", ...INSIGHT_COLUMNS] as const;

/** Newest first. */
export async function listInsightRows(
  tx: Tx,
  tenantId: TenantId,
  input: { isOpen: boolean; limit: number },
): Promise<InsightRow[]> {
  return await tx<InsightRow[]>`
    select ${tx(COLUMNS)} from insights
    where tenant_id = ${tenantId} and (not ${input.isOpen} or (ended_at is null and dismissed_at is null))
    order by since desc, insight_id desc
    limit ${input.limit}`;
}

/** Of all tenants, newest first, before a given id. Needs the operator role. */
export async function listOpenInsightRows(
  tx: Tx,
  page: { beforeId: string | undefined; seesMoney: boolean; limit: number },
): Promise<InsightRow[]> {
  const before = page.beforeId ?? null;
  return await tx<InsightRow[]>`
    select ${tx(COLUMNS)} from insights
    where ended_at is null and dismissed_at is null and (${before}::text is null or insight_id < ${before})
      and (${page.seesMoney} or kind <> all(${[...MONEY_KINDS]}::text[])
        and facts #>> '{evidence,measure}' is distinct from 'spend')
      and exists (select from tenants t where t.tenant_id = insights.tenant_id and t.deleted_at is null)
    order by insight_id desc
    limit ${page.limit}`;
}

/** Tenants that have an open insight. Needs the operator role. */
export async function listTenantsWithInsights(tx: Tx, limit: number): Promise<TenantId[]> {
  const rows = await tx<{ tenant_id: TenantId }[]>`
    select distinct tenant_id from insights
    where ended_at is null and dismissed_at is null
      and exists (select from tenants t where t.tenant_id = insights.tenant_id and t.deleted_at is null)
    order by tenant_id
    limit ${limit}`;
  return rows.map((row) => row.tenant_id);
}

/** Lets one scan of a tenant at a time store what it found: two would both tell of the same change. */
export async function lockInsightsOf(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`insights ${tenantId}`}, 0))`;
}

/** All of a tenant, locked until the end of the transaction, by their fingerprints. */
async function lockInsightRows(tx: Tx, tenantId: TenantId): Promise<Map<string, InsightRow>> {
  const rows = await tx<InsightRow[]>`
    select ${tx(COLUMNS)} from insights where tenant_id = ${tenantId} order by insight_id for update`;
  return new Map(rows.map((row) => [row.fingerprint, row]));
}

export async function lockInsightRow(
  tx: Tx,
  tenantId: TenantId,
  insightId: string,
): Promise<InsightRow | undefined> {
  const [row] = await tx<InsightRow[]>`
    select ${tx(COLUMNS)} from insights
    where tenant_id = ${tenantId} and insight_id = ${insightId} for update`;
  return row;
}

/** Stores a row, new or locked by this transaction. Of two new ones of a fingerprint the first stays. */
export async function saveInsightRow(tx: Tx, row: InsightRow): Promise<void> {
  const stored = { ...row, facts: toFactsJson(tx, row.facts) };
  await tx`
    insert into insights ${tx(stored, ...COLUMNS)}
    on conflict (tenant_id, fingerprint) do update set ${tx(stored, ...CHANGING_COLUMNS)}`;
}

/** Deletes what ended before. @returns How many. */
async function deleteEndedInsights(tx: Tx, tenantId: TenantId, before: Date): Promise<number> {
  const rows = await tx`
    delete from insights where tenant_id = ${tenantId} and ended_at < ${before} returning 1`;
  return rows.length;
}

/** The insights of a tenant. */
export function bookOf(tenantId: TenantId): InsightBook {
  return {
    lock: (tx) => lockInsightRows(tx, tenantId),
    save: (tx, row) => saveInsightRow(tx, { ...row, tenant_id: tenantId }),
    deleteEnded: (tx, before) => deleteEndedInsights(tx, tenantId, before),
  };
}

export type InsightCheck = { checked_at: Date; history_hours: number };

export async function findInsightCheck(
  tx: Tx,
  tenantId: TenantId,
): Promise<InsightCheck | undefined> {
  const [row] = await tx<InsightCheck[]>`
    select checked_at, history_hours from insight_checks where tenant_id = ${tenantId}`;
  return row;
}

export async function saveInsightCheck(
  tx: Tx,
  tenantId: TenantId,
  check: InsightCheck,
): Promise<void> {
  await tx`
    insert into insight_checks (tenant_id, checked_at, history_hours)
    values (${tenantId}, ${check.checked_at}, ${check.history_hours})
    on conflict (tenant_id) do update
    set checked_at = excluded.checked_at, history_hours = excluded.history_hours`;
}

/** Those of the given ids that exist, in no order. */
export async function listInsightRowsOf(
  tx: Tx,
  tenantId: TenantId,
  insightIds: readonly string[],
): Promise<InsightRow[]> {
  return await tx<InsightRow[]>`
    select ${tx(COLUMNS)} from insights
    where tenant_id = ${tenantId} and insight_id = any(${[...insightIds]}::text[])`;
}

/** Notes when insights were shown as new. */
export async function markInsightsOpened(
  tx: Tx,
  tenantId: TenantId,
  { insightIds, at }: { insightIds: readonly string[]; at: Date },
): Promise<void> {
  await tx`
    update insights set opened_at = ${at}
    where tenant_id = ${tenantId} and insight_id = any(${[...insightIds]}::text[])`;
}
