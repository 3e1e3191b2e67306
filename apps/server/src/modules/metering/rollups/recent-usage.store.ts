import {
  instantsLiteral,
  numbersLiteral,
  textsLiteral,
  wordsLiteral,
} from "@turnpike/db/array-literal";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { LatencyHistogram } from "@turnpike/domain/metering/latency-histogram";
import type { PackedRecent } from "./sum-recent-usage.ts";

/** The rows of one statement, a literal of an array for each column. Values that differ by key are literals within it. */
export type RecentTexts = Record<
  | "tenantId"
  | "occurredAt"
  | "periodStart"
  | "periodEnd"
  | "meterId"
  | "environment"
  | "outcome"
  | "status"
  | "method"
  | "route"
  | "model"
  | "keyIds"
  | "calls"
  | "quantities"
  | "bytesIn"
  | "bytesOut"
  | "latencyBuckets"
  | "latencyCounts",
  string
>;

const NOTHING = "{}";

/** The numbers of the keys of a row; empty when all are 0. */
function measuredLiteral(numbers: readonly number[]): string {
  return numbers.some((number) => number !== 0) ? numbersLiteral(numbers) : NOTHING;
}

/** The literal of an array for each key of a row; empty when no call has a latency. */
function histogramsLiteral(
  packed: PackedRecent,
  of: (latencies: LatencyHistogram) => readonly number[],
): string {
  return packed.some(({ latencies }) => latencies.buckets.length > 0)
    ? textsLiteral(packed.map(({ latencies }) => numbersLiteral(of(latencies))))
    : NOTHING;
}

/** Builds what {@link insertRecentUsage} writes: the work of this process, without that of the database. */
export function toRecentTexts(rows: readonly PackedRecent[]): RecentTexts {
  const common = rows.map(([first]) => first);
  const inEach = (literalOf: (packed: PackedRecent) => string) => textsLiteral(rows.map(literalOf));
  return {
    tenantId: wordsLiteral(common.map((row) => row.tenantId)),
    occurredAt: instantsLiteral(common.map((row) => row.minuteMs)),
    periodStart: instantsLiteral(common.map((row) => row.periodStartMs)),
    periodEnd: instantsLiteral(common.map((row) => row.periodEndMs)),
    meterId: textsLiteral(common.map((row) => row.meterId)),
    environment: wordsLiteral(common.map((row) => row.environment)),
    outcome: wordsLiteral(common.map((row) => row.outcome)),
    status: numbersLiteral(common.map((row) => row.status)),
    method: textsLiteral(common.map((row) => row.method)),
    route: textsLiteral(common.map((row) => row.route)),
    model: textsLiteral(common.map((row) => row.model)),
    keyIds: inEach((packed) => wordsLiteral(packed.map((row) => row.keyId))),
    calls: inEach((packed) => numbersLiteral(packed.map((row) => row.calls))),
    quantities: inEach((packed) => numbersLiteral(packed.map((row) => row.quantity))),
    bytesIn: inEach((packed) => measuredLiteral(packed.map((row) => row.bytesIn))),
    bytesOut: inEach((packed) => measuredLiteral(packed.map((row) => row.bytesOut))),
    latencyBuckets: inEach((packed) => histogramsLiteral(packed, ({ buckets }) => buckets)),
    latencyCounts: inEach((packed) => histogramsLiteral(packed, ({ counts }) => counts)),
  };
}

/** Inserts usage that is not in the rollups yet. */
export async function insertRecentUsage(tx: Tx, texts: RecentTexts): Promise<void> {
  await tx`
    insert into recent_usage (tenant_id, occurred_at, period_start, period_end, meter_id, environment, outcome, status, method,
      route, model, key_ids, calls, quantities, bytes_in, bytes_out, latency_buckets, latency_counts)
    select tenant_id, occurred_at, period_start, period_end, meter_id, environment, outcome, status, method, route, model,
      key_ids::text[], calls::bigint[], quantities::numeric[], bytes_in::bigint[], bytes_out::bigint[], latency_buckets::text[], latency_counts::text[]
    from unnest(
      ${texts.tenantId}::text::text[],
      ${texts.occurredAt}::text::timestamptz[],
      ${texts.periodStart}::text::timestamptz[],
      ${texts.periodEnd}::text::timestamptz[],
      ${texts.meterId}::text::text[],
      ${texts.environment}::text::text[],
      ${texts.outcome}::text::text[],
      ${texts.status}::text::smallint[],
      ${texts.method}::text::text[],
      ${texts.route}::text::text[],
      ${texts.model}::text::text[],
      ${texts.keyIds}::text::text[],
      ${texts.calls}::text::text[],
      ${texts.quantities}::text::text[],
      ${texts.bytesIn}::text::text[],
      ${texts.bytesOut}::text::text[],
      ${texts.latencyBuckets}::text::text[],
      ${texts.latencyCounts}::text::text[]
    ) as input (tenant_id, occurred_at, period_start, period_end, meter_id, environment, outcome, status, method, route, model,
      key_ids, calls, quantities, bytes_in, bytes_out, latency_buckets, latency_counts)`;
}

/** Bounds what one transaction rolls up. */
export type RollUpBounds = {
  /** The id of the last row to take. */
  lastRowId: bigint;
  /** Rows at most. */
  rowsMax: number;
  /** Keys in these rows at most, counted each time that one occurs. One row is always taken. */
  keysMax: number;
  /** The current minute: rolling up minutes leaves out its calls and later ones. Undefined: it leaves out none. */
  running?: Date | undefined;
};

/** Advisory locks, by numbers that no other lock of the product has. */
const LOCKS = { minutes: 7_163_027, hours: 7_163_028 } as const;

export type RollUpGrain = keyof typeof LOCKS;

/** Finds the id of the latest row, which may not be committed yet. */
export async function findLastRowId(tx: Tx): Promise<bigint> {
  const [row] = await tx<
    { last: bigint }[]
  >`select last_value as last from recent_usage_row_id_seq`;
  return row?.last ?? 0n;
}

/**
 * Keeps other transactions from rolling up to a grain until this one ends.
 *
 * @param isPatient - Waits for the transaction that has the lock.
 * @returns False when another one has it.
 */
export async function lockRollUp(tx: Tx, grain: RollUpGrain, isPatient: boolean): Promise<boolean> {
  const lock = tx`${LOCKS[grain]}::bigint`;
  const [row] = await tx<{ is_mine: boolean }[]>`
    select ${isPatient ? tx`pg_advisory_xact_lock(${lock}) is not null` : tx`pg_try_advisory_xact_lock(${lock})`} as is_mine`;
  return row?.is_mine ?? false;
}

/** Waits until nothing is rolled up and keeps it so until the transaction ends, for work that needs the rollup tables alone. */
export async function holdRollUps(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCKS.minutes}::bigint), pg_advisory_xact_lock(${LOCKS.hours}::bigint)`;
}

/**
 * Selects the rows to take. Rows of one tenant are taken together, so that many commits of a key become one row of the rollups.
 *
 * @param order - By `tenant_id`, `row_id` and `first_key`, the first of a row's keys.
 */
function choose(
  tx: Tx,
  { of, order }: { of: Fragment; order: Fragment },
  { lastRowId, rowsMax, keysMax }: RollUpBounds,
): Fragment {
  // Sorts rows with the number of their keys, not with the keys.
  return tx`(
    select tenant_id, row_id
    from (
      select tenant_id, row_id, sum(keys) over (order by ${order}) - keys as keys_before
      from (
        select tenant_id, row_id, first_key, keys
        from (
          select *, key_ids[1] collate "C" as first_key, cardinality(key_ids) as keys from recent_usage
        ) u
        where ${of} and row_id <= ${lastRowId}::bigint order by ${order} limit ${rowsMax}
      ) first
    ) counted
    where keys_before < ${keysMax}
  )`;
}

type Taken = { rows: number };

/** The columns that the keys of a row share. */
const COMMON =
  "tenant_id, occurred_at, meter_id, environment, outcome, status, method, route, model";

/** The same columns, and further ones, as one text: keys of many rows are compared by two columns instead of ten. */
function kindOf(tx: Tx, occurredAt: Fragment, further = tx``): Fragment {
  return tx`array[u.tenant_id, extract(epoch from ${occurredAt})::bigint::text, meter_id, environment, outcome, status::text, method, route, model${further}]::text`;
}

/** The shared columns, read back from a `kind`. */
const OF_KIND =
  "kind[1], to_timestamp(kind[2]::bigint), kind[3], kind[4], kind[5], kind[6]::smallint, kind[7], kind[8], kind[9]";

/**
 * Adds recent usage to the rollups of minutes. What remains for the hours is summed by minute.
 *
 * @param keysInOneRow - Keys that a packed row has at most.
 * @returns How many rows were taken: 0 when nothing is left.
 */
export async function rollUpMinutes(
  tx: Tx,
  bounds: RollUpBounds,
  keysInOneRow: number,
): Promise<number> {
  const [common, ofKind] = [tx.unsafe(COMMON), tx.unsafe(OF_KIND)];
  const measured = (column: Fragment) =>
    tx`case when is_measured then array_agg(${column}) else '{}' end`;
  // Usage further ahead comes from a wrong clock and is taken at once.
  const isRunning = tx`occurred_at >= ${bounds.running ?? null}::timestamptz
    and occurred_at < ${bounds.running ?? null}::timestamptz + interval '10 minutes'`;
  const waiting = tx`not in_minutes and (${isRunning}) is not true`;
  const inOrder = (column: "bucket" | "calls") => tx`
    case when buckets is null then '{}' else (
      select array_agg(${tx(column)} order by bucket) from unnest(buckets, counts) as latency (bucket, calls)
    ) end`;
  // Joins no step to another: the planner does not know how many rows there are and might choose a slow nested loop. Orders only
  // once few rows are left, so that sums can be hashed.
  const [row] = await tx<Taken[]>`
    with taken as (
      delete from recent_usage u using ${choose(tx, { of: waiting, order: tx`tenant_id, row_id` }, bounds)} chosen
      where u.tenant_id = chosen.tenant_id and u.row_id = chosen.row_id
      returning u.*, ${kindOf(tx, tx`occurred_at`, tx`, period_start::text, period_end::text`)} as kind
    ), facts as (
      select kind, key_id, of_key.calls, of_key.quantity, of_key.bytes_in, of_key.bytes_out,
        null::smallint as bucket, null::numeric as bucket_calls
      from taken cross join lateral unnest(key_ids, taken.calls, quantities, taken.bytes_in, taken.bytes_out)
        as of_key (key_id, calls, quantity, bytes_in, bytes_out)
      union all
      select kind, key_id, 0, 0, 0, 0, bucket, sum(latency.calls)
      from taken cross join lateral unnest(key_ids, latency_buckets, latency_counts) as of_key (key_id, buckets, counts)
        cross join lateral unnest(of_key.buckets::smallint[], of_key.counts::bigint[]) as latency (bucket, calls)
      group by kind, key_id, bucket
    ), sums as (
      select kind, key_id, sum(calls) as calls, sum(quantity) as quantity, coalesce(sum(bytes_in), 0) as bytes_in,
        coalesce(sum(bytes_out), 0) as bytes_out, array_agg(bucket) filter (where bucket is not null) as buckets,
        array_agg(bucket_calls) filter (where bucket is not null) as counts
      from facts group by kind, key_id
    ), measures as materialized (
      select sums.*, bytes_in > 0 or bytes_out > 0 or buckets is not null as is_measured,
        ${inOrder("bucket")} as latency_buckets, ${inOrder("calls")} as latency_counts
      from sums
    ), packed as materialized (
      select kind::text[] as kind, is_measured, array_agg(key_id) as key_ids, array_agg(calls) as calls,
        array_agg(quantity) as quantities, ${measured(tx`bytes_in`)} as bytes_in, ${measured(tx`bytes_out`)} as bytes_out,
        ${measured(tx`latency_buckets::text`)} as latency_buckets, ${measured(tx`latency_counts::text`)} as latency_counts,
        sum(calls) as all_calls, sum(quantity) as all_quantity, min(key_id collate "C") as first_key,
        max(key_id collate "C") as last_key
      from (
        select *, (row_number() over (partition by kind, is_measured order by key_id collate "C") - 1) / ${keysInOneRow}::int as row_index
        from measures
      ) numbered
      group by numbered.kind, is_measured, row_index
    ), measured as (
      insert into usage_rollups (${common}, key_id, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts)
      select ${ofKind}, key_id, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts
      from (
        -- Read once for all columns.
        select kind::text[] as kind, key_id, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts
        from measures where is_measured offset 0
      ) measures
    ), unmeasured as (
      insert into usage_rollups (${common}, calls, quantity, key_id, key_ids, key_calls, key_quantities, first_key, last_key)
      select ${ofKind}, all_calls, all_quantity, key_ids[1], null, null, null, null, null
      from packed where not is_measured and cardinality(key_ids) = 1
      union all
      select ${ofKind}, all_calls, all_quantity, null, key_ids, calls, quantities, first_key, last_key
      from packed where not is_measured and cardinality(key_ids) > 1
    ), left_for_hours as (
      insert into recent_usage (in_minutes, ${common}, period_start, period_end, key_ids, calls, quantities, bytes_in, bytes_out,
        latency_buckets, latency_counts)
      select true, ${ofKind}, kind[10]::timestamptz, kind[11]::timestamptz, key_ids, calls, quantities, bytes_in, bytes_out,
        latency_buckets, latency_counts
      from packed
    )
    select count(*)::int as rows from taken`;
  return row?.rows ?? 0;
}

/**
 * Adds recent usage that the minutes have to the hours, applies pending usage to the balances of keys, and deletes the rows.
 * Call `holdPendingUsage` first.
 *
 * @returns How many rows were taken: 0 when nothing is left.
 */
export async function rollUpHours(tx: Tx, bounds: RollUpBounds): Promise<number> {
  // Rows hold neighbouring keys. Taken in this order, all minutes of a key come together and its hour is written once.
  const order = tx`tenant_id, first_key, row_id`;
  // The database runs the last of these writes first, so balances, which commits wait for, are locked after the hours.
  const [row] = await tx<Taken[]>`
    with taken as (
      delete from recent_usage u using ${choose(tx, { of: tx`in_minutes`, order }, bounds)} chosen
      where u.tenant_id = chosen.tenant_id and u.row_id = chosen.row_id
      returning u.*, ${kindOf(tx, tx`date_trunc('hour', occurred_at, 'UTC')`)} as kind
    ), sums as (
      select kind, key_id, sum(of_key.calls) as calls, sum(of_key.quantity) as quantity,
        coalesce(sum(of_key.bytes_in), 0) as bytes_in, coalesce(sum(of_key.bytes_out), 0) as bytes_out,
        coalesce(
          sum(pack_latencies(of_key.latency_buckets::smallint[], of_key.latency_counts::bigint[]))
            filter (where of_key.latency_buckets <> '{}'),
          0) as latencies
      from taken cross join lateral unnest(key_ids, taken.calls, quantities, taken.bytes_in, taken.bytes_out,
        taken.latency_buckets, taken.latency_counts)
        as of_key (key_id, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts)
      group by kind, key_id
    ), applied as (
      insert into key_balances as b (tenant_id, key_id, meter_id, period_start, period_end, used)
      select tenant_id, key_id, meter_id, period_start, max(period_end), sum(of_key.quantity)
      from taken cross join lateral unnest(key_ids, quantities) as of_key (key_id, quantity)
      where period_start is not null and of_key.quantity > 0
        and not exists (select from limited_keys l where l.tenant_id = taken.tenant_id and l.key_id = of_key.key_id)
      group by 1, 2, 3, 4
      order by tenant_id collate "C", key_id collate "C", meter_id collate "C", period_start
      on conflict (tenant_id, key_id, meter_id, period_start) do update set used = b.used + excluded.used
    ), added as (
      insert into usage_rollups_hourly as r (${tx.unsafe(COMMON)}, key_id, calls, quantity, bytes_in, bytes_out, latencies)
      select ${tx.unsafe(OF_KIND)}, key_id, calls, quantity, bytes_in, bytes_out, latencies
      from (
        select kind::text[] as kind, key_id, calls, quantity, bytes_in, bytes_out, latencies
        from sums order by sums.kind offset 0
      ) sums
      on conflict (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, model) do update
        set calls = r.calls + excluded.calls, quantity = r.quantity + excluded.quantity,
          bytes_in = r.bytes_in + excluded.bytes_in, bytes_out = r.bytes_out + excluded.bytes_out,
          latencies = r.latencies + excluded.latencies
    ), changed as (
      insert into changed_hours as h (occurred_at)
      select distinct to_timestamp((sums.kind::text[])[2]::bigint) from sums order by 1
      on conflict (occurred_at) do update set changes = h.changes + 1
    )
    select count(*)::int as rows from taken`;
  return row?.rows ?? 0;
}
