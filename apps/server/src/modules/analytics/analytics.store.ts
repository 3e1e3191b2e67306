import type { UsageDimension, UsageMeasure } from "@turnpike/contract/usage";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { ADMITTED_OUTCOMES } from "@turnpike/domain/metering/outcome";
import type { OrderTerm, PlannedPeriod, QueryPlan, UsageFilters } from "./plan-query.ts";
import type { Interval } from "./plan-sources.ts";

/** What every number is made of. */
export type UsageSums = {
  requests: bigint;
  /** Exact decimal. */
  billable: string;
  errors: bigint;
  denied: bigint;
  bytes_in: bigint;
  bytes_out: bigint;
  /** Merged histogram; null when no latency is known, or none was asked for. */
  latency_buckets: number[] | null;
  latency_counts: bigint[] | null;
};

export type SumRow = UsageSums & {
  is_total: boolean;
  /** Place of the bucket among the period's, from 1; 0 without a time axis. */
  bucket: number;
  /** The values of the dimensions, in their order. */
  group_values: string[];
  /** Rollups that were read. */
  rollups: bigint;
};

function join(tx: Tx, parts: readonly Fragment[], glue: Fragment): Fragment {
  return (
    parts.reduce<Fragment | undefined>(
      (all, part) => (all === undefined ? part : tx`${all} ${glue} ${part}`),
      undefined,
    ) ?? tx``
  );
}

/** The SQL of each dimension; a closed set, so that no text of a caller ever becomes SQL. */
function dimensionOf(tx: Tx, dimension: UsageDimension): Fragment {
  switch (dimension) {
    case "key":
      return tx`r.key_id`;
    case "route":
      return tx`r.route`;
    case "method":
      return tx`r.method`;
    case "status":
      return tx`r.status::text`;
    case "status_class":
      return tx`(r.status / 100)::text || 'xx'`;
    case "outcome":
      return tx`r.outcome`;
    case "environment":
      return tx`r.environment`;
    case "tenant":
      return tx`r.tenant_id`;
    case "plan":
      return tx`coalesce((select t.plan_id from tenants t where t.tenant_id = r.tenant_id), '')`;
  }
}

function filterOf(tx: Tx, filters: UsageFilters): Fragment {
  const { key, route, method, status, status_class, outcome, environment, tenant, plan } = filters;
  const classes = status_class?.map((name) => Number(name[0]));
  const parts = [
    key && tx`and r.key_id = any(${key}::text[])`,
    route && tx`and r.route = any(${route}::text[])`,
    method && tx`and r.method = any(${method}::text[])`,
    status && tx`and r.status = any(${status}::smallint[])`,
    classes && tx`and r.status / 100 = any(${classes}::smallint[])`,
    outcome && tx`and r.outcome = any(${outcome}::text[])`,
    environment && tx`and r.environment = any(${environment}::text[])`,
    tenant && tx`and r.tenant_id = any(${tenant}::text[])`,
    plan &&
      tx`and r.tenant_id in (select t.tenant_id from tenants t where t.plan_id = any(${plan}::text[]))`,
  ].filter((part) => part !== undefined);
  return join(tx, parts, tx``);
}

function toInstants(epochMs: readonly number[]): string[] {
  return epochMs.map((ms) => new Date(ms).toISOString());
}

/** Dimensions by their places: names that no caller chooses. */
function columnOf(tx: Tx, place: number): Fragment {
  return tx`${tx(`d${String(place)}`)}`;
}

type Scan = {
  table: "usage_rollups" | "usage_rollups_hourly";
  tenantId: TenantId | null;
  plan: Pick<QueryPlan, "meterId" | "dimensions" | "filters">;
  starts: readonly number[];
};

function scan(
  tx: Tx,
  { table, tenantId, plan, starts }: Scan,
  intervals: readonly Interval[],
): Fragment {
  const [first] = intervals;
  const isOne = intervals.length === 1 && first !== undefined;
  const bucket =
    starts.length === 0
      ? tx`0`
      : tx`width_bucket(r.occurred_at, ${toInstants(starts)}::timestamptz[])`;
  const dimensions = plan.dimensions.map(
    (dimension, place) => tx`${dimensionOf(tx, dimension)} as ${columnOf(tx, place)},`,
  );
  // One stretch is written out, because the planner can then tell how much it holds.
  const stretches = isOne
    ? tx`${tx(table)} r`
    : tx`unnest(
        ${toInstants(intervals.map(({ fromMs }) => fromMs))}::timestamptz[],
        ${toInstants(intervals.map(({ toMs }) => toMs))}::timestamptz[]
      ) as part (from_at, to_at) join ${tx(table)} r on r.occurred_at >= part.from_at and r.occurred_at < part.to_at`;
  const range = isOne
    ? tx`r.occurred_at >= ${new Date(first.fromMs)} and r.occurred_at < ${new Date(first.toMs)}`
    : tx`true`;
  return tx`
    select ${bucket} as bucket, ${join(tx, dimensions, tx``)}
      r.calls, r.quantity, r.bytes_in, r.bytes_out, r.latency_buckets, r.latency_counts,
      r.outcome = any(${[...ADMITTED_OUTCOMES]}::text[]) as is_admitted, r.status >= 500 as is_failed
    from ${stretches}
    where ${range} and r.meter_id = ${plan.meterId}
      ${tenantId === null ? tx`` : tx`and r.tenant_id = ${tenantId}`}
      ${filterOf(tx, plan.filters)}`;
}

function measureOf(tx: Tx, measure: UsageMeasure): Fragment {
  switch (measure) {
    case "requests":
      return tx`groups.requests`;
    case "billable":
      return tx`groups.billable`;
    case "errors":
      return tx`groups.errors`;
    case "error_rate":
      return tx`groups.errors / nullif(groups.requests - groups.denied, 0)`;
    case "denied":
      return tx`groups.denied`;
    case "bytes_in":
      return tx`groups.bytes_in`;
    case "bytes_out":
      return tx`groups.bytes_out`;
    case "latency_avg":
    case "latency_p50":
    case "latency_p95":
    case "latency_p99":
      // Only whole histograms have an order: whoever asks for it reads every group and sorts them.
      return tx`null::int`;
  }
}

function toOrderTerms(tx: Tx, plan: Pick<QueryPlan, "dimensions" | "order">): Fragment[] {
  const byPlace = (place: number) => tx`groups.${columnOf(tx, place)} collate "C"`;
  const toTerm = (term: OrderTerm) => {
    switch (term.kind) {
      case "time":
        return tx`groups.bucket`;
      case "dimension":
        return byPlace(term.place);
      case "measure":
        return measureOf(tx, term.measure);
    }
  };
  const asked = plan.order.map((term) =>
    term.isDescending ? tx`${toTerm(term)} desc nulls last` : tx`${toTerm(term)} asc nulls last`,
  );
  return [...asked, tx`groups.bucket`, ...plan.dimensions.map((_, place) => byPlace(place))];
}

/**
 * Merges the histograms of each group, and of all: taken apart, summed by their buckets and put together again. Joined to the
 * sums of groups; without a histogram, null.
 */
function histogramsOf(tx: Tx, slot: Fragment, columns: readonly Fragment[]): Fragment {
  const same = columns.map((column) => tx`and histograms.${column} = groups.${column}`);
  const named = columns.map((column) => tx`, coalesce(${column}, '') as ${column}`);
  return tx`
    left join (
      select is_total, coalesce(bucket, -1) as bucket ${join(tx, named, tx``)},
        array_agg(latency order by latency) as latency_buckets,
        array_agg(calls order by latency) as latency_counts
      from (
        select ${slot}, latency, grouping(bucket) = 1 as is_total, sum(calls)::bigint as calls
        from (
          select ${slot}, h.latency, sum(h.calls) as calls
          from source cross join lateral unnest(latency_buckets, latency_counts) as h (latency, calls)
          group by ${slot}, h.latency
        ) parts
        group by grouping sets ((${slot}, latency), (latency))
      ) merged
      group by is_total, ${slot}
    ) histograms on histograms.is_total = groups.is_total and histograms.bucket = groups.bucket ${join(tx, same, tx``)}`;
}

/**
 * Sums rollups by bucket and group in one statement: the total first, then at most `rowsMax` groups in the asked order. Reads
 * at most `rollupsMax` rollups and one more; when the total has read that many, its numbers are not whole.
 */
export async function sumUsage(
  tx: Tx,
  input: {
    /** Null for all tenants, which only the operator role sees. */
    tenantId: TenantId | null;
    plan: Pick<QueryPlan, "meterId" | "dimensions" | "filters" | "order">;
    period: Pick<PlannedPeriod, "starts" | "sources">;
    hasLatency: boolean;
    rowsMax: number;
    rollupsMax: number;
  },
): Promise<SumRow[]> {
  const { tenantId, plan, period } = input;
  const { starts, sources } = period;
  const of = { tenantId, plan, starts };
  const scans = [
    sources.hours.length > 0 && scan(tx, { table: "usage_rollups_hourly", ...of }, sources.hours),
    sources.minutes.length > 0 && scan(tx, { table: "usage_rollups", ...of }, sources.minutes),
  ].filter((part) => part !== false);
  const columns = plan.dimensions.map((_, place) => columnOf(tx, place));
  const slot = join(tx, [tx`bucket`, ...columns], tx`,`);
  const named = columns.map((column) => tx`, coalesce(${column}, '') as ${column}`);
  const values = columns.map((column) => tx`groups.${column}`);
  return await tx<SumRow[]>`
    with source as (
      select * from (${join(tx, scans, tx`union all`)}) scanned limit ${input.rollupsMax + 1}
    ),
    -- The total is the sum of the groups, which are fewer than the rollups. It has no place and no values.
    groups as (
      select grouping(bucket) = 1 as is_total, coalesce(bucket, -1) as bucket ${join(tx, named, tx``)},
        coalesce(sum(requests), 0)::bigint as requests, coalesce(sum(billable), 0) as billable,
        coalesce(sum(errors), 0) as errors, coalesce(sum(denied), 0) as denied,
        coalesce(sum(bytes_in), 0)::bigint as bytes_in, coalesce(sum(bytes_out), 0)::bigint as bytes_out,
        coalesce(sum(rollups), 0)::bigint as rollups
      from (
        select ${slot}, sum(calls) as requests, sum(quantity) as billable,
          sum(calls) filter (where is_admitted and is_failed) as errors,
          sum(calls) filter (where not is_admitted) as denied,
          sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out, count(*) as rollups
        from source group by ${slot}
      ) parts
      group by grouping sets ((${slot}), ())
    )
    select groups.is_total, groups.bucket, array[${join(tx, values, tx`,`)}]::text[] as group_values,
      groups.requests, groups.billable::text as billable, groups.errors::bigint as errors,
      groups.denied::bigint as denied, groups.bytes_in, groups.bytes_out, groups.rollups,
      ${input.hasLatency ? tx`latency_buckets, latency_counts` : tx`null as latency_buckets, null as latency_counts`}
    from (
      select * from groups order by is_total desc, ${join(tx, toOrderTerms(tx, plan), tx`,`)}
      limit ${input.rowsMax + 1}
    ) groups
    ${input.hasLatency ? histogramsOf(tx, slot, columns) : tx``}
    order by groups.is_total desc, ${join(tx, toOrderTerms(tx, plan), tx`,`)}`;
}

export async function isTenant(tx: Tx, tenantId: TenantId): Promise<boolean> {
  const rows = await tx`select 1 from tenants where tenant_id = ${tenantId}`;
  return rows.length > 0;
}

/**
 * Finds the minute of the last call of each key that has one: its last hour by the index on keys, and within that hour the
 * last minute.
 */
export async function findLastUses(
  tx: Tx,
  input: { tenantId: TenantId; keyIds: readonly KeyId[] },
): Promise<{ key_id: string; last_used_at: Date }[]> {
  const { tenantId, keyIds } = input;
  return await tx<{ key_id: string; last_used_at: Date }[]>`
    select asked.key_id, last_minute.occurred_at as last_used_at
    from unnest(${[...keyIds]}::text[]) as asked (key_id)
    cross join lateral (
      select occurred_at from usage_rollups_hourly
      where tenant_id = ${tenantId} and key_id = asked.key_id
      order by occurred_at desc limit 1
    ) last_hour
    cross join lateral (
      select occurred_at from usage_rollups
      where tenant_id = ${tenantId} and key_id = asked.key_id
        and occurred_at >= last_hour.occurred_at and occurred_at < last_hour.occurred_at + interval '1 hour'
      order by occurred_at desc limit 1
    ) last_minute`;
}
