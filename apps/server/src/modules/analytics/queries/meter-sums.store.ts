import { isEventDimension, nameOfDimension } from "@turnpike/contract/meter-measure";
import type { UsageDimension } from "@turnpike/contract/usage-query";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import type { DimensionPositions, PlannedMeter } from "./plan-meters.ts";
import type { PlannedPeriod } from "./plan-query.ts";
import {
  bucketOf,
  groupKeyOf,
  join,
  namedGroupKeyOf,
  planOf,
  type Scope,
  tenantFilterOf,
} from "./usage-fragments.store.ts";

type EventMeter = Extract<PlannedMeter, { kind: "events" }>;

/** The value of a dimension of events, at the position that each version keeps it; empty where a version does not. */
function eventDimensionColumn(tx: Tx, { versions, positions }: DimensionPositions): Fragment {
  return tx`coalesce(r.dimensions[(${[...positions]}::int[])[array_position(${[...versions]}::int[], r.meter_version)]], '')`;
}

/** The SQL of a dimension of events; those of calls are refused before. */
function dimensionOf(tx: Tx, dimension: UsageDimension, meter: EventMeter): Fragment {
  if (isEventDimension(dimension)) {
    const positions = meter.dimensions.get(nameOfDimension(dimension));
    return positions === undefined ? tx`''` : eventDimensionColumn(tx, positions);
  }
  switch (dimension) {
    case "environment":
      return tx`'live'`;
    case "tenant":
      return tx`r.tenant_id`;
    case "plan":
      return planOf(tx, tx`r.tenant_id`);
    default:
      return tx`''`;
  }
}

/** Rows of a meter: one for each value where unique values are counted, else mergeable sums of a quarter of an hour. */
function scanEvents(
  tx: Tx,
  meter: EventMeter,
  scope: Scope,
  { fromMs, toMs }: Pick<PlannedPeriod, "fromMs" | "toMs">,
): Fragment {
  const isUnique = meter.aggregation === "unique_count";
  const dimensions = scope.plan.dimensions.map(
    (dimension, index) => tx`${dimensionOf(tx, dimension, meter)} as ${tx(`d${String(index)}`)},`,
  );
  const { environment } = scope.plan.filters;
  const filters = meter.filters.map(
    ({ dimension, values }) =>
      tx`and ${eventDimensionColumn(tx, dimension)} = any(${[...values]}::text[])`,
  );
  return tx`
    select ${bucketOf(tx, scope.starts)} as bucket, ${join(tx, dimensions, tx``)}
      ${isUnique ? tx`r.value_hash` : tx`r.events, r.total, r.smallest, r.largest, r.latest, r.latest_at, r.latest_hash`}
    from ${isUnique ? tx`meter_uniques` : tx`meter_rollups`} r
    where r.meter_id = ${meter.meterId} and r.meter_version = any(${[...meter.versions]}::int[])
      and r.occurred_at >= ${new Date(fromMs)} and r.occurred_at < ${new Date(toMs)}
      and ${environment === undefined || environment.includes("live")}
      ${tenantFilterOf(tx, scope)} ${join(tx, filters, tx``)}`;
}

function aggregateOf(tx: Tx, aggregation: Aggregation): Fragment {
  switch (aggregation) {
    case "count":
      return tx`sum(events)`;
    case "sum":
      return tx`sum(total)`;
    case "avg":
      return tx`trunc(sum(total) / nullif(sum(events), 0), 12)`;
    case "min":
      return tx`min(smallest)`;
    case "max":
      return tx`max(largest)`;
    case "latest":
      return tx`(array_agg(latest order by latest_at desc, latest_hash desc) filter (where latest_at is not null))[1]`;
    case "unique_count":
      return tx`count(distinct value_hash)`;
  }
}

/** The value of a meter without events. */
export function emptyValueOf(tx: Tx, aggregation: Aggregation): Fragment {
  const isCounted = ["count", "sum", "unique_count"].includes(aggregation);
  return isCounted ? tx`0::numeric` : tx`null::numeric`;
}

/**
 * Sums one meter of events by bucket and group, and over all, each from its rows: values that cannot be added up are never
 * computed from other sums. Gives `is_total`, `bucket`, the dimensions, `value` and `rollups`, the rows that were read.
 */
export function sumEvents(
  tx: Tx,
  input: {
    meter: EventMeter;
    scope: Scope;
    period: Pick<PlannedPeriod, "fromMs" | "toMs">;
    rollupsMax: number;
  },
): Fragment {
  const { meter, scope, period, rollupsMax } = input;
  const { dimensions } = scope.plan;
  return tx`
    select ${namedGroupKeyOf(tx, dimensions)}, ${aggregateOf(tx, meter.aggregation)}::numeric as value, count(*) as rollups
    from (select * from (${scanEvents(tx, meter, scope, period)}) scanned limit ${rollupsMax + 1}) source
    group by grouping sets ((${groupKeyOf(tx, dimensions)}), ())`;
}
