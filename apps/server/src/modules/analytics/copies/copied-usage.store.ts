import { unpackLatencies } from "@turnpike/domain/metering/latency-histogram";
import type { ClickHouse, ClickHouseRow } from "#platform/clickhouse.ts";
import type { HourRow } from "./usage-copies.store.ts";

/** Feeds are named by this product, and a name is checked all the same before it becomes part of a statement. */
const FEED = /^[0-9a-f]{16}$/;
const PREFIX = "usage_hours_";

/** @throws {RangeError} for what is no name of a feed. */
export function tableOf(feedId: string): string {
  if (!FEED.test(feedId)) {
    throw new RangeError(`${feedId} is no name of a feed.`);
  }
  return `${PREFIX}${feedId}`;
}

/** Makes the table of a feed, if it is not there. */
export async function ensureTable(clickhouse: ClickHouse, feedId: string): Promise<void> {
  // Rows that are asked for together lie together: one meter, then a range of time. Copies of an hour are neighbours.
  await clickhouse.command(`
    create table if not exists ${tableOf(feedId)} (
      copy Int64,
      occurred_at DateTime64(0, 'UTC'),
      meter_id LowCardinality(String),
      environment LowCardinality(String),
      tenant_id String,
      key_id String,
      outcome LowCardinality(String),
      status Int16,
      method LowCardinality(String),
      route LowCardinality(String),
      calls Int64,
      quantity Decimal(38, 12),
      bytes_in Int64,
      bytes_out Int64,
      latency_buckets Array(UInt16),
      latency_counts Array(UInt64),
      model LowCardinality(String)
    ) engine = MergeTree partition by toYYYYMM(occurred_at)
    order by (meter_id, occurred_at, copy, tenant_id)`);
  // A table of an earlier version: what is in it was used before any usage had a model.
  await clickhouse.command(
    `alter table ${tableOf(feedId)} add column if not exists model LowCardinality(String)`,
  );
}

/** Deletes the table of a feed. */
export async function dropTable(clickhouse: ClickHouse, feedId: string): Promise<void> {
  await clickhouse.command(`drop table if exists ${tableOf(feedId)}`);
}

/** The highest number of a copy; 0 without rows. */
export async function findLastCopy(clickhouse: ClickHouse, feedId: string): Promise<bigint> {
  const [row] = await clickhouse.select<{ last: string }>(
    `select max(copy) as last from ${tableOf(feedId)}`,
  );
  return BigInt(row?.last ?? 0);
}

/** As ClickHouse reads an instant in UTC. */
export function toClickHouseTime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replace("T", " ");
}

/** Adds rows under the numbers of their hours. */
export async function insertHours(
  clickhouse: ClickHouse,
  feedId: string,
  rows: readonly HourRow[],
  copyOf: ReadonlyMap<number, bigint>,
): Promise<void> {
  const values = rows.map((row): ClickHouseRow => {
    const { buckets, counts } = unpackLatencies(row.latencies);
    return [
      String(copyOf.get(row.occurred_at.getTime()) ?? 0n),
      toClickHouseTime(row.occurred_at.getTime()),
      row.meter_id,
      row.environment,
      row.tenant_id,
      row.key_id,
      row.outcome,
      row.status,
      row.method,
      row.route,
      String(row.calls),
      row.quantity,
      String(row.bytes_in),
      String(row.bytes_out),
      buckets,
      counts,
      row.model,
    ];
  });
  await clickhouse.insert(tableOf(feedId), values);
}

/** Deletes copies, and returns when they are gone. */
export async function deleteCopies(
  clickhouse: ClickHouse,
  feedId: string,
  copies: readonly bigint[],
): Promise<void> {
  await clickhouse.command(
    `delete from ${tableOf(feedId)} where copy in (${copies.map(String).join(", ")}) settings lightweight_deletes_sync = 2`,
  );
}
