import type { UsageDimension } from "@turnpike/contract/usage-query";
import type { Fragment, Tx } from "@turnpike/db/client";
import { ADMITTED_OUTCOMES } from "@turnpike/domain/metering/outcome";
import type { PlannedPeriod, UsageFilters } from "./plan-query.ts";
import type { Interval } from "./plan-sources.ts";
import {
  bucketOf,
  columnsOf,
  groupKeyOf,
  join,
  namedGroupKeyOf,
  planOf,
  type Scope,
  tenantFilterOf,
  toInstants,
} from "./usage-fragments.store.ts";

/** The sums of rollups of calls. */
export const ROLLUP_SUMS = [
  "requests",
  "billable",
  "errors",
  "denied",
  "bytes_in",
  "bytes_out",
  "latencies",
] as const;
export type RollupSum = (typeof ROLLUP_SUMS)[number];

const VIEWS = {
  hours: "usage_by_hour",
  minutes: "usage_by_minute",
  recent: "usage_of_recent_hours",
} as const;
type Grain = keyof typeof VIEWS;

/**
 * The SQL of each dimension, a closed set, so that no text of a caller ever becomes SQL: the column that rows are grouped by, and
 * the text that is shown for it. There are far fewer groups than rows, so slow expressions are in the latter.
 */
function dimensionOf(tx: Tx, dimension: UsageDimension): Fragment {
  switch (dimension) {
    case "key":
      return tx`r.key_id`;
    case "route":
      return tx`r.route`;
    case "method":
      return tx`r.method`;
    case "status":
      return tx`r.status`;
    case "status_class":
      return tx`r.status / 100`;
    case "outcome":
      return tx`r.outcome`;
    case "environment":
      return tx`r.environment`;
    case "model":
      return tx`r.model`;
    case "tenant":
    case "plan":
      return tx`r.tenant_id`;
    default:
      // Dimensions of events do not apply to calls.
      return tx`''`;
  }
}

function shownAs(tx: Tx, dimension: UsageDimension, column: Fragment): Fragment {
  switch (dimension) {
    case "status":
      return tx`${column}::text`;
    case "status_class":
      return tx`${column}::text || 'xx'`;
    case "plan":
      return planOf(tx, column);
    default:
      return column;
  }
}

function filterOf(tx: Tx, filters: UsageFilters): Fragment {
  const { key, route, method, status, status_class, outcome, environment, model } = filters;
  const classes = status_class?.map((name) => Number(name[0]));
  const parts = [
    key && tx`and r.key_id = any(${key}::text[])`,
    route && tx`and r.route = any(${route}::text[])`,
    method && tx`and r.method = any(${method}::text[])`,
    status && tx`and r.status = any(${status}::smallint[])`,
    classes && tx`and r.status / 100 = any(${classes}::smallint[])`,
    outcome && tx`and r.outcome = any(${outcome}::text[])`,
    environment && tx`and r.environment = any(${environment}::text[])`,
    model && tx`and r.model = any(${model}::text[])`,
  ].filter((part) => part !== undefined);
  return join(tx, parts, tx``);
}

/** Skips rows of several keys that cannot contain the asked ones, before they are unpacked. */
function keyRangeOf(tx: Tx, { key }: UsageFilters): Fragment {
  const [first, last] = [key?.toSorted()[0], key?.toSorted().at(-1)];
  return first === undefined || last === undefined
    ? tx``
    : tx`and r.first_key <= ${last} and r.last_key >= ${first}`;
}

/** The value that a row adds to a sum. */
function columnOf(tx: Tx, sum: RollupSum, grain: Grain): Fragment {
  const isAdmitted = tx`r.outcome = any(${[...ADMITTED_OUTCOMES]}::text[])`;
  switch (sum) {
    case "requests":
      return tx`r.calls as requests`;
    case "billable":
      return tx`r.quantity as billable`;
    case "errors":
      return tx`case when r.status >= 500 and ${isAdmitted} then r.calls end as errors`;
    case "denied":
      return tx`case when not ${isAdmitted} then r.calls end as denied`;
    case "bytes_in":
      return tx`r.bytes_in`;
    case "bytes_out":
      return tx`r.bytes_out`;
    case "latencies":
      return grain === "minutes" ? tx`r.latency_buckets, r.latency_counts` : tx`r.latencies`;
  }
}

/** Up to this many intervals are written out and planned separately: days whose ends cut hours, and the ends of the period. */
const WRITTEN_OUT_MAX = 4;

type Scan = { meterId: string; scope: Scope; sums: readonly RollupSum[]; rollupsMax: number };

function scan(
  tx: Tx,
  { meterId, scope, sums, rollupsMax }: Scan,
  { grain, intervals }: { grain: Grain; intervals: readonly Interval[] },
): Fragment {
  const { plan } = scope;
  const view = tx`${tx(VIEWS[grain])}`;
  const columns = [
    tx`${bucketOf(tx, scope.starts)} as bucket`,
    ...plan.dimensions.map(
      (dimension, index) => tx`${dimensionOf(tx, dimension)} as ${tx(`d${String(index)}`)}`,
    ),
    ...sums.map((sum) => columnOf(tx, sum, grain)),
  ];
  const select = tx`select ${join(tx, columns, tx`,`)}`;
  const range = grain === "minutes" ? keyRangeOf(tx, plan.filters) : tx``;
  const whose = tx`r.meter_id = ${meterId} ${tenantFilterOf(tx, scope)} ${range}`;
  const filter = filterOf(tx, plan.filters);
  // The minute also finds whole hours, and the index of recent usage is on minutes.
  const within = ({ fromMs, toMs }: Interval) =>
    tx`r.minute >= ${new Date(fromMs)} and r.minute < ${new Date(toMs)}`;
  const writtenOut = () =>
    join(
      tx,
      intervals.map(
        (interval) => tx`${select} from ${view} r where ${within(interval)} and ${whose} ${filter}`,
      ),
      tx`union all`,
    );
  // `offset 0` makes the database seek each interval in the index; joined, they would be filtered from all rows of the tenant.
  // The range over all intervals prunes partitions before anything runs.
  const sought = () => tx`
    ${select}
    from unnest(
      ${toInstants(intervals.map(({ fromMs }) => fromMs))}::timestamptz[],
      ${toInstants(intervals.map(({ toMs }) => toMs))}::timestamptz[]
    ) as part (from_at, to_at) cross join lateral (
      select * from ${view} r
      where r.minute >= part.from_at and r.minute < part.to_at and ${within(rangeOf(intervals))} and ${whose} offset 0
    ) r
    where true ${filter}`;
  const rows = intervals.length <= WRITTEN_OUT_MAX ? writtenOut() : sought();
  return tx`select * from (${rows}) scanned limit ${rollupsMax + 1}`;
}

/** From the first to the last of some intervals, which ascend. */
function rangeOf(intervals: readonly Interval[]): Interval {
  return { fromMs: intervals[0]?.fromMs ?? 0, toMs: intervals.at(-1)?.toMs ?? 0 };
}

/** Columns of one branch of the union: the shown dimensions, and every sum, null where the branch lacks it. */
function toPart(
  tx: Tx,
  { scope, sums }: Scan,
  input: { rows: Fragment; rollups: Fragment; of: (sum: RollupSum) => Fragment | undefined },
): Fragment {
  const { dimensions } = scope.plan;
  const columns = columnsOf(tx, dimensions);
  const shown = dimensions.map(
    (dimension, index) =>
      tx`, ${shownAs(tx, dimension, columns[index] ?? tx`''`)} as ${tx(`d${String(index)}`)}`,
  );
  const taken = sums.map((sum) => tx`, ${input.of(sum) ?? tx`null::numeric`} as ${tx(sum)}`);
  const kept = sums.map((sum) => tx`, ${tx(sum)}`);
  const groupKey = groupKeyOf(tx, dimensions);
  return tx`
    select bucket ${join(tx, shown, tx``)}, rollups ${join(tx, kept, tx``)}
    from (select ${groupKey}, ${input.rollups} as rollups ${join(tx, taken, tx``)} from ${input.rows} group by ${groupKey}) summed`;
}

const sumOf = (tx: Tx, sum: RollupSum): Fragment => tx`sum(${tx(sum)})::numeric`;

/** Adds up hours as they are, histograms included. */
function sumHours(
  tx: Tx,
  input: Scan,
  of: { grain: "hours" | "recent"; intervals: readonly Interval[] },
): Fragment {
  return toPart(tx, input, {
    rows: tx`(${scan(tx, input, of)}) rows`,
    rollups: tx`count(*)`,
    of: (sum) => sumOf(tx, sum),
  });
}

/** Unpacks the histograms of minutes, sums them by bucket and packs them as those of hours. */
function sumMinutes(tx: Tx, input: Scan): Fragment[] {
  const groupKey = groupKeyOf(tx, input.scope.plan.dimensions);
  const counted = toPart(tx, input, {
    rows: tx`minutes`,
    rollups: tx`count(*)`,
    of: (sum) => (sum === "latencies" ? undefined : sumOf(tx, sum)),
  });
  if (!input.sums.includes("latencies")) {
    return [counted];
  }
  const merged = tx`(
    select ${groupKey}, latency, sum(calls)::bigint as calls
    from (select ${groupKey}, unnest(latency_buckets) as latency, unnest(latency_counts) as calls from minutes) taken
    group by ${groupKey}, latency
  ) merged`;
  const packed = toPart(tx, input, {
    rows: merged,
    rollups: tx`0`,
    of: (sum) =>
      sum === "latencies" ? tx`pack_latencies(array_agg(latency), array_agg(calls))` : undefined,
  });
  return [counted, packed];
}

/**
 * Sums the rollups of a meter by bucket and group, and over all: by the hour where possible, by the minute elsewhere.
 * Gives `is_total`, `bucket`, the dimensions, `rollups` (the number of rows read), and the asked sums, which are null without rows.
 * Reads at most `rollupsMax` rollups of each grain and one more.
 */
export function sumRollups(tx: Tx, input: Scan & Pick<PlannedPeriod, "sources">): Fragment {
  const { sources, scope, sums } = input;
  const { recent = [] } = sources;
  const hasMinutes = sources.minutes.length > 0;
  const hasOthers = hasMinutes || recent.length > 0;
  // A range whose minutes are no longer kept may have no interval left, and still needs a total.
  const hours = hasOthers || sources.hours.length > 0 ? sources.hours : [{ fromMs: 0, toMs: 0 }];
  const parts = [
    ...(hours.length > 0 ? [sumHours(tx, input, { grain: "hours", intervals: hours })] : []),
    ...(recent.length > 0 ? [sumHours(tx, input, { grain: "recent", intervals: recent })] : []),
    ...(hasMinutes ? sumMinutes(tx, input) : []),
  ];
  const minutes = hasMinutes
    ? tx`with minutes as (${scan(tx, input, { grain: "minutes", intervals: sources.minutes })})`
    : tx``;
  const columns = sums.map((sum) => tx`, ${sumOf(tx, sum)} as ${tx(sum)}`);
  // The total is summed from the groups, which are fewer than the rollups. It has no bucket and no values.
  return tx`
    ${minutes}
    select ${namedGroupKeyOf(tx, scope.plan.dimensions)}, coalesce(sum(rollups), 0)::bigint as rollups ${join(tx, columns, tx``)}
    from (${join(tx, parts, tx`union all`)}) parts
    group by grouping sets ((${groupKeyOf(tx, scope.plan.dimensions)}), ())`;
}
