import type { TenantId } from "@turnpike/domain/ids/ids";
import { type ClickHouse, isUnknownTable } from "#platform/clickhouse.ts";
import { type CallColumns, toRecordedCall } from "../calls/call-row.ts";
import { toRequestTimeMs } from "../calls/request-id-bound.ts";
import { toCallConditions } from "../copies/call-conditions.store.ts";
import type { CallFilters, CallRange, LoggedCall } from "./call-log.ts";

/** Logs are named by this product, and a name is checked all the same before it becomes part of a statement. */
const LOG_ID = /^[0-9a-f]{16}$/;

/** @throws {RangeError} for what is no name of a log. */
export function tableOf(logId: string): string {
  if (!LOG_ID.test(logId)) {
    throw new RangeError(`${logId} is no name of a log.`);
  }
  return `calls_${logId}`;
}

/**
 * Parts are dropped by the day. Within an hour the calls of a tenant lie together, so that a search of one reads little of each hour,
 * and one of all reads the last hours. A call that was sent twice is one row once its parts are merged; until then, searches see to it.
 */
function toTable(table: string, days: number): string {
  return `
    create table if not exists ${table} (
      began_at DateTime64(3, 'UTC') codec(Delta, ZSTD),
      tenant_id String codec(ZSTD),
      request_id String codec(ZSTD),
      occurred_at DateTime64(3, 'UTC') codec(Delta, ZSTD),
      key_id String codec(ZSTD),
      environment LowCardinality(String),
      meter_id LowCardinality(String),
      units Int64,
      method LowCardinality(String),
      route LowCardinality(String),
      status Int16,
      outcome LowCardinality(String),
      latency_ms Nullable(Float64),
      bytes_in Nullable(Int64),
      bytes_out Nullable(Int64),
      model LowCardinality(String),
      input_tokens Nullable(Int64),
      cache_read_tokens Nullable(Int64),
      cache_write_tokens Nullable(Int64),
      output_tokens Nullable(Int64),
      index request_ids request_id type bloom_filter(0.01) granularity 1,
      index key_ids key_id type bloom_filter(0.01) granularity 1
    ) engine = ReplacingMergeTree partition by toDate(began_at)
    order by (toStartOfHour(began_at), tenant_id, request_id)
    ttl ${toLifetime(days)}
    settings ttl_only_drop_parts = 1`;
}

function toLifetime(days: number): string {
  return `toDateTime(began_at) + toIntervalDay(${String(days)})`;
}

/** As ClickHouse reads an instant in UTC, to the millisecond. */
function toTime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 23).replace("T", " ");
}

/** A call as a line of JSON, in the order of the columns. */
export function toLine(call: LoggedCall): string {
  const { tokens } = call;
  return JSON.stringify([
    toTime(toRequestTimeMs(call.requestId)),
    call.tenantId,
    call.requestId,
    call.at.slice(0, 23).replace("T", " "),
    call.keyId,
    call.environment,
    call.meterId,
    call.units,
    call.method,
    call.route,
    call.status,
    call.outcome,
    call.latencyMs,
    call.bytesIn,
    call.bytesOut,
    call.model,
    tokens?.input ?? null,
    tokens?.cacheRead ?? null,
    tokens?.cacheWrite ?? null,
    tokens?.output ?? null,
  ]);
}

/** Whole numbers of 64 bits come as text. */
type Row = CallColumns<string> & { tenant_id: TenantId; at_ms: string; units: string };

function toLoggedCall(row: Row): LoggedCall {
  const { tenant_id: tenantId, at_ms: atMs, units } = row;
  return { tenantId, ...toRecordedCall(row, { at: new Date(Number(atMs)), units }) };
}

/** Before anything was logged there is no table. */
async function orNone<Found>(select: () => Promise<Found[]>): Promise<Found[]> {
  try {
    return await select();
  } catch (error) {
    if (isUnknownTable(error)) {
      return [];
    }
    throw error;
  }
}

function toSearch(
  table: string,
  { filters, limit, ...range }: CallRange & { filters: CallFilters; limit: number },
) {
  const { requestId, ...asked } = filters;
  const { parameters, conditions } = toCallConditions(asked);
  const values = { ...parameters, from_id: range.fromId, before_id: range.beforeId };
  const where = [
    `began_at >= toDateTime64('${toTime(range.fromMs)}', 3, 'UTC')`,
    `began_at < toDateTime64('${toTime(range.toMs)}', 3, 'UTC')`,
    "request_id >= {from_id:String} and request_id < {before_id:String}",
    ...conditions,
    ...(requestId === undefined ? [] : ["request_id = {f_request:String}"]),
  ];
  return {
    statement: `
      select tenant_id, request_id, toUnixTimestamp64Milli(occurred_at) as at_ms, key_id, environment, meter_id, units, method,
        route, status, outcome, latency_ms, bytes_in, bytes_out, model, input_tokens, cache_read_tokens, cache_write_tokens,
        output_tokens
      from ${table} where ${where.join(" and ")}
      order by request_id desc limit 1 by request_id, tenant_id limit ${String(limit)}`,
    values: requestId === undefined ? values : { ...values, f_request: requestId },
  };
}

/** Makes the table of a log if it is not there, and has it keep calls for some days. */
export async function ensureLog(
  clickhouse: ClickHouse,
  table: string,
  days: number,
): Promise<void> {
  await clickhouse.command(toTable(table, days));
  const [found] = await clickhouse.select<{ create_table_query: string }>(
    `select create_table_query from system.tables where database = currentDatabase() and name = '${table}'`,
  );
  // Changing it has every part looked at.
  if (found !== undefined && !found.create_table_query.includes(`toIntervalDay(${String(days)})`)) {
    await clickhouse.command(`alter table ${table} modify ttl ${toLifetime(days)}`);
  }
}

/** Deletes a log as a whole. */
export async function dropLog(clickhouse: ClickHouse, table: string): Promise<void> {
  await clickhouse.command(`drop table if exists ${table}`);
}

/** The newest calls of a range; none where there is no table yet. */
export async function searchLog(
  clickhouse: ClickHouse,
  table: string,
  search: CallRange & { filters: CallFilters; limit: number },
): Promise<LoggedCall[]> {
  const { statement, values } = toSearch(table, search);
  const rows = await orNone(() => clickhouse.select<Row>(statement, values));
  return rows.map(toLoggedCall);
}

/** Epoch milliseconds at which the newest call began; undefined without any. */
export async function findNewestCallMs(
  clickhouse: ClickHouse,
  table: string,
): Promise<number | undefined> {
  const [row] = await orNone(() =>
    clickhouse.select<{ calls: string; newest_ms: string }>(
      `select count() as calls, toUnixTimestamp64Milli(max(began_at)) as newest_ms from ${table}`,
    ),
  );
  return row === undefined || row.calls === "0" ? undefined : Number(row.newest_ms);
}

/** Deletes the calls of tenants, and returns when they are gone. @returns How many of the tenants had any. */
export async function deleteCallsOf(
  clickhouse: ClickHouse,
  table: string,
  tenantIds: readonly TenantId[],
): Promise<number> {
  const named = "tenant_id in {tenants:Array(String)}";
  const found = await orNone(() =>
    clickhouse.select<{ tenant_id: string }>(
      `select distinct tenant_id from ${table} where ${named}`,
      { tenants: tenantIds },
    ),
  );
  // A deletion looks through every part, also for nothing.
  if (found.length > 0) {
    await clickhouse.command(
      `delete from ${table} where ${named} settings lightweight_deletes_sync = 2`,
      { tenants: tenantIds },
    );
  }
  return found.length;
}
