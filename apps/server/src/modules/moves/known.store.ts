import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Everything here needs the role that records usage. */

export type EventId = { hash: string; recordedAt: Date };

/** Identities of events that are not kept any more, by their hash. */
export async function listEventIds(
  tx: Tx,
  page: { after: string | undefined; limit: number },
): Promise<EventId[]> {
  return await tx<EventId[]>`
    select event_hash::text as hash, recorded_at as "recordedAt" from event_ids
    where recorded_at < coalesce((select min(recorded_at) from usage_events), now())
      ${page.after === undefined ? tx`` : tx`and event_hash > ${page.after}::uuid`}
    order by event_hash limit ${page.limit}`;
}

export async function insertEventIds(tx: Tx, ids: readonly EventId[]): Promise<void> {
  await tx`
    insert into event_ids (event_hash, recorded_at)
    select hash::uuid, recorded_at
    from unnest(${ids.map(({ hash }) => hash)}::text[], ${ids.map(({ recordedAt }) => recordedAt.toISOString())}::timestamptz[])
      as i (hash, recorded_at)
    order by 1
    on conflict do nothing`;
}

/** Identities of these events, as PostgreSQL writes rows of them. */
export async function insertEventIdsOf(tx: Tx, contents: readonly string[]): Promise<void> {
  await tx`
    insert into event_ids (event_hash, recorded_at)
    select (content::usage_events).event_hash, (content::usage_events).recorded_at
    from unnest(${[...contents]}::text[]) as content
    order by 1
    on conflict do nothing`;
}

/** Parts of access logs that name a tenant, as PostgreSQL writes their rows. */
export async function listImports(tx: Tx, tenantId: TenantId): Promise<string[]> {
  const rows = await tx<{ content: string }[]>`
    select i::text as content from imported_history i where ${tenantId} = any(tenant_ids)`;
  return rows.map((row) => row.content);
}

export async function insertImports(tx: Tx, contents: readonly string[]): Promise<void> {
  await tx`
    insert into imported_history
    select (content::imported_history).* from unnest(${[...contents]}::text[]) as content
    on conflict do nothing`;
}
