import { isMeterMeasure } from "@turnpike/contract/meter-measure";
import type { CallMeasure } from "@turnpike/contract/usage-query";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { emptyValueOf, sumEvents } from "./meter-sums.store.ts";
import type { OrderTerm, PlannedPeriod, QueryPlan } from "./plan-query.ts";
import { ROLLUP_SUMS, type RollupSum, sumRollups } from "./rollup-sums.store.ts";
import { columnsOf, groupKeyOf, join, type Scope } from "./usage-fragments.store.ts";

/** The sums that every number is computed from; 0 where not asked for. */
export type UsageSums = {
  requests: bigint;
  /** Exact decimal. */
  billable: string;
  errors: bigint;
  denied: bigint;
  bytes_in: bigint;
  bytes_out: bigint;
  /** Merged histogram, packed; null when no latency is known, or none was asked for. */
  latencies: string | null;
  /** What each meter of the question counted, in their order; exact decimals. */
  meter_values: (string | null)[];
};

export type SumRow = UsageSums & {
  is_total: boolean;
  /** Number of the bucket within the period, from 1; 0 without a time axis. */
  bucket: number;
  /** The values of the dimensions, in their order. */
  group_values: string[];
  /** Rollups that were read. */
  rollups: bigint;
};

function measureOf(tx: Tx, measure: CallMeasure): Fragment {
  switch (measure) {
    case "requests":
      return tx`groups.requests`;
    case "billable":
      return tx`groups.billable`;
    case "errors":
      return tx`groups.errors`;
    case "error_rate":
      return tx`groups.errors::numeric / nullif(groups.requests - groups.denied, 0)`;
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
      // Percentiles come from whole histograms: the caller reads every group and sorts them.
      return tx`null::int`;
  }
}

function toOrderTerms(tx: Tx, plan: Pick<QueryPlan, "dimensions" | "order">): Fragment[] {
  const columns = columnsOf(tx, plan.dimensions);
  const byIndex = (index: number) => tx`groups.${columns[index] ?? tx`bucket`} collate "C"`;
  const toTerm = (term: OrderTerm) => {
    switch (term.kind) {
      case "time":
        return tx`groups.bucket`;
      case "dimension":
        return byIndex(term.index);
      case "meter":
        return tx`groups.meter_values[${term.index + 1}::int]`;
      case "measure":
        return measureOf(tx, term.measure);
    }
  };
  const asked = plan.order.map((term) =>
    term.isDescending ? tx`${toTerm(term)} desc nulls last` : tx`${toTerm(term)} asc nulls last`,
  );
  return [...asked, tx`groups.bucket`, ...plan.dimensions.map((_, index) => byIndex(index))];
}

/** Sums of calls, in the types in which they are read. */
function sumColumnsOf(tx: Tx): Fragment {
  return tx`
    coalesce(sum(requests), 0)::bigint as requests, coalesce(sum(billable), 0) as billable,
    coalesce(sum(errors), 0)::bigint as errors, coalesce(sum(denied), 0)::bigint as denied,
    coalesce(sum(bytes_in), 0)::bigint as bytes_in, coalesce(sum(bytes_out), 0)::bigint as bytes_out,
    nullif(sum(latencies), 0)::text as latencies, sum(rollups)::bigint as rollups`;
}

/** Sums of calls that a question needs; none when it is about meters alone. */
function listSums({ plan, hasLatency }: SumsInput): RollupSum[] {
  const ordered = plan.order.flatMap((term) => (term.kind === "measure" ? [term.measure] : []));
  const asked = new Set<string>([
    ...plan.measures,
    ...ordered,
    // A packed histogram is read as long as its calls are not too many.
    ...(hasLatency ? ["requests", "latencies"] : []),
  ]);
  const ofRate = asked.has("error_rate") ? ["requests", "errors", "denied"] : [];
  return ROLLUP_SUMS.filter((sum) => asked.has(sum) || ofRate.includes(sum));
}

/** Joins the sums of calls and of each meter by group. A group that one of them lacks counts as 0 there. */
function gather(tx: Tx, input: SumsInput, scope: Scope): Fragment {
  const { plan, period, rollupsMax } = input;
  const { sources } = period;
  const groupKey = join(tx, [tx`is_total`, groupKeyOf(tx, plan.dimensions)], tx`,`);
  const sums = listSums(input);
  const toPart = (of: { meter: number; rows: Fragment; value: Fragment; sums: RollupSum[] }) => {
    const columns = ROLLUP_SUMS.map((sum) =>
      of.sums.includes(sum) ? tx`${tx(sum)}` : tx`null::numeric as ${tx(sum)}`,
    );
    return tx`
      select ${groupKey}, ${of.meter} as meter, ${of.value} as value, rollups, ${join(tx, columns, tx`,`)}
      from (${of.rows}) summed`;
  };
  const ofMeters = plan.meters.map((meter, index) => {
    if (meter.kind === "events") {
      const rows = sumEvents(tx, { meter, scope, period, rollupsMax });
      return toPart({ meter: index, rows, value: tx`value`, sums: [] });
    }
    const { meterId } = meter;
    const rows = sumRollups(tx, { meterId, scope, sources, sums: ["billable"], rollupsMax });
    return toPart({ meter: index, rows, value: tx`billable`, sums: [] });
  });
  const { meterId } = plan;
  const ofCalls = () => {
    const rows = sumRollups(tx, { meterId, scope, sources, sums, rollupsMax });
    return toPart({ meter: -1, rows, value: tx`null::numeric`, sums });
  };
  const values = plan.meters.map(
    ({ aggregation }, index) =>
      tx`coalesce(max(value) filter (where meter = ${index}), ${emptyValueOf(tx, aggregation)})`,
  );
  const parts = asksCalls(plan) ? [ofCalls(), ...ofMeters] : ofMeters;
  return tx`
    select ${groupKey}, ${sumColumnsOf(tx)}, array[${join(tx, values, tx`,`)}]::numeric[] as meter_values
    from (${join(tx, parts, tx`union all`)}) parts
    group by ${groupKey}`;
}

type SumsInput = {
  /** Null for all tenants, which only the operator role sees. */
  tenantId: TenantId | null;
  plan: Pick<QueryPlan, "meterId" | "meters" | "measures" | "dimensions" | "filters" | "order">;
  period: Pick<PlannedPeriod, "fromMs" | "toMs" | "starts" | "sources">;
  hasLatency: boolean;
  rowsMax: number;
  rollupsMax: number;
};

/** True when the question asks for a measure of calls, or orders by one. */
function asksCalls({ measures, order }: SumsInput["plan"]): boolean {
  const isOrdered = order.some(({ kind }) => kind === "measure");
  return isOrdered || measures.some((measure) => !isMeterMeasure(measure));
}

/**
 * Sums rollups by bucket and group in one statement: the total first, then at most `rowsMax` groups in the asked order. Reads
 * at most `rollupsMax` rollups of each meter and grain, and one more; when the total has read that many, its numbers are not whole.
 */
export async function sumUsage(tx: Tx, input: SumsInput): Promise<SumRow[]> {
  return await toSumsStatement(tx, input);
}

/** Bound of a statement that reads everything: more than a database holds, and within what `limit` takes. */
export const ALL_ROLLUPS = 2 ** 52;

/** The same from all rollups and with every group, some rows at a time through a cursor. */
export function streamUsage(
  tx: Tx,
  input: Omit<SumsInput, "rowsMax" | "rollupsMax">,
  rowsAtOnce: number,
): AsyncIterable<SumRow[]> {
  return toSumsStatement(tx, { ...input, rowsMax: ALL_ROLLUPS, rollupsMax: ALL_ROLLUPS }).cursor(
    rowsAtOnce,
  );
}

function toSumsStatement(tx: Tx, input: SumsInput) {
  const { tenantId, plan, period } = input;
  const { dimensions } = plan;
  const scope = { tenantId, plan, starts: period.starts };
  const values = columnsOf(tx, dimensions).map((column) => tx`groups.${column}`);
  const order = tx`groups.is_total desc, ${join(tx, toOrderTerms(tx, plan), tx`,`)}`;
  return tx<SumRow[]>`
    select groups.is_total, groups.bucket, array[${join(tx, values, tx`,`)}]::text[] as group_values,
      groups.requests, groups.billable::text as billable, groups.errors, groups.denied, groups.bytes_in, groups.bytes_out,
      groups.rollups, groups.meter_values::text[] as meter_values,
      rtrim(groups.latencies, '0') || 'e' || length(groups.latencies) - length(rtrim(groups.latencies, '0')) as latencies
    from (${gather(tx, input, scope)}) groups
    order by ${order}
    limit ${input.rowsMax + 1}`;
}

/** The time from which usage is kept by the minute or by the hour; null: everything is. */
export async function findKeptFrom(tx: Tx, by: "minutes" | "hours"): Promise<Date | null> {
  const [row] = await tx<{ kept_from: Date | null }[]>`
    select kept_from from usage_history where class = ${by}`;
  return row?.kept_from ?? null;
}

/**
 * Finds the minute of the last call of each key. Recent calls are read in one pass; otherwise the index on keys gives the last
 * hour, and within it the last minute, or the hour itself where minutes are no longer kept.
 */
export async function findLastUses(
  tx: Tx,
  input: { tenantId: TenantId; keyIds: readonly KeyId[] },
): Promise<{ key_id: string; last_used_at: Date }[]> {
  const { tenantId, keyIds } = input;
  return await tx<{ key_id: string; last_used_at: Date }[]>`
    with recent as materialized (
      select key_id, max(occurred_at) as occurred_at from recent_usage_of_keys
      where tenant_id = ${tenantId} and key_id = any(${[...keyIds]}::text[]) group by 1
    )
    select asked.key_id, greatest(
      recent.occurred_at, coalesce(several.occurred_at, alone.occurred_at, last_hour.occurred_at)
    ) as last_used_at
    from unnest(${[...keyIds]}::text[]) as asked (key_id)
    left join recent on recent.key_id = asked.key_id
    left join lateral (
      select occurred_at from usage_rollups_hourly
      where tenant_id = ${tenantId} and key_id = asked.key_id
      order by occurred_at desc limit 1
    ) last_hour on true
    cross join lateral (
      select greatest(last_hour.occurred_at, recent.occurred_at) as since, last_hour.occurred_at + interval '1 hour' as until
    ) within
    left join lateral (
      select occurred_at from usage_rollups
      where tenant_id = ${tenantId} and key_id = asked.key_id and occurred_at >= since and occurred_at < until
      order by occurred_at desc limit 1
    ) alone on true
    -- In a row of several keys, when that is later still.
    left join lateral (
      select occurred_at from usage_rollups
      where tenant_id = ${tenantId} and key_id is null and first_key <= asked.key_id and last_key >= asked.key_id
        and occurred_at >= coalesce(alone.occurred_at, since) and occurred_at < until and asked.key_id = any(key_ids)
      order by occurred_at desc limit 1
    ) several on true
    where recent.occurred_at is not null or last_hour.occurred_at is not null`;
}
