import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "@turnpike/db/client";
import { getRevenue, getTaxReport } from "../apps/server/src/modules/billing/index.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/embedded-postgres.ts";
import { createLogger } from "../apps/server/src/platform/logger.ts";
import { type Database, openDatabase } from "../apps/server/src/platform/open-database.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { makeProductHome } from "./rig/product.ts";
import { connectToProduct } from "./rig/product-database.ts";
import { benchBilling, OPERATOR } from "./rig/seed-billing.ts";
import { invoicePatterns, MONTHS, seedRevenue } from "./rig/seed-revenue.ts";
import { round } from "./rig/statistics.ts";

const TENANTS = 10_000;
const logger = createLogger({ level: "warn" });

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function measure(
  { transact }: Database,
  sql: Sql,
  options: BenchOptions,
): Promise<BenchResult> {
  const now = new Date();
  const patterns = await invoicePatterns(transact, now);
  options.note(`${String(TENANTS)} tenants, ${String(MONTHS)} months`);
  await seedRevenue(sql, { patterns, count: TENANTS, now });
  const deps = benchBilling(transact, now);
  const year = String(now.getUTCFullYear());
  const candidates: readonly (readonly [what: string, work: () => Promise<unknown>])[] = [
    ["revenue of 12 months", () => getRevenue(deps, OPERATOR, { months: MONTHS })],
    ["tax report of a year", () => getTaxReport(deps, OPERATOR, { period: year })],
    [
      "reading the same invoices",
      () =>
        sql`select count(*), sum(net), sum(tax), sum(usage) from invoices where issued_at >= ${`${year}-01-01`}`,
    ],
  ];
  const times = new Map<string, number[]>();
  for (let turn = 0; turn <= options.rounds; turn += 1) {
    for (const [what, work] of candidates) {
      const ms = await timeOf(work);
      // The first turn warms up.
      times.set(what, turn === 0 ? [] : [...(times.get(what) ?? []), ms]);
    }
  }
  const [revenue = 0, tax = 0, reading = 0] = [...times.values()].map(median);
  const [{ invoices, changes }] = await sql<[{ invoices: number; changes: number }]>`
    select (select count(*)::int from invoices) as invoices, (select count(*)::int from revenue_changes) as changes`;
  return {
    table: [...times].map(([what, ms]) => ({
      what,
      "median ms": Math.round(median(ms)),
      "slowest ms": Math.round(Math.max(...ms)),
    })),
    ratios: { revenueToReading: round(revenue / reading), taxToReading: round(tax / reading) },
    figures: { revenueMs: Math.round(revenue), taxMs: Math.round(tax) },
    remarks: [
      `${String(TENANTS)} customers of four kinds of tax with ${String(invoices)} invoices, and ${String(changes)} changes of recurring revenue. Database and reports share the cores.`,
      "Reading the same invoices sums three columns of them: what a report cannot be faster than without sums that are kept.",
    ],
  };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const home = await makeProductHome();
  try {
    const folder = join(home.folder, "data");
    await mkdir(folder, { mode: 0o711 });
    const server = await startEmbeddedPostgres({ folder, logger });
    try {
      const database = await openDatabase({
        target: server.connection,
        applicationName: "bench",
        connectionsMax: 2,
      });
      const sql = await connectToProduct(home, { statementTimeoutMs: 0 });
      try {
        return await measure(database, sql, options);
      } finally {
        await sql.end();
        await database.close();
      }
    } finally {
      await server.stop();
    }
  } finally {
    await home.remove();
  }
}

export const revenueBench: Bench = {
  name: "revenue",
  summary: "Revenue and the tax report of 10,000 customers, against reading the same invoices.",
  defaults: { seconds: 1, rounds: 5 },
  run,
};
