import {
  instantsLiteral,
  numbersLiteral,
  textsLiteral,
  wordsLiteral,
} from "@turnpike/db/array-literal";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { LatencyHistogram } from "@turnpike/domain/metering/latency-histogram";
import { holdPayments } from "./limited-keys.store.ts";
import type { RecentPart } from "./sum-recent-usage.ts";

/** Rows of one statement as literals of arrays, each a column; what differs by key as literals within. */
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

/** Numbers of the keys of a part; nothing when they are all 0. */
function measuredLiteral(numbers: readonly number[]): string {
  return numbers.some((number) => number !== 0) ? numbersLiteral(numbers) : NOTHING;
}

/** Of each key the literal of an array; nothing when no call of the part has a latency. */
function histogramsLiteral(
  part: RecentPart,
  of: (latencies: LatencyHistogram) => readonly number[],
): string {
  return part.some(({ latencies }) => latencies.buckets.length > 0)
    ? textsLiteral(part.map(({ latencies }) => numbersLiteral(of(latencies))))
    : NOTHING;
}

/** Puts together what {@link insertRecentUsage} writes: work of this process, apart from that of the database. */
export function toRecentTexts(parts: readonly RecentPart[]): RecentTexts {
  const common = parts.map(([first]) => first);
  const inEach = (literalOf: (part: RecentPart) => string) => textsLiteral(parts.map(literalOf));
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
    keyIds: inEach((part) => wordsLiteral(part.map((row) => row.keyId))),
    calls: inEach((part) => numbersLiteral(part.map((row) => row.calls))),
    quantities: inEach((part) => numbersLiteral(part.map((row) => row.quantity))),
    bytesIn: inEach((part) => measuredLiteral(part.map((row) => row.bytesIn))),
    bytesOut: inEach((part) => measuredLiteral(part.map((row) => row.bytesOut))),
    latencyBuckets: inEach((part) => histogramsLiteral(part, ({ buckets }) => buckets)),
    latencyCounts: inEach((part) => histogramsLiteral(part, ({ counts }) => counts)),
  };
}

/** Adds rows of usage that no rollup has yet. */
export async function insertRecentUsage(tx: Tx, texts: RecentTexts): Promise<void> {
  await tx`
    insert into recent_usage (tenant_id, occurred_at, period_start, period_end, meter_id, environment, outcome, status, method,
      route, key_ids, calls, quantities, bytes_in, bytes_out, latency_buckets, latency_counts)
    select tenant_id, occurred_at, period_start, period_end, meter_id, environment, outcome, status, method, route,
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
      ${texts.keyIds}::text::text[],
      ${texts.calls}::text::text[],
      ${texts.quantities}::text::text[],
      ${texts.bytesIn}::text::text[],
      ${texts.bytesOut}::text::text[],
      ${texts.latencyBuckets}::text::text[],
      ${texts.latencyCounts}::text::text[]
    ) as input (tenant_id, occurred_at, period_start, period_end, meter_id, environment, outcome, status, method, route,
      key_ids, calls, quantities, bytes_in, bytes_out, latency_buckets, latency_counts)`;
}

/** What is rolled up in one transaction. */
export type RollUpBounds = {
  /** Rows up to this number. */
  lastPart: bigint;
  /** Rows that are looked at. */
  partsMax: number;
  /** Keys in them, each time that one occurs; one row is always taken. */
  keysMax: number;
  /** The minute that runs: calls of it and the next ones are left out by the minutes. Undefined: none are. */
  running?: Date | undefined;
};

/** Any numbers that no other lock of the product has. */
const LOCKS = { minutes: 7_163_027, hours: 7_163_028 } as const;

export type RollUpGrain = keyof typeof LOCKS;

/** The number that the latest row has, whoever is still writing it. */
export async function findLastPart(tx: Tx): Promise<bigint> {
  const [row] = await tx<
    { last: bigint }[]
  >`select last_value as last from recent_usage_part_id_seq`;
  return row?.last ?? 0n;
}

/**
 * Keeps all other transactions from rolling up to a grain.
 *
 * @param isPatient - Waits for whoever is at it.
 * @returns False when one is at it.
 */
export async function lockRollUp(tx: Tx, grain: RollUpGrain, isPatient: boolean): Promise<boolean> {
  const lock = tx`${LOCKS[grain]}::bigint`;
  const [row] = await tx<{ is_mine: boolean }[]>`
    select ${isPatient ? tx`pg_advisory_xact_lock(${lock}) is not null` : tx`pg_try_advisory_xact_lock(${lock})`} as is_mine`;
  return row?.is_mine ?? false;
}

/** Waits for whoever rolls up, and keeps others from it: for those who need the tables of rollups for themselves. */
export async function holdRollUps(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCKS.minutes}::bigint), pg_advisory_xact_lock(${LOCKS.hours}::bigint)`;
}

/**
 * Numbers of the rows to be taken. Rows of one tenant stand together: what a key did in many commits becomes one row of the
 * rollups.
 *
 * @param order - Of `tenant_id`, `part_id` and `first_key`, the first of a row's keys.
 */
function choose(
  tx: Tx,
  { of, order }: { of: Fragment; order: Fragment },
  { lastPart, partsMax, keysMax }: RollUpBounds,
): Fragment {
  // What is sorted has the number of the keys, not the keys.
  return tx`(
    select tenant_id, part_id
    from (
      select tenant_id, part_id, sum(keys) over (order by ${order}) - keys as keys_before
      from (
        select tenant_id, part_id, first_key, keys
        from (
          select *, key_ids[1] collate "C" as first_key, cardinality(key_ids) as keys from recent_usage
        ) u
        where ${of} and part_id <= ${lastPart}::bigint order by ${order} limit ${partsMax}
      ) first
    ) counted
    where keys_before < ${keysMax}
  )`;
}

type Taken = { parts: number };

/** What the keys of a row have in common. */
const COMMON = "tenant_id, occurred_at, meter_id, environment, outcome, status, method, route";

/** The same as one text, with further ones: keys of many rows are compared by it and their id, two columns instead of ten. */
function kindOf(tx: Tx, occurredAt: Fragment, further = tx``): Fragment {
  return tx`array[u.tenant_id, extract(epoch from ${occurredAt})::bigint::text, meter_id, environment, outcome, status::text, method, route${further}]::text`;
}

/** The columns again, from a `kind` that was made an array. */
const OF_KIND =
  "kind[1], to_timestamp(kind[2]::bigint), kind[3], kind[4], kind[5], kind[6]::smallint, kind[7], kind[8]";

/**
 * Adds recent usage to the minutes. What is left for the hours is no longer one row for each commit.
 *
 * @param keysInOnePart - At most, in rows of several keys.
 * @returns How many rows were taken: 0 when there is nothing left.
 */
export async function rollUpMinutes(
  tx: Tx,
  bounds: RollUpBounds,
  keysInOnePart: number,
): Promise<number> {
  const [common, ofKind] = [tx.unsafe(COMMON), tx.unsafe(OF_KIND)];
  const measured = (column: Fragment) =>
    tx`case when is_measured then array_agg(${column}) else '{}' end`;
  // What is further ahead comes from a clock that was wrong, and is not waited for.
  const isRunning = tx`occurred_at >= ${bounds.running ?? null}::timestamptz
    and occurred_at < ${bounds.running ?? null}::timestamptz + interval '10 minutes'`;
  const waiting = tx`not in_minutes and (${isRunning}) is not true`;
  const inOrder = (column: "bucket" | "calls") => tx`
    case when buckets is null then '{}' else (
      select array_agg(${tx(column)} order by bucket) from unnest(buckets, counts) as latency (bucket, calls)
    ) end`;
  // No part is joined to another: how many rows there are is not known when a plan is made, and a loop over both sides would be
  // slow. Nor is a sum asked for in an order before few rows are left: it could not be hashed.
  const [row] = await tx<Taken[]>`
    with taken as (
      delete from recent_usage u using ${choose(tx, { of: waiting, order: tx`tenant_id, part_id` }, bounds)} chosen
      where u.tenant_id = chosen.tenant_id and u.part_id = chosen.part_id
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
    ), parts as materialized (
      select kind::text[] as kind, is_measured, array_agg(key_id) as key_ids, array_agg(calls) as calls,
        array_agg(quantity) as quantities, ${measured(tx`bytes_in`)} as bytes_in, ${measured(tx`bytes_out`)} as bytes_out,
        ${measured(tx`latency_buckets::text`)} as latency_buckets, ${measured(tx`latency_counts::text`)} as latency_counts,
        sum(calls) as all_calls, sum(quantity) as all_quantity, min(key_id collate "C") as first_key,
        max(key_id collate "C") as last_key
      from (
        select *, (row_number() over (partition by kind, is_measured order by key_id collate "C") - 1) / ${keysInOnePart}::int as place
        from measures
      ) placed
      group by placed.kind, is_measured, place
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
      from parts where not is_measured and cardinality(key_ids) = 1
      union all
      select ${ofKind}, all_calls, all_quantity, null, key_ids, calls, quantities, first_key, last_key
      from parts where not is_measured and cardinality(key_ids) > 1
    ), left_for_hours as (
      insert into recent_usage (in_minutes, ${common}, period_start, period_end, key_ids, calls, quantities, bytes_in, bytes_out,
        latency_buckets, latency_counts)
      select true, ${ofKind}, kind[9]::timestamptz, kind[10]::timestamptz, key_ids, calls, quantities, bytes_in, bytes_out,
        latency_buckets, latency_counts
      from parts
    )
    select count(*)::int as parts from taken`;
  return row?.parts ?? 0;
}

/**
 * Adds what the minutes have to the hours, pays what is owed to balances of keys, and deletes it.
 *
 * @returns How many rows were taken: 0 when there is nothing left.
 */
export async function rollUpHours(tx: Tx, bounds: RollUpBounds): Promise<number> {
  await holdPayments(tx);
  // The keys of a part are near one another: those of all minutes come together, and a key's hour is written once.
  const order = tx`tenant_id, first_key, part_id`;
  // The database begins with the last of what is written: balances, which commits wait for, are locked behind the hours.
  const [row] = await tx<Taken[]>`
    with taken as (
      delete from recent_usage u using ${choose(tx, { of: tx`in_minutes`, order }, bounds)} chosen
      where u.tenant_id = chosen.tenant_id and u.part_id = chosen.part_id
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
    ), owed as (
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
      on conflict (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route) do update
        set calls = r.calls + excluded.calls, quantity = r.quantity + excluded.quantity,
          bytes_in = r.bytes_in + excluded.bytes_in, bytes_out = r.bytes_out + excluded.bytes_out,
          latencies = r.latencies + excluded.latencies
    )
    select count(*)::int as parts from taken`;
  return row?.parts ?? 0;
}
