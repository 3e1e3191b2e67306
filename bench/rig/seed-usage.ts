import type { Fragment, Sql } from "@turnpike/db/client";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";

/** Days of usage that every tenant has. */
export const SEEDED_DAYS = 90;
/** Calls a second of the tenant that is asked about, over the whole day. */
export const CALLS_PER_SECOND = 2;
/** They come in so many minutes of each hour, as those of jobs do. */
const MINUTES_PER_HOUR = 4;

export type UsageSeed = {
  /** The tenant that is asked about, and its keys. */
  tenantId: string;
  keyIds: readonly string[];
  /** How many tenants there are with it. */
  tenants: number;
  /** Routes that each of the others calls. */
  routesOfOthers: number;
  /** Ninety days of the asked tenant that lie before the ninety that are asked about, so many times. */
  olderHistories: number;
  /** End of all usage: a full hour. */
  endMs: number;
  note: (text: string) => void;
};

/**
 * Writes each call of the asked tenant as a row, with the same numbers in every run. `bench_calls` is what a product without
 * rollups would keep, with the index that the questions need.
 */
export async function seedCalls(sql: Sql, seed: UsageSeed): Promise<void> {
  await sql`
    create unlogged table bench_calls (
      tenant_id text not null,
      occurred_at timestamptz not null,
      key_id text not null,
      route text not null,
      method text not null,
      outcome text not null,
      status smallint not null,
      latency_bucket smallint,
      latency_ms float8,
      bytes_in int not null,
      bytes_out int not null
    )`;
  for (let day = SEEDED_DAYS; day > 0; day -= 1) {
    const from = new Date(seed.endMs - day * DAY_MS);
    await sql`
      insert into bench_calls
      select ${seed.tenantId}, at, (${[...seed.keyIds]}::text[])[1 + (chance % ${seed.keyIds.length})::int],
        (array['/v1/places/{id}', '/v1/places', '/v1/routes', '/v1/tiles/{id}'])[1 + (chance / 7 % 4)::int], 'GET',
        case when luck < 20 then 'RATE_LIMITED' else 'VALID' end,
        case when luck < 20 then 429 when luck < 30 then 500 when luck < 80 then 404 else 200 end,
        case when luck < 20 then null else bucket end,
        case when luck < 20 then null else 0.1 * 1.04 ^ bucket * 2 / 2.04 end,
        100, 1800
      from (
        select at, chance, chance / 31 % 1000 as luck,
          -- 20 ms and more, with a long tail.
          (135 + 60 * ((chance / 1009 % 1000) / 1000.0) ^ 4)::smallint as bucket
        from (
          select hour + place % ${MINUTES_PER_HOUR} * interval '15 minutes' + place / ${MINUTES_PER_HOUR} % 60 * interval '1 second' as at,
            hashint8extended(extract(epoch from hour)::bigint + place, 5) & 1073741823 as chance
          from generate_series(${from}::timestamptz, ${from}::timestamptz + interval '23 hours', interval '1 hour') as hour,
            generate_series(0, ${CALLS_PER_SECOND * 3600 - 1}) as place
        ) drawn
      ) calls`;
  }
  await sql`create index on bench_calls (tenant_id, occurred_at)`;
}

/** Sums the calls as a commit does: a row for each minute or hour, key, outcome, status, method and route. */
async function sumCalls(sql: Sql, grain: "minute" | "hour"): Promise<void> {
  const table = sql(`bench_${grain}s`);
  const listed = (what: Fragment) =>
    sql`coalesce(array_agg(${what} order by latency_bucket) filter (where latency_bucket is not null), '{}')`;
  const buckets = sql`${listed(sql`latency_bucket`)}::smallint[]`;
  const counts = sql`${listed(sql`calls`)}::bigint[]`;
  await sql`
    create unlogged table ${table} as
    select tenant_id, at as occurred_at, 'requests' as meter_id, 'live' as environment, key_id, outcome, status, method, route,
      sum(calls)::bigint as calls, sum(calls) filter (where outcome = 'VALID' and status < 400) as quantity,
      sum(bytes_in)::bigint as bytes_in, sum(bytes_out)::bigint as bytes_out,
      ${grain === "minute" ? sql`${buckets} as latency_buckets, ${counts} as latency_counts` : sql`pack_latencies(${buckets}, ${counts}) as latencies`}
    from (
      select tenant_id, date_trunc(${grain}, occurred_at, 'UTC') as at, key_id, outcome, status, method, route, latency_bucket,
        count(*) as calls, sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out
      from bench_calls
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ) buckets
    group by 1, 2, 5, 6, 7, 8, 9`;
  await sql`create index on ${table} (occurred_at)`;
}

const TABLES = { minute: "usage_rollups", hour: "usage_rollups_hourly" } as const;
const COLUMNS =
  "tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in, bytes_out";
/** Histograms of minutes are arrays, those of hours a number. */
const LATENCIES = { minute: "latency_buckets, latency_counts", hour: "latencies" } as const;

async function copyOwn(
  sql: Sql,
  grain: keyof typeof TABLES,
  { fromMs, toMs, shiftDays }: { fromMs: number; toMs: number; shiftDays: number },
): Promise<void> {
  await sql`
    insert into ${sql(TABLES[grain])} (${sql.unsafe(COLUMNS)}, ${sql.unsafe(LATENCIES[grain])})
    select tenant_id, occurred_at - ${shiftDays} * interval '1 day', meter_id, environment, key_id, outcome, status, method, route,
      calls, coalesce(quantity, 0), bytes_in, bytes_out, ${sql.unsafe(LATENCIES[grain])}
    from ${sql(`bench_${grain}s`)}
    where occurred_at >= ${new Date(fromMs)} and occurred_at < ${new Date(toMs)}
    order by occurred_at`;
}

/** A row in each of four hours of a day and one minute of each, for each route of every other tenant. */
async function insertOthers(
  sql: Sql,
  grain: keyof typeof TABLES,
  seed: UsageSeed,
  dayMs: number,
): Promise<void> {
  await sql`
    insert into ${sql(TABLES[grain])} (${sql.unsafe(COLUMNS)}, ${sql.unsafe(LATENCIES[grain])})
    select 'ten_' || md5('tenant' || tenant),
      ${new Date(dayMs)}::timestamptz + hour * interval '1 hour' ${grain === "minute" ? sql`+ tenant % 60 * interval '1 minute'` : sql``},
      'requests', 'live', 'key_' || md5('key' || tenant), 'VALID', 200, 'GET', '/v1/things/' || route, 40, 40, 4000, 72000,
      ${grain === "minute" ? sql`'{135,137,140,144,150,163}', '{12,10,8,5,4,1}'` : sql`(select pack_latencies('{135,137,140,144,150,163}', '{12,10,8,5,4,1}'))`}
    from generate_series(1, 19, 6) as hour, generate_series(1, ${seed.tenants - 1}) as tenant,
      generate_series(1, ${seed.routesOfOthers}) as route`;
}

async function insertTenants(sql: Sql, seed: UsageSeed): Promise<void> {
  await sql`
    insert into tenants (tenant_id, name, slug, created_at, updated_at)
    select 'ten_' || md5('tenant' || tenant), 'Tenant ' || tenant, 'tenant-' || tenant, created_at, updated_at
    from tenants, generate_series(1, ${seed.tenants - 1}) as tenant where tenant_id = ${seed.tenantId}`;
  await sql`
    insert into tenant_entitlements (tenant_id, plan_id, plan_version, period_anchor, updated_at)
    select 'ten_' || md5('tenant' || tenant), plan_id, plan_version, period_anchor, updated_at
    from tenant_entitlements, generate_series(1, ${seed.tenants - 1}) as tenant where tenant_id = ${seed.tenantId}`;
}

/**
 * Gives the rollups a partition for each month since `fromMs`, as an installation of that age has them. A fresh one has a single
 * partition for all that lies before its next month.
 */
async function partitionByMonth(sql: Sql, fromMs: number): Promise<void> {
  for (const table of Object.values(TABLES)) {
    const [first] = await sql<{ name: string; until: string }[]>`
      select c.relname as name, right(c.relname, 6) as until
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${table}::regclass and c.relname ~ '_until_[0-9]{6}$'`;
    if (first === undefined) {
      throw new Error(`${table} has no partition of the past.`);
    }
    await sql`drop table ${sql(first.name)}`;
    const months = await sql<{ name: string; start: string; end: string }[]>`
      select to_char(month at time zone 'UTC', 'YYYYMM') as name, month::text as start, (month + interval '1 month')::text as end
      from generate_series(date_trunc('month', ${new Date(fromMs)}::timestamptz, 'UTC'),
        to_date(${first.until}, 'YYYYMM') - interval '1 month', interval '1 month') as month`;
    for (const month of months) {
      await sql`
        create table ${sql(`${table}_${month.name}`)} partition of ${sql(table)}
        for values from (${sql.unsafe(`'${month.start}'`)}) to (${sql.unsafe(`'${month.end}'`)}) with (fillfactor = 70)`;
    }
  }
}

/**
 * Fills the rollups in the order in which usage would have: day by day, all tenants of a day together.
 *
 * @returns How many rows each table has.
 */
export async function seedRollups(
  sql: Sql,
  seed: UsageSeed,
): Promise<{ minutes: number; hours: number }> {
  const { endMs } = seed;
  const grains = ["minute", "hour"] as const;
  await insertTenants(sql, seed);
  await partitionByMonth(sql, endMs - (seed.olderHistories + 1) * SEEDED_DAYS * DAY_MS);
  for (const grain of grains) {
    await sumCalls(sql, grain);
    for (let times = seed.olderHistories; times > 0; times -= 1) {
      const all = { fromMs: endMs - SEEDED_DAYS * DAY_MS, toMs: endMs };
      await copyOwn(sql, grain, { ...all, shiftDays: times * SEEDED_DAYS });
    }
  }
  for (let day = SEEDED_DAYS; day > 0; day -= 1) {
    const fromMs = endMs - day * DAY_MS;
    for (const grain of grains) {
      await insertOthers(sql, grain, seed, fromMs);
      await copyOwn(sql, grain, { fromMs, toMs: fromMs + DAY_MS, shiftDays: 0 });
    }
    if (day % 30 === 0) {
      seed.note(`${String(day)} days to go`);
    }
  }
  await sql`drop table bench_minutes, bench_hours`;
  await sql`vacuum (analyze) usage_rollups, usage_rollups_hourly, tenants`;
  const [rows] = await sql<{ minutes: number; hours: number }[]>`
    select (select count(*) from usage_rollups)::int as minutes, (select count(*) from usage_rollups_hourly)::int as hours`;
  return rows ?? { minutes: 0, hours: 0 };
}
