import { isEventDimension, nameOfDimension } from "@turnpike/contract/meter-measure";
import type { UsageDimension } from "@turnpike/contract/usage";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import type { PartPlaces, PlannedMeter } from "./plan-meters.ts";
import type { PlannedPeriod } from "./plan-query.ts";
import {
  bucketOf,
  join,
  namedSlotOf,
  planOf,
  type Scope,
  slotOf,
  tenantFilterOf,
} from "./usage-fragments.store.ts";

type EventMeter = Extract<PlannedMeter, { kind: "events" }>;

/** A part of an event, wherever its version keeps it; the empty text where it does not. */
function partColumn(tx: Tx, { versions, places }: PartPlaces): Fragment {
  return tx`coalesce(r.dimensions[(${[...places]}::int[])[array_position(${[...versions]}::int[], r.meter_version)]], '')`;
}

/** The SQL of a dimension of events; those of calls are refused before. */
function dimensionOf(tx: Tx, dimension: UsageDimension, meter: EventMeter): Fragment {
  if (isEventDimension(dimension)) {
    const places = meter.parts.get(nameOfDimension(dimension));
    return places === undefined ? tx`''` : partColumn(tx, places);
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

/** Rows of a meter: of what is told apart one for each value, else mergeable sums of a quarter of an hour. */
function scanEvents(
  tx: Tx,
  meter: EventMeter,
  scope: Scope,
  { fromMs, toMs }: Pick<PlannedPeriod, "fromMs" | "toMs">,
): Fragment {
  const isUnique = meter.aggregation === "unique_count";
  const dimensions = scope.plan.dimensions.map(
    (dimension, place) => tx`${dimensionOf(tx, dimension, meter)} as ${tx(`d${String(place)}`)},`,
  );
  const { environment } = scope.plan.filters;
  const filters = meter.filters.map(
    ({ part, values }) => tx`and ${partColumn(tx, part)} = any(${[...values]}::text[])`,
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

/** What there is of a meter where it has no events. */
export function emptyValueOf(tx: Tx, aggregation: Aggregation): Fragment {
  const isCounted = ["count", "sum", "unique_count"].includes(aggregation);
  return isCounted ? tx`0::numeric` : tx`null::numeric`;
}

/**
 * Sums one meter of events by bucket and group, and over all, each from its rows: what cannot be added up is never made of the
 * sums of others. Gives `is_total`, `bucket`, the dimensions, `value` and `rollups`, the rows that were read.
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
    select ${namedSlotOf(tx, dimensions)}, ${aggregateOf(tx, meter.aggregation)}::numeric as value, count(*) as rollups
    from (select * from (${scanEvents(tx, meter, scope, period)}) scanned limit ${rollupsMax + 1}) source
    group by grouping sets ((${slotOf(tx, dimensions)}), ())`;
}
