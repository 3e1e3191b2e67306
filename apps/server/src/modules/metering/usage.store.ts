import type { JsonValue, Tx } from "@turnpike/db/client";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type TermsRow = {
  plan_id: string;
  plan_version: number;
  period_anchor: Date;
  terms: PlanTerms;
};

export async function findTerms(tx: Tx, tenantId: TenantId): Promise<TermsRow | undefined> {
  const [row] = await tx<TermsRow[]>`
    select t.plan_id, t.plan_version, t.period_anchor, v.terms
    from tenants t join plan_versions v on v.plan_id = t.plan_id and v.version = t.plan_version
    where t.tenant_id = ${tenantId}`;
  return row;
}

export type BalanceState = {
  meter_id: string;
  environment: "live" | "test";
  used: string;
  leased: string;
  forfeited: string;
};

/** What was used of each meter in a period, and what leases hold. */
export async function listBalances(
  tx: Tx,
  tenantId: TenantId,
  periodStart: Date,
): Promise<BalanceState[]> {
  return await tx<BalanceState[]>`
    select b.meter_id, b.environment, b.used::text as used,
      coalesce(sum(l.remaining) filter (where l.state = 'active'), 0)::text as leased,
      coalesce(sum(l.remaining) filter (where l.state = 'forfeited'), 0)::text as forfeited
    from balances b left join leases l on l.tenant_id = b.tenant_id and l.meter_id = b.meter_id
      and l.environment = b.environment and l.period_start = b.period_start and l.key_id is null
    where b.tenant_id = ${tenantId} and b.period_start = ${periodStart}
    group by b.meter_id, b.environment, b.used
    order by b.meter_id, b.environment`;
}

/** What a query of reconcile found: a place where two sums of the ledger differ. */
export type DriftRow = { what: string; place: JsonValue; ledger: string; derived: string };

/** Compares every minute's rollups, summed over methods and routes, with the entries they should sum. */
export async function findRollupDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with ledger as (
      select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status,
        sum(calls) as calls, sum(quantity) as quantity
      from ledger_entries group by 1, 2, 3, 4, 5, 6, 7
    ), rollups as (
      select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status,
        sum(calls) as calls, sum(quantity) as quantity
      from usage_rollups group by 1, 2, 3, 4, 5, 6, 7
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

/**
 * A number for the histogram of a row that adds up as histograms do: the sum over a histogram's parts is that of the whole,
 * and two histograms have the same by accident alone, once in 2^64. It spares a sum for every bucket of every row.
 */
function histogramChecksum(tx: Tx) {
  return tx`(
    select coalesce(sum(bucket_calls * hashint2extended(bucket, 7)::numeric), 0)
    from unnest(latency_buckets, latency_counts) as latency (bucket, bucket_calls)
  )`;
}

/** Compares every hour's rollup with the minutes it should sum, in all that they hold. */
export async function findHourlyDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with minutes as (
      select tenant_id, date_trunc('hour', occurred_at, 'UTC') as occurred_at, meter_id, environment, key_id, outcome, status,
        method, route, sum(calls) as calls, sum(quantity) as quantity, sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out,
        sum(${histogramChecksum(tx)}) as latencies
      from usage_rollups group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    ), hours as (
      select *, ${histogramChecksum(tx)} as latencies from usage_rollups_hourly
    )
    select 'hourly rollup' as what,
      jsonb_build_object('tenantId', tenant_id, 'hour', occurred_at, 'meter', meter_id, 'environment', environment,
        'keyId', key_id, 'outcome', outcome, 'status', status, 'method', method, 'route', route) as place,
      concat_ws(' ', m.calls, 'calls,', m.quantity, 'units,', m.bytes_in, 'and', m.bytes_out, 'bytes, latencies checksum',
        m.latencies) as ledger,
      concat_ws(' ', h.calls, 'calls,', h.quantity, 'units,', h.bytes_in, 'and', h.bytes_out, 'bytes, latencies checksum',
        h.latencies) as derived
    from minutes m full join hours h
      using (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route)
    where (m.calls, m.quantity, m.bytes_in, m.bytes_out, m.latencies)
      is distinct from (h.calls, h.quantity, h.bytes_in, h.bytes_out, h.latencies)
    limit ${rowsMax}`;
}

/** Compares every balance with the entries of its period. */
export async function findBalanceDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with ledger as (
      select tenant_id, meter_id, environment, period_start, sum(quantity) as quantity
      from ledger_entries group by 1, 2, 3, 4
    )
    select 'balance' as what,
      jsonb_build_object('tenantId', tenant_id, 'meter', meter_id, 'environment', environment,
        'periodStart', period_start) as place,
      coalesce(l.quantity, 0)::text as ledger, coalesce(b.used, 0)::text as derived
    from ledger l full join balances b using (tenant_id, meter_id, environment, period_start)
    where coalesce(l.quantity, 0) <> coalesce(b.used, 0)
    limit ${rowsMax}`;
}

/** Compares every balance of a line of keys with the entries of its period. */
export async function findKeyBalanceDrift(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    with ledger as (
      select e.tenant_id, coalesce(k.origin_key_id, e.key_id) as key_id, e.meter_id, e.period_start,
        sum(e.quantity) as quantity
      from ledger_entries e left join api_keys k on k.tenant_id = e.tenant_id and k.key_id = e.key_id
      group by 1, 2, 3, 4
    )
    select 'key balance' as what,
      jsonb_build_object('tenantId', tenant_id, 'keyId', key_id, 'meter', meter_id, 'periodStart', period_start) as place,
      coalesce(l.quantity, 0)::text as ledger, coalesce(b.used, 0)::text as derived
    from ledger l full join key_balances b using (tenant_id, key_id, meter_id, period_start)
    where coalesce(l.quantity, 0) <> coalesce(b.used, 0)
    limit ${rowsMax}`;
}

/** Finds entries whose group was never claimed, and leases that hold what cannot be. */
export async function findStrays(tx: Tx, rowsMax: number): Promise<DriftRow[]> {
  return await tx<DriftRow[]>`
    (
      select 'lease' as what, jsonb_build_object('tenantId', tenant_id, 'leaseId', lease_id) as place,
        granted::text as ledger, remaining::text as derived
      from leases where remaining > granted
      limit ${rowsMax}
    )`;
}

export async function countLedger(tx: Tx): Promise<{
  entries: bigint;
  rollups: bigint;
  balances: bigint;
  calls: bigint;
  forfeited: string;
}> {
  const [row] = await tx<
    { entries: bigint; rollups: bigint; balances: bigint; calls: bigint; forfeited: string }[]
  >`
    select (select count(*) from ledger_entries) as entries,
      (select coalesce(sum(calls), 0)::bigint from ledger_entries) as calls,
      (select count(*) from usage_rollups) as rollups,
      (select count(*) from balances) as balances,
      (select coalesce(sum(remaining), 0)::text from leases where state = 'forfeited' and key_id is null) as forfeited`;
  if (row === undefined) {
    throw new Error("Counting the ledger returned no row.");
  }
  return row;
}
