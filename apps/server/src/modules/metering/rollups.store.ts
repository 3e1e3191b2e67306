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

export type RollupGrain = keyof typeof TABLES;

/** Rows of one statement as literals of arrays, each a column. */
export type RollupTexts = Record<
  | "tenantId"
  | "occurredAt"
  | "meterId"
  | "environment"
  | "keyId"
  | "outcome"
  | "status"
  | "method"
  | "route"
  | "calls"
  | "quantity"
  | "bytesIn"
  | "bytesOut"
  | "latencies"
  /** Empty for hours. */
  | "buckets",
  string
>;

/** Puts together what {@link addToRollups} writes: work of this process, apart from that of the database. */
export function toRollupTexts(grain: RollupGrain, rows: readonly RollupRow[]): RollupTexts {
  return {
    tenantId: wordsLiteral(rows.map((row) => row.tenantId)),
    occurredAt: instantsLiteral(rows.map((row) => row.startMs)),
    meterId: textsLiteral(rows.map((row) => row.meterId)),
    environment: wordsLiteral(rows.map((row) => row.environment)),
    keyId: wordsLiteral(rows.map((row) => row.keyId)),
    outcome: wordsLiteral(rows.map((row) => row.outcome)),
    status: numbersLiteral(rows.map((row) => row.status)),
    method: textsLiteral(rows.map((row) => row.method)),
    route: textsLiteral(rows.map((row) => row.route)),
    calls: numbersLiteral(rows.map((row) => row.calls)),
    quantity: numbersLiteral(rows.map((row) => row.quantity)),
    bytesIn: numbersLiteral(rows.map((row) => row.bytesIn)),
    bytesOut: numbersLiteral(rows.map((row) => row.bytesOut)),
    // Minutes keep histograms as arrays, hours as numbers that add up.
    ...(grain === "hour"
      ? { latencies: wordsLiteral(rows.map((row) => packLatencies(row.latencies))), buckets: "{}" }
      : {
          latencies: textsLiteral(rows.map((row) => numbersLiteral(row.latencies.counts))),
          buckets: textsLiteral(rows.map((row) => numbersLiteral(row.latencies.buckets))),
        }),
  };
}

function latenciesOf(
  tx: Tx,
  grain: RollupGrain,
  texts: RollupTexts,
): Record<"columns" | "input" | "arrays" | "merge", Fragment> {
  if (grain === "hour") {
    return {
      columns: tx`latencies`,
      input: tx`latencies`,
      arrays: tx`${texts.latencies}::text::numeric[]`,
      merge: tx`latencies = r.latencies + excluded.latencies`,
    };
  }
  return {
    columns: tx`latency_buckets, latency_counts`,
    input: tx`latency_buckets::smallint[], latency_counts::bigint[]`,
    arrays: tx`${texts.buckets}::text::text[], ${texts.latencies}::text::text[]`,
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
 * @param texts - One row for each key of the table. They are taken in the order of the key, by bytes: two writers never deadlock,
 *   also when they write in several statements, each in that order.
 */
export async function addToRollups(tx: Tx, grain: RollupGrain, texts: RollupTexts): Promise<void> {
  const latencies = latenciesOf(tx, grain, texts);
  await tx`
    insert into ${tx(TABLES[grain])} as r (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method,
      route, calls, quantity, bytes_in, bytes_out, ${latencies.columns})
    select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
      bytes_out, ${latencies.input}
    from unnest(
      ${texts.tenantId}::text::text[],
      ${texts.occurredAt}::text::timestamptz[],
      ${texts.meterId}::text::text[],
      ${texts.environment}::text::text[],
      ${texts.keyId}::text::text[],
      ${texts.outcome}::text::text[],
      ${texts.status}::text::smallint[],
      ${texts.method}::text::text[],
      ${texts.route}::text::text[],
      ${texts.calls}::text::bigint[],
      ${texts.quantity}::text::numeric[],
      ${texts.bytesIn}::text::bigint[],
      ${texts.bytesOut}::text::bigint[],
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
