import { isDeepStrictEqual } from "node:util";
import type { UsageReport } from "@turnpike/contract/usage";
import { allUsageQuery } from "@turnpike/contract/usage-query";
import type { CallContext } from "@turnpike/domain/access/actor";
import { toId } from "@turnpike/domain/ids/ids";
import { DAY_MS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import { startClickHouse } from "@turnpike/testkit/clickhouse-server";
import { contextOf, createLiveServices } from "@turnpike/testkit/test-services";
import {
  prepareCopies,
  queryUsageOfAll,
  rebuildCopies,
} from "../apps/server/src/modules/analytics/index.ts";
import { openClickHouse } from "../apps/server/src/platform/clickhouse.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { makePatternTenant } from "./rig/make-pattern-tenant.ts";
import { ROWS_PER_HOUR, seedWatchedUsage } from "./rig/seed-watched-usage.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";
import { type BenchDatabase, withProductDatabase } from "./rig/with-product-database.ts";

const TENANTS = 1_000;
const DAYS = 30;
/** A question may take long here; it must not be given up. */
const TIMEOUT_MS = 60_000;
/** As the operator's screens ask: without a bound of rollups. */
const OPERATOR: CallContext = contextOf({
  type: "user",
  id: toId("user", "0199f3b0c1d27a4e8f60112233445566"),
  isOperator: true,
  roles: new Map(),
});

/** What an operator asks about all tenants: the home's questions, and those that lead from there. */
function listQuestions(endMs: number): { name: string; text: Record<string, string> }[] {
  const range = {
    from: new Date(endMs - DAYS * DAY_MS).toISOString(),
    to: new Date(endMs).toISOString(),
  };
  const top = { order: "-requests", limit: "10" };
  return [
    {
      name: "home: figures by day, compared",
      text: {
        grain: "day",
        timeZone: "Europe/Berlin",
        measures: "requests,errors,error_rate,denied,latency_p95",
        compare: "previous",
      },
    },
    {
      name: "home: outcomes by day",
      text: {
        grain: "day",
        timeZone: "Europe/Berlin",
        measures: "requests",
        dimensions: "outcome,status_class",
      },
    },
    {
      name: "the ten busiest tenants",
      text: { dimensions: "tenant", measures: "requests,billable", ...top },
    },
    {
      name: "the ten tenants with most errors",
      text: { dimensions: "tenant", measures: "errors", order: "-errors", limit: "10" },
    },
    {
      name: "routes by status class",
      text: { dimensions: "route,status_class", measures: "requests,bytes_out" },
    },
    {
      name: "plans by week",
      text: { grain: "week", dimensions: "plan", measures: "requests,billable" },
    },
    {
      name: "the hundred busiest keys",
      text: { dimensions: "key", measures: "requests", order: "-requests", limit: "100" },
    },
  ].map(({ name, text }) => ({ name, text: { ...range, ...text } }));
}

type Times = { postgres: number[]; clickhouse: number[] };

async function timed(
  work: () => Promise<UsageReport>,
): Promise<{ report: UsageReport; ms: number }> {
  const startedAtMs = performance.now();
  const report = await work();
  return { report, ms: performance.now() - startedAtMs };
}

async function measure(
  { database, sql }: BenchDatabase,
  options: BenchOptions,
): Promise<BenchResult> {
  const tenants = TENANTS * options.scale;
  const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const pattern = await makePatternTenant(database);
  options.note(`writing the usage of ${String(tenants)} tenants`);
  await seedWatchedUsage(sql, { pattern, count: tenants, endMs, note: options.note });
  const [counted] = await sql<
    { rows: number }[]
  >`select count(*)::int as rows from usage_rollups_hourly`;
  await using server = await startClickHouse(options.note);
  const clickhouse = openClickHouse({ ...server.settings, timeoutMs: TIMEOUT_MS });
  const services = createLiveServices(database);
  try {
    options.note("copying it to ClickHouse");
    const startedAtMs = performance.now();
    await rebuildCopies({ ...services, clickhouse });
    const copySeconds = (performance.now() - startedAtMs) / 1_000;
    const withCopies = { ...services, sumAllTenants: prepareCopies(clickhouse) };
    const questions = listQuestions(endMs);
    const times = new Map<string, Times>();
    // The first round warms up.
    for (let turn = 0; turn <= options.rounds; turn += 1) {
      options.note(`round ${String(turn)} of ${String(options.rounds)}`);
      for (const { name, text } of questions) {
        const question = allUsageQuery.parse(text);
        const fromPostgres = await timed(() => queryUsageOfAll(services, OPERATOR, question));
        const fromCopies = await timed(() => queryUsageOfAll(withCopies, OPERATOR, question));
        if (!isDeepStrictEqual(fromPostgres.report, fromCopies.report)) {
          throw new Error(`The two answer "${name}" differently.`);
        }
        const of = times.get(name) ?? { postgres: [], clickhouse: [] };
        times.set(name, of);
        if (turn > 0) {
          of.postgres.push(fromPostgres.ms);
          of.clickhouse.push(fromCopies.ms);
        }
      }
    }
    return toResult(times, { tenants, rows: counted?.rows ?? 0, copySeconds });
  } finally {
    await clickhouse.close();
  }
}

function toResult(
  times: ReadonlyMap<string, Times>,
  { tenants, rows, copySeconds }: { tenants: number; rows: number; copySeconds: number },
): BenchResult {
  const each = [...times].map(([question, { postgres, clickhouse }]) => ({
    question,
    "PostgreSQL ms": round(median(postgres)),
    "ClickHouse ms": round(median(clickhouse)),
    times: round(medianRatio(postgres, clickhouse)),
  }));
  return {
    table: each,
    ratios: {
      allTenantsClickHouse: round(median(each.map((one) => one.times))),
      allTenantsClickHouseLeast: Math.min(...each.map((one) => one.times)),
    },
    figures: {
      rows,
      copySeconds: round(copySeconds),
      copiedRowsPerSecond: round(rows / copySeconds),
    },
    remarks: [
      `${String(rows)} rows of hours: ${String(tenants)} tenants, ${String(DAYS)} days, ${String(ROWS_PER_HOUR)} rows an hour of each. The same questions of the operator, in turns, by the same code but for where it sums; every answer must be equal, digit by digit.`,
      "allTenantsClickHouse is the median over the questions of PostgreSQL's time over ClickHouse's, which includes what PostgreSQL is asked for it. ClickHouse is chDB 3.4 (ClickHouse 26.7) in a process of its own on the same machine, behind HTTP.",
      `Copying all of it took ${String(round(copySeconds))} s, ${String(round(rows / copySeconds))} rows a second.`,
    ],
  };
}

export const clickhouseBench: Bench = {
  name: "clickhouse",
  summary: "Questions over all tenants, summed by ClickHouse and by PostgreSQL.",
  defaults: { seconds: 1, rounds: 3 },
  run: (options) => withProductDatabase((bench) => measure(bench, options)),
};
