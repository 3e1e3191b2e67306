import type { Sql } from "@turnpike/db/client";
import { getRevenue, getTaxReport } from "../apps/server/src/modules/billing/index.ts";
import type { Database } from "../apps/server/src/platform/open-database.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { benchBilling, OPERATOR } from "./rig/seed-billing.ts";
import { invoicePatterns, MONTHS, seedRevenue } from "./rig/seed-revenue.ts";
import { median, round } from "./rig/statistics.ts";
import { withProductDatabase } from "./rig/with-product-database.ts";

const TENANTS = 10_000;

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
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

function run(options: BenchOptions): Promise<BenchResult> {
  return withProductDatabase(({ database, sql }) => measure(database, sql, options));
}

export const revenueBench: Bench = {
  name: "revenue",
  summary: "Revenue and the tax report of 10,000 customers, against reading the same invoices.",
  defaults: { seconds: 1, rounds: 5 },
  run,
};
