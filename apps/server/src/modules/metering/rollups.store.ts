import {
  instantsLiteral,
  numbersLiteral,
  textsLiteral,
  wordsLiteral,
} from "@turnpike/db/array-literal";
import type { Fragment, Tx } from "@turnpike/db/client";
import { packLatencies } from "@turnpike/domain/metering/latency-histogram";
import type { RollupRow } from "./sum-rollups.ts";

const TABLES = { minute: "usage_rollups", hour: "usage_rollups_hourly" } as const;

/** What differs between the tables: minutes keep histograms as arrays, hours as numbers that add up. */
function latenciesOf(
  tx: Tx,
  grain: keyof typeof TABLES,
  rows: readonly RollupRow[],
): Record<"columns" | "input" | "arrays" | "merge", Fragment> {
  if (grain === "hour") {
    return {
      columns: tx`latencies`,
      input: tx`latencies`,
      arrays: tx`${wordsLiteral(rows.map((row) => packLatencies(row.latencies)))}::text::numeric[]`,
      merge: tx`latencies = r.latencies + excluded.latencies`,
    };
  }
  return {
    columns: tx`latency_buckets, latency_counts`,
    input: tx`latency_buckets::smallint[], latency_counts::bigint[]`,
    arrays: tx`
      ${textsLiteral(rows.map((row) => numbersLiteral(row.latencies.buckets)))}::text::text[],
      ${textsLiteral(rows.map((row) => numbersLiteral(row.latencies.counts)))}::text::text[]`,
    merge: tx`
      (latency_buckets, latency_counts) = (
        select buckets, counts
        from merge_latencies(r.latency_buckets, r.latency_counts, excluded.latency_buckets, excluded.latency_counts)
      )`,
  };
}

/**
 * Adds to the sums of minutes or hours.
 *
 * @param rows - One for each key of the table. They are taken in the order of the key, by bytes: two writers never deadlock,
 *   also when they write in several statements, each in that order.
 */
export async function addToRollups(
  tx: Tx,
  grain: keyof typeof TABLES,
  rows: readonly RollupRow[],
): Promise<void> {
  const latencies = latenciesOf(tx, grain, rows);
  await tx`
    insert into ${tx(TABLES[grain])} as r (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method,
      route, calls, quantity, bytes_in, bytes_out, ${latencies.columns})
    select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
      bytes_out, ${latencies.input}
    from unnest(
      ${wordsLiteral(rows.map((row) => row.tenantId))}::text::text[],
      ${instantsLiteral(rows.map((row) => row.startMs))}::text::timestamptz[],
      ${textsLiteral(rows.map((row) => row.meterId))}::text::text[],
      ${wordsLiteral(rows.map((row) => row.environment))}::text::text[],
      ${wordsLiteral(rows.map((row) => row.keyId))}::text::text[],
      ${wordsLiteral(rows.map((row) => row.outcome))}::text::text[],
      ${numbersLiteral(rows.map((row) => row.status))}::text::smallint[],
      ${textsLiteral(rows.map((row) => row.method))}::text::text[],
      ${textsLiteral(rows.map((row) => row.route))}::text::text[],
      ${numbersLiteral(rows.map((row) => row.calls))}::text::bigint[],
      ${numbersLiteral(rows.map((row) => row.quantity))}::text::numeric[],
      ${numbersLiteral(rows.map((row) => row.bytesIn))}::text::bigint[],
      ${numbersLiteral(rows.map((row) => row.bytesOut))}::text::bigint[],
      ${latencies.arrays}
    ) as input (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity,
      bytes_in, bytes_out, ${latencies.columns})
    order by tenant_id collate "C", occurred_at, meter_id collate "C", environment collate "C", key_id collate "C",
      outcome collate "C", status, method collate "C", route collate "C"
    on conflict (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route) do update
      set calls = r.calls + excluded.calls,
        quantity = r.quantity + excluded.quantity,
        bytes_in = r.bytes_in + excluded.bytes_in,
        bytes_out = r.bytes_out + excluded.bytes_out,
        ${latencies.merge}`;
}
