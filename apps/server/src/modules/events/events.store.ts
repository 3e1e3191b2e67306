import { hash } from "node:crypto";
import {
  instantsLiteral,
  numbersLiteral,
  textsLiteral,
  wordsLiteral,
} from "@turnpike/db/array-literal";
import type { Tx } from "@turnpike/db/client";
import type { RejectionCode } from "@turnpike/domain/events/rejection";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { EventRow } from "./ingest/event-row.ts";

function toHash(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}

type Measure = { row: EventRow; place: number; measurement: EventRow["measurements"][number] };

function listMeasures(rows: readonly EventRow[]): Measure[] {
  const measures: Measure[] = [];
  for (const [index, row] of rows.entries()) {
    for (const measurement of row.measurements) {
      measures.push({ row, place: index + 1, measurement });
    }
  }
  return measures;
}

/**
 * Records events and everything derived from them, in one statement.
 *
 * @param rows - Without duplicates.
 * @param revision - The revision of the meters that measured them.
 * @returns The indexes of events that were recorded before; `"stale"` if the meters have changed and nothing was recorded.
 */
export async function recordEvents(
  tx: Tx,
  input: { batchId: string; revision: bigint; rows: readonly EventRow[] },
): Promise<ReadonlySet<number> | "stale"> {
  const { batchId, revision, rows } = input;
  const measures = listMeasures(rows);
  const measured = measures.map(({ measurement }) => measurement);
  const [answer] = await tx<{ known: number[] | null }[]>`
    select record_events(
      ${batchId}, ${revision.toString()},
      ${wordsLiteral(rows.map((row) => row.hash))}::text::uuid[],
      ${wordsLiteral(rows.map((row) => row.tenantId))}::text::text[],
      ${textsLiteral(rows.map((row) => row.key?.keyId ?? ""))}::text::text[],
      ${textsLiteral(rows.map((row) => row.source))}::text::text[],
      ${textsLiteral(rows.map((row) => row.id))}::text::text[],
      ${textsLiteral(rows.map((row) => row.type))}::text::text[],
      ${instantsLiteral(rows.map((row) => row.occurredAtMs))}::text::timestamptz[],
      ${textsLiteral(rows.map((row) => row.data))}::text::text[],
      ${numbersLiteral(measures.map(({ place }) => place))}::text::int[],
      ${wordsLiteral(measures.map(({ row }) => row.tenantId))}::text::text[],
      ${textsLiteral(measures.map(({ row }) => row.key?.keyId ?? ""))}::text::text[],
      ${textsLiteral(measures.map(({ row }) => row.key?.originKeyId ?? ""))}::text::text[],
      ${wordsLiteral(measured.map(({ meter }) => meter.meterId))}::text::text[],
      ${numbersLiteral(measured.map(({ meter }) => meter.version))}::text::int[],
      ${instantsLiteral(measures.map(({ row }) => row.occurredAtMs))}::text::timestamptz[],
      ${instantsLiteral(measures.map(({ row }) => row.periodStartMs))}::text::timestamptz[],
      ${instantsLiteral(measures.map(({ row }) => row.periodEndMs))}::text::timestamptz[],
      ${wordsLiteral(measured.map(({ quantity }) => quantity))}::text::numeric[],
      ${textsLiteral(measured.map(({ value }) => value ?? null))}::text::numeric[],
      ${textsLiteral(measured.map(({ meter, value }) => (meter.aggregation === "latest" ? (value ?? null) : null)))}::text::numeric[],
      ${textsLiteral(measured.map(({ unique }) => (unique === undefined ? null : toHash(unique))))}::text::uuid[],
      ${textsLiteral(measured.map(({ dimensions }) => textsLiteral(dimensions)))}::text::text[]
    ) as known`;
  const known = answer?.known;
  return known === null || known === undefined ? "stale" : new Set(known.map((place) => place - 1));
}

/** Finds which of these identities were recorded before. @param hashes - At most 10,000. */
export async function findKnownEvents(
  tx: Tx,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx<{ hash: string }[]>`
    select replace(event_hash::text, '-', '') as hash from event_ids
    where event_hash = any(${wordsLiteral(hashes)}::text::uuid[])`;
  return new Set(rows.map(({ hash }) => hash));
}

export type SubjectRow = { tenant_id: TenantId; external_id: string | null };

/** Finds tenants by their ids or by the operator's names for them. */
export async function findSubjects(tx: Tx, names: readonly string[]): Promise<SubjectRow[]> {
  return await tx<SubjectRow[]>`
    select tenant_id, external_id from tenants
    where tenant_id = any(${[...names]}::text[]) or external_id = any(${[...names]}::text[])`;
}

export type RejectionRow = {
  tenantId: TenantId | null;
  code: RejectionCode;
  reason: string;
  source: string | null;
  id: string | null;
  type: string | null;
  subject: string | null;
};

export async function insertRejections(
  tx: Tx,
  rows: readonly RejectionRow[],
  input: { rejectedAt: Date; sentBy: string },
): Promise<void> {
  await tx`
    insert into rejected_events (tenant_id, rejected_at, code, reason, source, event_id, event_type, subject, sent_by)
    select tenant_id, ${input.rejectedAt}, code, reason, source, event_id, event_type, subject, ${input.sentBy}
    from unnest(
      ${rows.map((row) => row.tenantId ?? "")}::text[],
      ${rows.map((row) => row.code)}::text[],
      ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.source)}::text[],
      ${rows.map((row) => row.id)}::text[],
      ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.subject)}::text[]
    ) as input (tenant_id, code, reason, source, event_id, event_type, subject)`;
}

export type StoredRejection = {
  rejection_id: bigint;
  tenant_id: TenantId | null;
  rejected_at: Date;
  code: RejectionCode;
  reason: string;
  source: string | null;
  event_id: string | null;
  event_type: string | null;
  subject: string | null;
  sent_by: string;
  tenant_name: string | null;
  sender_name: string | null;
};

export type RejectionPage = {
  /** Null for all. */
  tenantId: TenantId | null;
  beforeId: string | undefined;
  limit: number;
  code: RejectionCode | undefined;
  /** Part of the type. */
  type: string | undefined;
};

/** How many rows a filter searches: ten times the most that a tenant has. */
const SEARCHED_MAX = 100_000;

/** Newest first. Shows names of service keys only to the operator: a tenant's transaction may not read them. */
export async function listRejections(tx: Tx, page: RejectionPage): Promise<StoredRejection[]> {
  const { tenantId, beforeId, code, type } = page;
  const serviceKeyName =
    tenantId === null
      ? tx`(select k.name from service_keys k where e.sent_by = 'service_key ' || k.service_key_id)`
      : tx`null`;
  return await tx<StoredRejection[]>`
    select rejection_id, nullif(tenant_id, '') as tenant_id, rejected_at, code, reason, source, event_id, event_type, subject, sent_by,
      (select t.name from tenants t where t.tenant_id = e.tenant_id) as tenant_name,
      coalesce(
        (select k.name from api_keys k where k.tenant_id = e.tenant_id and e.sent_by = 'key ' || k.key_id),
        ${serviceKeyName}
      ) as sender_name
    from (
      select * from rejected_events
      where ${tenantId === null ? tx`true` : tx`tenant_id = ${tenantId}`}
        ${beforeId === undefined ? tx`` : tx`and rejection_id < ${beforeId}`}
      order by rejection_id desc
      limit ${SEARCHED_MAX}
    ) e
    where true
      ${code === undefined ? tx`` : tx`and code = ${code}`}
      ${type === undefined ? tx`` : tx`and position(${type} in event_type) > 0`}
    order by rejection_id desc
    limit ${page.limit}`;
}

/** Deletes old rejections, a bounded number at a time, oldest first. */
export async function deleteOldRejections(
  tx: Tx,
  input: { days: number; rowsMax: number },
): Promise<number> {
  // Only the index on ids, which grow with time, covers all tenants. Selecting by ctid avoids a scan of the table.
  const rows = await tx`
    delete from rejected_events
    where ctid = any(array(select ctid from rejected_events order by rejection_id limit ${input.rowsMax}))
      and rejected_at < now() - make_interval(days => ${input.days})
    returning 1`;
  return rows.length;
}

export type TenantRejections = {
  /** `''` for rejections that belong to no tenant. */
  tenant_id: string;
  /** The newest of the surplus rejections; null if there are none. */
  surplus_id: bigint | null;
};

/** A page of tenants with rejections, by id, each with the newest rejection beyond the newest `keptMax`. */
export async function listRejectingTenants(
  tx: Tx,
  input: { after: string | undefined; tenantsMax: number; keptMax: number },
): Promise<TenantRejections[]> {
  const { after } = input;
  // Walks from tenant to tenant by the primary key. Comparing pairs makes the planner use it within a tenant, too. For ids alone it
  // would read the index over all tenants from its end, for each of them.
  return await tx<TenantRejections[]>`
    with recursive tenants (tenant_id) as (
      (
        select tenant_id from rejected_events ${after === undefined ? tx`` : tx`where tenant_id > ${after}`}
        order by tenant_id limit 1
      )
      union all
      select (select tenant_id from rejected_events where tenant_id > t.tenant_id order by tenant_id limit 1)
      from tenants t where t.tenant_id is not null
    )
    select t.tenant_id, surplus.rejection_id as surplus_id
    from (select tenant_id from tenants where tenant_id is not null limit ${input.tenantsMax}) t
    left join lateral (
      select rejection_id from rejected_events
      where (tenant_id, rejection_id) > (t.tenant_id, 0)
        and (tenant_id, rejection_id) <= (t.tenant_id, 9223372036854775807)
      order by tenant_id desc, rejection_id desc offset ${input.keptMax} limit 1
    ) surplus on true
    order by t.tenant_id`;
}

/** Deletes the rejections of a tenant up to a given one, a bounded number at a time, oldest first. */
export async function deleteRejectionsUpTo(
  tx: Tx,
  input: { tenantId: string; surplusId: bigint; rowsMax: number },
): Promise<number> {
  const { tenantId, surplusId, rowsMax } = input;
  const rows = await tx`
    delete from rejected_events
    where ctid = any(array(
      select ctid from rejected_events
      where (tenant_id, rejection_id) > (${tenantId}, 0)
        and (tenant_id, rejection_id) <= (${tenantId}, ${surplusId.toString()})
      order by tenant_id, rejection_id limit ${rowsMax}
    ))
    returning 1`;
  return rows.length;
}

/** Deletes old identities of events, a bounded number at a time. */
export async function deleteOldEventIds(
  tx: Tx,
  input: { days: number; rowsMax: number },
): Promise<number> {
  const rows = await tx`
    delete from event_ids
    where event_hash in (
      select event_hash from event_ids
      where recorded_at < now() - make_interval(days => ${input.days}) limit ${input.rowsMax}
    )
    returning 1`;
  return rows.length;
}

/** Creates the partitions of the coming days and drops those older than the retention time. */
export async function maintainEventPartitions(
  tx: Tx,
  input: { daysAhead: number; daysKept: number },
): Promise<{ made: number; dropped: number }> {
  const [row] = await tx<{ made: number; dropped: number }[]>`
    select made, dropped from keep_event_partitions(${input.daysAhead}, ${input.daysKept})`;
  // Rows that arrived when their day had no partition.
  await tx`
    delete from usage_events
    where recorded_at < date_trunc('day', now(), 'UTC') - make_interval(days => ${input.daysKept})`;
  return row ?? { made: 0, dropped: 0 };
}

export type StoredEvent = {
  recorded_at: Date;
  occurred_at: Date;
  event_hash: string;
  data: string | null;
};

/** The newest events of a type, over all tenants, up to `limit` and to `bytesMax` of data in total. */
export async function listRecentEvents(
  tx: Tx,
  input: { eventType: string; limit: number; bytesMax: number },
): Promise<StoredEvent[]> {
  // The length of a text is known without reading it.
  return await tx<StoredEvent[]>`
    select recorded_at, occurred_at, event_hash, data
    from (
      select *, coalesce(sum(octet_length(data)) over (order by recorded_at desc rows unbounded preceding), 0) as bytes
      from (
        select recorded_at, occurred_at, event_hash, data from usage_events
        where event_type = ${input.eventType}
        order by recorded_at desc
        limit ${input.limit}
      ) newest
    ) measured
    where bytes <= ${input.bytesMax}
    order by recorded_at desc`;
}

/** The first key that a key was rolled from. */
export async function findOriginKey(
  tx: Tx,
  key: { tenantId: TenantId; keyId: KeyId },
): Promise<KeyId | undefined> {
  const [row] = await tx<{ origin_key_id: KeyId }[]>`
    select origin_key_id from api_keys where tenant_id = ${key.tenantId} and key_id = ${key.keyId}`;
  return row?.origin_key_id;
}

/** How many events each meter has counted since an instant, and when the newest event of its type arrived. */
export async function listMeterActivity(
  tx: Tx,
  since: Date,
): Promise<{ meter_id: string; events: bigint; last_event_at: Date | null }[]> {
  return await tx<{ meter_id: string; events: bigint; last_event_at: Date | null }[]>`
    select m.meter_id,
      (
        select coalesce(sum(r.events), 0)::bigint from meter_rollups r
        where r.meter_id = m.meter_id and r.occurred_at >= ${since}
      ) as events,
      (select max(e.recorded_at) from usage_events e where e.event_type = m.event_type) as last_event_at
    from meters m
    where m.event_type is not null
    order by m.meter_id
    limit 1000`;
}
