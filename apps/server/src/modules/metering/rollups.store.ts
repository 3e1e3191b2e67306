import type { Tx } from "@turnpike/db/client";
import type { RollupRow } from "./sum-rollups.ts";

const TABLES = { minute: "usage_rollups", hour: "usage_rollups_hourly" } as const;

/** The literal of an array of whole numbers: arrays of different lengths cannot travel as one array of arrays. */
function toArrayText(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}

/**
 * Adds to the sums of minutes or hours.
 *
 * @param rows - One for each key of the table. They are taken in the order of the key: two writers never deadlock.
 */
export async function addToRollups(
  tx: Tx,
  grain: keyof typeof TABLES,
  rows: readonly RollupRow[],
): Promise<void> {
  await tx`
    insert into ${tx(TABLES[grain])} as r (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method,
      route, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts)
    select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
      bytes_out, latency_buckets::smallint[], latency_counts::bigint[]
    from unnest(
      ${rows.map((row) => row.tenantId)}::text[],
      ${rows.map((row) => new Date(row.startMs).toISOString())}::timestamptz[],
      ${rows.map((row) => row.meterId)}::text[],
      ${rows.map((row) => row.environment)}::text[],
      ${rows.map((row) => row.keyId)}::text[],
      ${rows.map((row) => row.outcome)}::text[],
      ${rows.map((row) => row.status)}::smallint[],
      ${rows.map((row) => row.method)}::text[],
      ${rows.map((row) => row.route)}::text[],
      ${rows.map((row) => row.calls)}::bigint[],
      ${rows.map((row) => row.quantity)}::numeric[],
      ${rows.map((row) => row.bytesIn)}::bigint[],
      ${rows.map((row) => row.bytesOut)}::bigint[],
      ${rows.map((row) => toArrayText(row.latencies.buckets))}::text[],
      ${rows.map((row) => toArrayText(row.latencies.counts))}::text[]
    ) as input (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity,
      bytes_in, bytes_out, latency_buckets, latency_counts)
    order by 1, 2, 3, 4, 5, 6, 7, 8, 9
    on conflict (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route) do update
      set calls = r.calls + excluded.calls,
        quantity = r.quantity + excluded.quantity,
        bytes_in = r.bytes_in + excluded.bytes_in,
        bytes_out = r.bytes_out + excluded.bytes_out,
        (latency_buckets, latency_counts) = (
          select buckets, counts
          from merge_latencies(r.latency_buckets, r.latency_counts, excluded.latency_buckets, excluded.latency_counts)
        )`;
}
