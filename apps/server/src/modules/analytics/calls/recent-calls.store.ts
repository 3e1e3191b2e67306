import type { RecordedCall, RecordedCallsQuery } from "@turnpike/contract/calls";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type CallColumns, toRecordedCall } from "./call-row.ts";

export type KeptCall = RecordedCall & { tenantId: TenantId };

type CallRow = CallColumns<bigint> & { occurred_at: Date; quantity: bigint };

/** Adds calls. Those that are there already stay as they are, so that a repetition does nothing. */
export async function insertCalls(tx: Tx, calls: readonly KeptCall[]): Promise<void> {
  const rows = calls.map((call) => ({
    tenant_id: call.tenantId,
    request_id: call.requestId,
    occurred_at: call.at,
    key_id: call.keyId,
    environment: call.environment,
    meter_id: call.meterId,
    quantity: call.units,
    method: call.method,
    route: call.route,
    status: call.status,
    outcome: call.outcome,
    latency_ms: call.latencyMs,
    bytes_in: call.bytesIn,
    bytes_out: call.bytesOut,
    model: call.model,
    input_tokens: call.tokens?.input,
    cache_read_tokens: call.tokens?.cacheRead,
    cache_write_tokens: call.tokens?.cacheWrite,
    output_tokens: call.tokens?.output,
  }));
  await tx`
    insert into recent_calls select * from jsonb_populate_recordset(null::recent_calls, ${tx.json(rows)})
    on conflict do nothing`;
}

export type OmittedCalls = { tenantId: TenantId; minuteMs: number; calls: number };

export async function addOmittedCalls(tx: Tx, omitted: readonly OmittedCalls[]): Promise<void> {
  const rows = omitted
    .map(({ tenantId, minuteMs, calls }) => ({
      tenant_id: tenantId,
      minute: new Date(minuteMs).toISOString(),
      calls,
    }))
    // In one order in every process, so that no two wait for each other.
    .toSorted((a, b) => (a.tenant_id < b.tenant_id ? -1 : 1));
  await tx`
    insert into omitted_calls select * from jsonb_populate_recordset(null::omitted_calls, ${tx.json(rows)})
    on conflict (tenant_id, minute) do update set calls = omitted_calls.calls + excluded.calls`;
}

/** Bounds of ids of requests: `[fromId, beforeId)`, and how many calls are looked through. */
export type CallsScope = {
  tenantId: TenantId;
  fromId: string;
  beforeId: string;
  scannedMax: number;
};

type CallFilters = Omit<RecordedCallsQuery, "tenantId" | "from" | "to" | "cursor" | "limit">;

function toConditions(tx: Tx, filters: CallFilters): Fragment {
  const isAmong = (column: string, values: readonly string[] | undefined) =>
    values === undefined ? tx`true` : tx`${tx(column)} = any(${[...values]}::text[])`;
  const areNumbers = (column: Fragment, values: readonly number[] | undefined) =>
    values === undefined ? tx`true` : tx`${column} = any(${[...values]}::int[])`;
  const classes = filters.status_class?.map((one) => Number(one[0]));
  const { requestId } = filters;
  return tx`
    ${requestId === undefined ? tx`true` : tx`request_id = ${requestId}`}
    and ${isAmong("key_id", filters.key)} and ${isAmong("route", filters.route)}
    and ${isAmong("method", filters.method)} and ${isAmong("outcome", filters.outcome)}
    and ${isAmong("environment", filters.environment)} and ${isAmong("model", filters.model)}
    and ${areNumbers(tx`status`, filters.status)} and ${areNumbers(tx`status / 100`, classes)}`;
}

function inScope(tx: Tx, { tenantId, fromId, beforeId }: CallsScope): Fragment {
  return tx`tenant_id = ${tenantId} and request_id >= ${fromId} and request_id < ${beforeId}`;
}

/** The newest calls of the scope that pass the filters, at most `limit`. */
export async function searchCalls(
  tx: Tx,
  scope: CallsScope,
  search: { filters: CallFilters; limit: number },
): Promise<RecordedCall[]> {
  const rows = await tx<CallRow[]>`
    select request_id, occurred_at, key_id, environment, meter_id, quantity, method, route, status, outcome, latency_ms,
      bytes_in, bytes_out, model, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens
    from (
      select * from recent_calls where ${inScope(tx, scope)} order by request_id desc limit ${scope.scannedMax}
    ) scanned
    where ${toConditions(tx, search.filters)}
    order by request_id desc limit ${search.limit}`;
  return rows.map((row) => toRecordedCall(row, { at: row.occurred_at, units: row.quantity }));
}

/** The last id that a search of the scope looks at, when there are more calls behind it. */
export async function findScanEnd(tx: Tx, scope: CallsScope): Promise<string | undefined> {
  const rows = await tx<{ request_id: string }[]>`
    select request_id from recent_calls where ${inScope(tx, scope)}
    order by request_id desc offset ${scope.scannedMax - 1} limit 2`;
  return rows.length === 2 ? rows[0]?.request_id : undefined;
}

export async function countOmittedCalls(
  tx: Tx,
  { tenantId, fromMs, toMs }: { tenantId: TenantId; fromMs: number; toMs: number },
): Promise<number> {
  const [row] = await tx<{ calls: string }[]>`
    select coalesce(sum(calls), 0)::text as calls from omitted_calls
    where tenant_id = ${tenantId} and minute >= ${new Date(fromMs)} and minute < ${new Date(toMs)}`;
  return Number(row?.calls ?? 0);
}

/** @returns How many calls were deleted: at most `max`. */
export async function deleteOldCalls(
  tx: Tx,
  { beforeId, max }: { beforeId: string; max: number },
): Promise<number> {
  const deleted = await tx`
    delete from recent_calls where (tenant_id, request_id) in (
      select tenant_id, request_id from recent_calls where request_id < ${beforeId} order by request_id limit ${max}
    )`;
  return deleted.count;
}

export async function deleteOldOmissions(tx: Tx, beforeMs: number): Promise<void> {
  await tx`delete from omitted_calls where minute < ${new Date(beforeMs)}`;
}
