import type { Fragment, JsonValue, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { LATENCY_BUCKET_MAX } from "@turnpike/domain/metering/latency-histogram";
import type { UsageClass } from "@turnpike/domain/metering/usage-history";

export type BalanceState = {
  meter_id: string;
  environment: "live" | "test";
  used: string;
  leased: string;
  locked: string;
  forfeited: string;
};

/** Lists what was used of each meter in a period, and what leases hold. */
export async function listBalances(
  tx: Tx,
  tenantId: TenantId,
  periodStart: Date,
): Promise<BalanceState[]> {
  return await tx<BalanceState[]>`
    select b.meter_id, b.environment, b.used::text as used,
      coalesce(sum(l.remaining) filter (where l.state = 'active'), 0)::text as leased,
      coalesce(sum(l.remaining) filter (where l.state = 'locked' and l.expires_at > now()), 0)::text as locked,
      coalesce(sum(l.remaining) filter (where l.state = 'forfeited'), 0)::text as forfeited
    from balances b left join leases l on l.tenant_id = b.tenant_id and l.meter_id = b.meter_id
      and l.environment = b.environment and l.period_start = b.period_start and l.key_id is null
    where b.tenant_id = ${tenantId} and b.period_start = ${periodStart}
    group by b.meter_id, b.environment, b.used
    order by b.meter_id, b.environment`;
}

/** A difference that reconcile found. `place` says of what. */
export type DriftRow = { what: string; place: JsonValue; ledger: string; derived: string };

/** Reads from when on usage of each class is kept; null where no earlier usage can have existed. */
export async function findHistory(tx: Tx): Promise<Record<UsageClass, Date | null>> {
  const rows = await tx<{ class: UsageClass; kept_from: Date | null }[]>`
    select class, kept_from from usage_history h
    where exists (select from tenants where created_at < h.kept_from)
      -- Imported logs are older than their tenant, and other classes may keep usage for longer.
      or exists (select from usage_by_hour where occurred_at < h.kept_from)
      or exists (select from ledger_entries where recorded_at < h.kept_from)`;
  const of = (name: UsageClass) => rows.find((row) => row.class === name)?.kept_from ?? null;
  return { minutes: of("minutes"), hours: of("hours"), ledger: of("ledger") };
}

/** From when on a class is kept. */
function keptFrom(tx: Tx, of: UsageClass): Fragment {
  return tx`(select coalesce(kept_from, '-infinity') from usage_history where class = ${of})`;
}

/**
 * From when on every entry is kept, by the time of its usage. Usage is recorded at most minutes before it occurred or its
 * period began, so a day covers clocks that differ.
 */
function wholeFrom(tx: Tx): Fragment {
  return tx`(${keptFrom(tx, "ledger")} + interval '1 day')`;
}

/** Compares the rollups of every kept minute, summed over methods and routes, with the entries. */
export async function findRollupDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  const from = tx`greatest(${keptFrom(tx, "minutes")}, ${wholeFrom(tx)})`;
  return await tx<DriftRow[]>`
    with ledger as (
      select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status,
        sum(calls) as calls, sum(quantity) as quantity
      from ledger_entries_of_keys where occurred_at >= ${from} group by 1, 2, 3, 4, 5, 6, 7
    ), rollups as (
      select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status,
        sum(calls) as calls, sum(quantity) as quantity
      from usage_by_minute where occurred_at >= ${from} group by 1, 2, 3, 4, 5, 6, 7
    )
    select 'rollup' as what,
      jsonb_build_object('tenantId', tenant_id, 'minute', occurred_at, 'meter', meter_id, 'environment', environment,
        'keyId', key_id, 'outcome', outcome, 'status', status) as place,
      coalesce(l.calls, 0)::text || ' calls, ' || coalesce(l.quantity, 0)::text || ' units' as ledger,
      coalesce(r.calls, 0)::text || ' calls, ' || coalesce(r.quantity, 0)::text || ' units' as derived
    from ledger l full join rollups r
      using (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status)
    where coalesce(l.calls, 0) <> coalesce(r.calls, 0) or coalesce(l.quantity, 0) <> coalesce(r.quantity, 0)
    limit ${rowsMax}`;
}

/** Compares the rollups of hours whose minutes are no longer kept with the entries. */
export async function findOldHourDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  const isOld = tx`occurred_at < ${keptFrom(tx, "minutes")}
    and occurred_at >= greatest(${keptFrom(tx, "hours")}, date_trunc('hour', ${wholeFrom(tx)}, 'UTC'))`;
  return await tx<DriftRow[]>`
    with ledger as (
      select tenant_id, date_trunc('hour', occurred_at, 'UTC') as occurred_at, meter_id, environment, key_id, outcome, status,
        sum(calls) as calls, sum(quantity) as quantity
      from ledger_entries_of_keys where ${isOld} group by 1, 2, 3, 4, 5, 6, 7
    ), hours as (
      select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status,
        sum(calls) as calls, sum(quantity) as quantity
      from usage_by_hour where ${isOld} group by 1, 2, 3, 4, 5, 6, 7
    )
    select 'rollup of an hour' as what,
      jsonb_build_object('tenantId', tenant_id, 'hour', occurred_at, 'meter', meter_id, 'environment', environment,
        'keyId', key_id, 'outcome', outcome, 'status', status) as place,
      coalesce(l.calls, 0)::text || ' calls, ' || coalesce(l.quantity, 0)::text || ' units' as ledger,
      coalesce(h.calls, 0)::text || ' calls, ' || coalesce(h.quantity, 0)::text || ' units' as derived
    from ledger l full join hours h
      using (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status)
    where coalesce(l.calls, 0) <> coalesce(h.calls, 0) or coalesce(l.quantity, 0) <> coalesce(h.quantity, 0)
    limit ${rowsMax}`;
}

/** 2^61 - 1. */
const CHECKSUM_PRIME = "2305843009213693951";

/**
 * Compares the rollup of every hour with its minutes, in all columns, as far back as both are kept. For histograms it compares
 * remainders: they add up as histograms do and are equal by chance only, and they spare a sum for every bucket of every row.
 */
export async function findHourlyDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  const isKept = tx`occurred_at >= greatest(${keptFrom(tx, "minutes")}, ${keptFrom(tx, "hours")})`;
  const prime = tx`${CHECKSUM_PRIME}::numeric`;
  return await tx<DriftRow[]>`
    with checksums as materialized (
      select array_agg(mod(pack_latencies(array[bucket]::smallint[], array[1]::bigint[]), ${prime})::bigint order by bucket)
        as of_buckets
      from generate_series(0, ${LATENCY_BUCKET_MAX}::int) as bucket
    ), minutes as (
      select tenant_id, date_trunc('hour', occurred_at, 'UTC') as occurred_at, meter_id, environment, key_id, outcome, status,
        method, route, model, sum(calls) as calls, sum(quantity) as quantity, sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out,
        mod(sum((
          select coalesce(sum(bucket_calls * (select of_buckets from checksums)[bucket + 1]::numeric), 0)
          from unnest(latency_buckets, latency_counts) as latency (bucket, bucket_calls)
        )), ${prime}) as latencies
      from usage_by_minute where ${isKept} group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    ), hours as (
      select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, model, sum(calls) as calls,
        sum(quantity) as quantity, sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out, mod(sum(latencies), ${prime})
        as latencies
      from usage_by_hour where ${isKept} group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    )
    select 'hourly rollup' as what,
      jsonb_build_object('tenantId', tenant_id, 'hour', occurred_at, 'meter', meter_id, 'environment', environment,
        'keyId', key_id, 'outcome', outcome, 'status', status, 'method', method, 'route', route, 'model', model) as place,
      concat_ws(' ', m.calls, 'calls,', m.quantity, 'units,', m.bytes_in, 'and', m.bytes_out, 'bytes, latencies checksum',
        m.latencies) as ledger,
      concat_ws(' ', h.calls, 'calls,', h.quantity, 'units,', h.bytes_in, 'and', h.bytes_out, 'bytes, latencies checksum',
        h.latencies) as derived
    from minutes m full join hours h
      using (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, model)
    where (m.calls, m.quantity, m.bytes_in, m.bytes_out, m.latencies)
      is distinct from (h.calls, h.quantity, h.bytes_in, h.bytes_out, h.latencies)
    limit ${rowsMax}`;
}

/** Compares every balance with the entries of its period, when all of them are kept. */
export async function findBalanceDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with ledger as (
      select tenant_id, meter_id, environment, period_start, sum(quantity) as quantity
      from ledger_entries where period_start >= ${wholeFrom(tx)} group by 1, 2, 3, 4
    ), kept as (
      select * from balances where period_start >= ${wholeFrom(tx)}
    )
    select 'balance' as what,
      jsonb_build_object('tenantId', tenant_id, 'meter', meter_id, 'environment', environment,
        'periodStart', period_start) as place,
      coalesce(l.quantity, 0)::text as ledger, coalesce(b.used, 0)::text as derived
    from ledger l full join kept b using (tenant_id, meter_id, environment, period_start)
    where coalesce(l.quantity, 0) <> coalesce(b.used, 0)
    limit ${rowsMax}`;
}

/** Compares what every line of keys has used with the entries of its period. Service keys of the operator have no balance. */
export async function findKeyBalanceDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with ledger as (
      select e.tenant_id, coalesce(k.origin_key_id, e.key_id) as key_id, e.meter_id, e.period_start,
        sum(e.quantity) as quantity
      from ledger_entries_of_keys e left join api_keys k on k.tenant_id = e.tenant_id and k.key_id = e.key_id
      where e.key_id <> '' and e.period_start >= ${wholeFrom(tx)}
      group by 1, 2, 3, 4
    ), kept as (
      select * from usage_of_keys where period_start >= ${wholeFrom(tx)}
    )
    select 'key balance' as what,
      jsonb_build_object('tenantId', tenant_id, 'keyId', key_id, 'meter', meter_id, 'periodStart', period_start) as place,
      coalesce(l.quantity, 0)::text as ledger, coalesce(b.used, 0)::text as derived
    from ledger l full join kept b using (tenant_id, key_id, meter_id, period_start)
    where coalesce(l.quantity, 0) <> coalesce(b.used, 0)
    limit ${rowsMax}`;
}

/** Compares what event meters counted in each hour, over versions and dimensions, with the hours of the ledger. */
export async function findMeterDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with ledger as (
      select u.tenant_id, u.meter_id, u.occurred_at as hour, sum(u.calls) as events, sum(u.quantity) as quantity
      from usage_by_hour u join meters m on m.meter_id = u.meter_id and m.event_type is not null
      where u.outcome = 'VALID' and u.occurred_at >= ${keptFrom(tx, "hours")}
      group by 1, 2, 3
    ), counted as (
      select r.tenant_id, r.meter_id, date_trunc('hour', r.occurred_at, 'UTC') as hour, sum(r.events) as events,
        sum(case m.aggregation when 'count' then r.events when 'sum' then r.total else 0 end) as quantity
      from meter_rollups r join meters m on m.meter_id = r.meter_id
      where r.occurred_at >= ${keptFrom(tx, "hours")}
      group by 1, 2, 3
    )
    select 'meter' as what,
      jsonb_build_object('tenantId', tenant_id, 'meter', meter_id, 'hour', hour) as place,
      coalesce(l.events, 0)::text || ' events, ' || coalesce(l.quantity, 0)::text || ' units' as ledger,
      coalesce(c.events, 0)::text || ' events, ' || coalesce(c.quantity, 0)::text || ' units' as derived
    from ledger l full join counted c using (tenant_id, meter_id, hour)
    where coalesce(l.events, 0) <> coalesce(c.events, 0) or coalesce(l.quantity, 0) <> coalesce(c.quantity, 0)
    limit ${rowsMax}`;
}

/** How long after its expiry a lock may differ from what it holds: until the next pruning. */
const PRUNED_SECONDS = 60;

/**
 * Compares locks with what they hold: the leases of an open lock hold its units, every lease of a lock has an open lock, and
 * the settlement of a settled lock is in the ledger.
 */
export async function findLockDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with held as (
      select k.tenant_id, k.lock_id, k.reserved * num_nonnulls(k.lease_id, k.key_lease_id) as reserved,
        coalesce((
          select sum(l.remaining) from leases l
          where l.tenant_id = k.tenant_id and l.state = 'locked' and l.lease_id in (k.lease_id, k.key_lease_id)
        ), 0) as held
      from locks k
      where k.state = 'open' and k.expires_at > now() + make_interval(secs => ${PRUNED_SECONDS})
    )
    (
      select 'lock' as what, jsonb_build_object('tenantId', tenant_id, 'lockId', lock_id) as place,
        reserved::text || ' units' as ledger, held::text || ' units' as derived
      from held where held <> reserved
      limit ${rowsMax}
    ) union all (
      select 'lease of no lock', jsonb_build_object('tenantId', l.tenant_id, 'leaseId', l.lease_id),
        '0 units', l.remaining::text || ' units'
      from leases l
      where l.state = 'locked' and not exists (
        select from locks k
        where k.tenant_id = l.tenant_id and k.state = 'open' and l.lease_id in (k.lease_id, k.key_lease_id)
      )
      limit ${rowsMax}
    ) union all (
      select 'settled lock', jsonb_build_object('tenantId', k.tenant_id, 'lockId', k.lock_id),
        'nothing', k.cost::text || ' units'
      from locks k
      where k.state = 'settled' and not exists (select from ledger_groups g where g.group_id = k.group_id)
      limit ${rowsMax}
    )`;
}

/** Packed rows whose calls and units are not the sums of their keys. */
function findPackedDrift(
  tx: Tx,
  what: string,
  { table, place, rowsMax }: { table: Fragment; place: Fragment; rowsMax: number },
): Fragment {
  return tx`
    select ${what}::text as what, jsonb_build_object('tenantId', tenant_id, 'minute', occurred_at, ${place}) as place,
      sum_calls || ' calls, ' || sum_quantity || ' units' as ledger, calls || ' calls, ' || quantity || ' units' as derived
    from ${table} cross join lateral (
      select coalesce(sum(k.calls), 0) as sum_calls, coalesce(sum(k.quantity), 0) as sum_quantity
      from unnest(key_calls, key_quantities) as k (calls, quantity)
    ) sums
    where key_ids is not null and (sum_calls <> calls or sum_quantity <> quantity)
    limit ${rowsMax}`;
}

/** Finds packed rows that differ from the sums of their keys, and leases that hold more than was granted. */
export async function findStrays(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    (
      select 'lease' as what, jsonb_build_object('tenantId', tenant_id, 'leaseId', lease_id) as place,
        granted::text as ledger, remaining::text as derived
      from leases where remaining > granted
      limit ${rowsMax}
    ) union all (
      ${findPackedDrift(tx, "entries", { table: tx`ledger_entries`, place: tx`'entryId', entry_id`, rowsMax })}
    ) union all (
      ${findPackedDrift(tx, "rollups", { table: tx`usage_rollups`, place: tx`'firstKeyId', key_ids[1]`, rowsMax })}
    )`;
}

export async function countLedger(tx: Tx): Promise<{
  entries: bigint;
  rollups: bigint;
  balances: bigint;
  calls: bigint;
  forfeited: string;
  locked: string;
}> {
  const [row] = await tx<
    {
      entries: bigint;
      rollups: bigint;
      balances: bigint;
      calls: bigint;
      forfeited: string;
      locked: string;
    }[]
  >`
    select (select coalesce(sum(coalesce(cardinality(key_ids), 1)), 0)::bigint from ledger_entries) as entries,
      (select coalesce(sum(calls), 0)::bigint from ledger_entries) as calls,
      (select count(*) from usage_by_minute) as rollups,
      (select count(*) from balances) as balances,
      (select coalesce(sum(remaining), 0)::text from leases where state = 'forfeited' and key_id is null) as forfeited,
      (select coalesce(sum(reserved), 0)::text from locks where state = 'open' and expires_at > now()) as locked`;
  if (row === undefined) {
    throw new Error("Counting the ledger returned no row.");
  }
  return row;
}
