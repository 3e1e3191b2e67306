import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AuditRow } from "./audit.store.ts";

/** How many entries a page looks at, at most: what is rare among many is found over several pages. */
export const LOOKED_AT_MAX = 10_000;

/** A trail by its name, or those of all tenants. */
export type AuditSource = { trail: string } | "tenants";

export type AuditFilters = {
  entityId: string | undefined;
  actorId: string | undefined;
  actorType: string | undefined;
  /** A noun of actions, or a whole action. */
  action: string | undefined;
  /** Half-open. */
  from: Date | undefined;
  to: Date | undefined;
  search: string | undefined;
};

/** A place in a trail. Times are to the millisecond, as entries are written. */
export type AuditPlace = { occurredAt: Date; auditId: string };

export type FoundRow = AuditRow & { tenant_id: string };

function nounOf(action: string): string {
  return action.split(".", 1)[0] ?? action;
}

/** The one condition beside the time that an index has, and what is left to check in the entries that are looked at. */
function toConditions(
  tx: Tx,
  source: AuditSource,
  filters: AuditFilters,
): { indexed: Fragment; left: Fragment[] } {
  const { entityId, actorId, actorType, action, search } = filters;
  const isOfOne = source !== "tenants";
  const conditions: { condition: Fragment; isIndexed: boolean }[] = [];
  if (entityId !== undefined) {
    const condition = tx`and entity_id = ${entityId}`;
    conditions.push({ condition, isIndexed: true });
  }
  if (actorId !== undefined) {
    conditions.push({ condition: tx`and actor_id = ${actorId}`, isIndexed: true });
  }
  if (action !== undefined) {
    const condition = tx`and noun = ${nounOf(action)}`;
    conditions.push({ condition, isIndexed: isOfOne });
  }
  const first = conditions.find(({ isIndexed }) => isIndexed);
  const left = conditions.flatMap((one) => (one === first ? [] : [one.condition]));
  if (action !== undefined && nounOf(action) !== action) {
    left.push(tx`and action = ${action}`);
  }
  if (actorType !== undefined) {
    left.push(tx`and actor_type = ${actorType}`);
  }
  if (search !== undefined) {
    // What people gave names to, and what programs are known by: no other field of the details.
    left.push(tx`and strpos(lower(concat_ws(' ', action, entity_id, actor_id, request_id, details ->> 'name',
      details ->> 'email', details ->> 'reason', details #>> '{acting,reason}')), lower(${search})) > 0`);
  }
  return { indexed: first?.condition ?? tx``, left };
}

type AuditPage = { filters: AuditFilters; before: AuditPlace | undefined; limit: number };

/** What a page looks at, newest first: the entries in its range that the condition of one index leaves. */
export function selectLookedAt(
  tx: Tx,
  source: AuditSource,
  { filters, before }: Omit<AuditPage, "limit">,
): { lookedAt: Fragment; left: Fragment[] } {
  const { indexed, left } = toConditions(tx, source, filters);
  const { from, to } = filters;
  const lookedAt = tx`
    select tenant_id, audit_id, occurred_at, actor_type, actor_id, action, noun, entity_type, entity_id, request_id, details
    from audit_entries
    where ${source === "tenants" ? tx`(tenant_id <> 'operator')` : tx`tenant_id = ${source.trail}`} ${indexed}
      ${from === undefined ? tx`` : tx`and occurred_at >= ${from}`}
      ${to === undefined ? tx`` : tx`and occurred_at < ${to}`}
      ${before === undefined ? tx`` : tx`and (occurred_at, audit_id) < (${before.occurredAt}, ${before.auditId})`}
    order by occurred_at desc, audit_id desc`;
  return { lookedAt, left };
}

/**
 * Finds entries, newest first. Those of all tenants need the operator role.
 *
 * @returns At most `limit` entries, and the place where to go on; undefined at the end. A page that has looked at enough entries
 *   ends with those that it found.
 */
export async function findAuditRows(
  tx: Tx,
  source: AuditSource,
  page: AuditPage,
): Promise<{ rows: FoundRow[]; next: AuditPlace | undefined }> {
  const { limit } = page;
  const { lookedAt, left } = selectLookedAt(tx, source, page);
  const isFiltered = left.length > 0;
  const rows = await tx<FoundRow[]>`
    select * from (${lookedAt} limit ${isFiltered ? LOOKED_AT_MAX : limit + 1}) as looked_at
    where true ${left.reduce((all, one) => tx`${all} ${one}`, tx``)}
    order by occurred_at desc, audit_id desc
    limit ${limit + 1}`;
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  if (rows.length > limit && last !== undefined) {
    return { rows: shown, next: { occurredAt: last.occurred_at, auditId: last.audit_id } };
  }
  if (!isFiltered) {
    return { rows: shown, next: undefined };
  }
  const [end] = await tx<AuditPlace[]>`
    select occurred_at as "occurredAt", audit_id as "auditId"
    from (${lookedAt} offset ${LOOKED_AT_MAX - 1} limit 1) as last`;
  return { rows: shown, next: end };
}

/** The names of tenants, those of deleted ones too. Needs the operator role that sees them. */
export async function listTenantNames(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx<{ tenant_id: TenantId; name: string }[]>`
    select tenant_id, name from tenants where tenant_id = any(${[...new Set(tenantIds)]}::text[])`;
  return new Map(rows.map((row) => [row.tenant_id, row.name]));
}
