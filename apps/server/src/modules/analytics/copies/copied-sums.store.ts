import { isMeterMeasure } from "@turnpike/contract/meter-measure";
import type { CallMeasure, UsageDimension } from "@turnpike/contract/usage-query";
import { packLatencies, unpackLatencies } from "@turnpike/domain/metering/latency-histogram";
import { ADMITTED_OUTCOMES } from "@turnpike/domain/metering/outcome";
import type { ClickHouse } from "#platform/clickhouse.ts";
import type { SumRow, sumUsage } from "../queries/analytics.store.ts";
import type { OrderTerm } from "../queries/plan-query.ts";
import type { Interval } from "../queries/plan-sources.ts";
import { toCallConditions } from "./call-conditions.store.ts";
import { tableOf, toClickHouseTime } from "./copied-usage.store.ts";

export type SumsInput = Parameters<typeof sumUsage>[1];

/** What a question reads from a feed. */
export type CopiedPart = {
  feedId: string;
  /** Later copies are of another snapshot. */
  lastCopy: bigint;
  /** Earlier copies that must not be read. */
  unread: readonly bigint[];
  /** Whole hours. */
  hours: readonly Interval[];
  /** Plans of tenants, where the question needs them. */
  plans: readonly { tenant_id: string; plan_id: string }[];
  /** Sums of what is not in the copies, by group. */
  rest: readonly SumRow[];
};

const SECOND_MS = 1_000;

/** Rows as a table within the statement. Base64 leaves nothing that could end a text. */
function tableIn(structure: string, rows: readonly (readonly unknown[])[]): string {
  const json = rows.map((row) => JSON.stringify(row)).join("\n");
  const text = Buffer.from(json).toString("base64");
  return `format(JSONCompactEachRow, '${structure}', base64Decode('${text}'))`;
}

/** Stretches of starts at equal distances: with a zone's clock changes a year of days has three, of months twelve. */
function listStretches(
  starts: readonly number[],
): { fromMs: number; stepMs: number; first: number }[] {
  const stretches: { fromMs: number; stepMs: number; first: number }[] = [];
  for (const [index, fromMs] of starts.entries()) {
    const next = starts[index + 1];
    const stepMs = next === undefined ? undefined : next - fromMs;
    const last = stretches.at(-1);
    if (last === undefined || (stepMs !== undefined && stepMs !== last.stepMs)) {
      stretches.push({ fromMs, stepMs: stepMs ?? Number.MAX_SAFE_INTEGER, first: index + 1 });
    }
  }
  return stretches;
}

/** The number of the bucket of an hour, from 1, without a search in each row. */
function bucketOf(starts: readonly number[]): string {
  if (starts.length === 0) {
    // A plain constant would be no column to group by.
    return "materialize(toInt64(0))";
  }
  const branches = listStretches(starts)
    .toReversed()
    .map(({ fromMs, stepMs, first }) => {
      const from = String(fromMs / SECOND_MS);
      const step = String(Math.floor(stepMs / SECOND_MS));
      return `seconds >= ${from}, ${String(first)} + intDiv(seconds - ${from}, ${step})`;
    });
  return `least(multiIf(${branches.join(", ")}, 0), ${String(starts.length)})`;
}

/** The closed set of columns that rows are grouped by. */
function columnOf(dimension: UsageDimension): string {
  switch (dimension) {
    case "key":
      return "key_id";
    case "route":
    case "method":
    case "outcome":
    case "environment":
    case "model":
    case "status":
      return dimension;
    case "status_class":
      return "intDiv(status, 100)";
    case "tenant":
    case "plan":
      return "tenant_id";
    default:
      // Dimensions of events do not apply to calls.
      return "''";
  }
}

function shownAs(dimension: UsageDimension, column: string): string {
  switch (dimension) {
    case "status_class":
      return `concat(toString(${column}), 'xx')`;
    case "plan":
      return "plans.plan_id";
    default:
      return `toString(${column})`;
  }
}

/** What the caller asks for, as conditions and their values. */
function toFilters({ plan, tenantId }: SumsInput, part: CopiedPart) {
  const { plan: plans, ...asked } = plan.filters;
  const { parameters, conditions } = toCallConditions(asked);
  if (tenantId !== null) {
    parameters["f_owner"] = tenantId;
    conditions.push("tenant_id = {f_owner:String}");
  }
  if (plans !== undefined) {
    const wanted = part.plans.filter(({ plan_id }) => plans.some((each) => each === plan_id));
    conditions.push(
      wanted.length === 0
        ? "0"
        : `tenant_id in (select tenant_id from ${tableIn(
            "tenant_id String",
            wanted.map(({ tenant_id }) => [tenant_id]),
          )})`,
    );
  }
  return { parameters, conditions };
}

const ADMITTED = ADMITTED_OUTCOMES.map((outcome) => `'${outcome}'`).join(", ");

/** Each sum as rows give it, and how sums of it are added. Of calls that do not count for the question, 0. */
function listSums(input: SumsInput, ifCalls: string): { name: string; of: string }[] {
  const sum = (value: string, condition = "1") => `sumIf(${value}, ${condition} and ${ifCalls})`;
  const admitted = `outcome in (${ADMITTED})`;
  return [
    { name: "requests", of: sum("calls") },
    { name: "billable", of: sum("quantity") },
    { name: "errors", of: sum("calls", `status >= 500 and ${admitted}`) },
    { name: "denied", of: sum("calls", `not (${admitted})`) },
    { name: "bytes_in", of: sum("bytes_in") },
    { name: "bytes_out", of: sum("bytes_out") },
    {
      name: "latencies",
      of: input.hasLatency
        ? `sumMapIf(latency_buckets, latency_counts, ${ifCalls})`
        : "([]::Array(UInt16), []::Array(UInt64))",
    },
  ];
}

const SUM_TYPES =
  "s_requests Int64, s_billable Decimal(38, 12), s_errors Int64, s_denied Int64, s_bytes_in Int64, s_bytes_out Int64, s_latencies Tuple(Array(UInt16), Array(UInt64))";

/** Sums of PostgreSQL in the order of the columns. */
function toRestRow(row: SumRow): unknown[] {
  const { buckets, counts } =
    row.latencies === null ? { buckets: [], counts: [] } : unpackLatencies(row.latencies);
  return [
    row.bucket,
    ...row.group_values,
    ...[row.requests, row.billable, row.errors, row.denied, row.bytes_in, row.bytes_out].map(
      String,
    ),
    [buckets, counts],
    ...row.meter_values.map((value) => value ?? "0"),
  ];
}

function measureOf(measure: CallMeasure): string {
  switch (measure) {
    case "error_rate":
      return "if(requests = denied, null, errors / (requests - denied))";
    case "latency_avg":
    case "latency_p50":
    case "latency_p95":
    case "latency_p99":
      // Percentiles come from whole histograms: the caller reads every group and sorts them.
      return "null";
    default:
      return measure;
  }
}

function toOrder({ plan }: SumsInput): string {
  const termOf = (term: OrderTerm) => {
    switch (term.kind) {
      case "time":
        return "bucket";
      case "dimension":
        return `d${String(term.index)}`;
      case "meter":
        return `m${String(term.index)}`;
      case "measure":
        return measureOf(term.measure);
    }
  };
  const asked = plan.order.map(
    (term) => `${termOf(term)} ${term.isDescending ? "desc" : "asc"} nulls last`,
  );
  return [
    "is_total desc",
    ...asked,
    "bucket",
    ...plan.dimensions.map((_, n) => `d${String(n)}`),
  ].join(", ");
}

function asksCalls({ plan }: SumsInput): boolean {
  return (
    plan.order.some(({ kind }) => kind === "measure") ||
    plan.measures.some((measure) => !isMeterMeasure(measure))
  );
}

function toHoursCondition(hours: readonly Interval[]): string {
  const each = hours.map(({ fromMs, toMs }) => {
    const [from, to] = [toClickHouseTime(fromMs), toClickHouseTime(toMs)];
    return `(occurred_at >= toDateTime64('${from}', 0, 'UTC') and occurred_at < toDateTime64('${to}', 0, 'UTC'))`;
  });
  return `(${each.join(" or ")})`;
}

function toStatement(input: SumsInput, part: CopiedPart) {
  const { plan, period, rowsMax } = input;
  const { parameters, conditions } = toFilters(input, part);
  const dimensions = plan.dimensions.map((dimension, n) => ({ dimension, name: `d${String(n)}` }));
  const meters = plan.meters.map(({ meterId }, n) => ({ meterId, name: `m${String(n)}` }));
  const names = dimensions.map(({ name }) => name);
  parameters["meter"] = plan.meterId;
  for (const { meterId, name } of meters) {
    parameters[name] = meterId;
  }
  const wanted = [...(asksCalls(input) ? ["meter"] : []), ...meters.map(({ name }) => name)];
  const isMeter = (name: string) => (wanted.length === 1 ? "1" : `meter_id = {${name}:String}`);
  const sums = [
    ...listSums(input, asksCalls(input) ? isMeter("meter") : "0"),
    ...meters.map(({ name }) => ({ name, of: `sumIf(quantity, ${isMeter(name)})` })),
  ];
  const group = ["bucket", ...names].join(", ");
  const where = [
    `meter_id in (${wanted.map((name) => `{${name}:String}`).join(", ")})`,
    toHoursCondition(part.hours),
    `copy <= ${String(part.lastCopy)}`,
    ...(part.unread.length === 0 ? [] : [`copy not in (${part.unread.map(String).join(", ")})`]),
    ...conditions,
  ];
  const columns = dimensions.map(({ dimension, name }) => `${columnOf(dimension)} as ${name}`);
  const shown = dimensions.map(
    ({ dimension, name }) => `${shownAs(dimension, `copied.${name}`)} as ${name}`,
  );
  const inner = sums.map(({ name }) => `s_${name}`);
  const added = sums.map(({ name }) =>
    name === "latencies"
      ? "sumMap(tupleElement(s_latencies, 1), tupleElement(s_latencies, 2)) as latencies"
      : `sum(s_${name}) as ${name}`,
  );
  const ofPlan = dimensions.find(({ dimension }) => dimension === "plan");
  const plans = part.plans.map(({ tenant_id, plan_id }) => [tenant_id, plan_id]);
  const joined =
    ofPlan === undefined || plans.length === 0
      ? ""
      : `left join ${tableIn("tenant_id String, plan_id String", plans)} as plans on plans.tenant_id = copied.${ofPlan.name}`;
  const structure = [
    "bucket Int64",
    ...names.map((name) => `${name} String`),
    SUM_TYPES,
    ...meters.map(({ name }) => `s_${name} Decimal(38, 12)`),
  ].join(", ");
  // A table of no rows is none to ClickHouse.
  const rest =
    part.rest.length === 0
      ? ""
      : `union all select * from ${tableIn(structure, part.rest.map(toRestRow))}`;
  const statement = `
    with copied as (
      with toInt64(toUnixTimestamp(occurred_at)) as seconds
      select ${[`${bucketOf(period.starts)} as bucket`, ...columns].join(", ")},
        ${sums.map(({ name, of }) => `${of} as s_${name}`).join(", ")}
      from ${tableOf(part.feedId)}
      where ${where.join(" and ")}
      group by ${group}
      having count() > 0
    ),
    shown as (
      select ${["toInt64(copied.bucket) as bucket", ...shown, ...inner].join(", ")} from copied ${joined}
      ${rest}
    )
    select grouping(bucket) as is_total, ${[group, ...added].join(", ")}
    from shown
    group by grouping sets ((${group}), ())
    order by ${toOrder(input)}
    limit ${String(rowsMax + 1)}`;
  return { statement, parameters };
}

type Answer = Record<string, unknown> & { latencies: [number[], (string | number)[]] };

function toSumRow(input: SumsInput, row: Answer): SumRow {
  const text = (name: string) => String(row[name]);
  const [buckets, counts] = row.latencies;
  const isTotal = Number(row["is_total"]) === 1;
  return {
    is_total: isTotal,
    bucket: isTotal ? -1 : Number(row["bucket"]),
    group_values: input.plan.dimensions.map((_, n) => text(`d${String(n)}`)),
    requests: BigInt(text("requests")),
    billable: text("billable"),
    errors: BigInt(text("errors")),
    denied: BigInt(text("denied")),
    bytes_in: BigInt(text("bytes_in")),
    bytes_out: BigInt(text("bytes_out")),
    latencies: buckets.length === 0 ? null : packLatencies({ buckets, counts: counts.map(Number) }),
    meter_values: input.plan.meters.map((_, n) => text(`m${String(n)}`)),
    rollups: 0n,
  };
}

/** Sums copies and the given rest as `sumUsage` sums rollups: the total first, then at most `rowsMax` groups in the asked order. */
export async function sumCopies(
  clickhouse: ClickHouse,
  input: SumsInput,
  part: CopiedPart,
): Promise<SumRow[]> {
  const { statement, parameters } = toStatement(input, part);
  const rows = await clickhouse.select<Answer>(statement, parameters);
  return rows.map((row) => toSumRow(input, row));
}
