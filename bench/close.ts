import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionTarget, Sql } from "@turnpike/db/client";
import type { Database } from "../apps/server/src/platform/open-database.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { LINES, seedAccounts, subscribePattern } from "./rig/seed-billing.ts";
import { round } from "./rig/statistics.ts";
import { withProductDatabase } from "./rig/with-product-database.ts";

const SMALL = 1_000;
const LARGE = 10_000;
/** Closed before the clock runs: a process of the product has been running for longer. */
const WARM_UP = 200;
const MINUTE_MS = 60_000;
const MIB = 1024 ** 2;

type Closing = { closed: number; ms: number; cpuMs: number; maxRssBytes: number };

function startClosing(order: { target: ConnectionTarget; periodEnd: Date }) {
  const at = (ms: number) => new Date(order.periodEnd.getTime() + ms).toISOString();
  const { target } = order;
  const program = join(import.meta.dirname, "programs/close-periods.ts");
  const args = [
    JSON.stringify({ target, warmUpAt: at(MINUTE_MS / 2), closeAt: at(2 * MINUTE_MS) }),
  ];
  return fork(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

async function close(order: { target: ConnectionTarget; periodEnd: Date }): Promise<Closing> {
  const child = startClosing(order);
  const ended = once(child, "exit");
  const result = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
  if (result === undefined) {
    throw new Error("A closing ended without a result.");
  }
  await ended;
  return result[0] as Closing;
}

async function countDue(sql: Sql, group: string): Promise<number> {
  const [row] = await sql<[{ due: number }]>`
    select count(*)::int as due from billing_accounts
    where tenant_id like ${`${group}%`} and due_at <= period_from + interval '45 days' and revision = 1`;
  return row.due;
}

/** @throws {Error} Unless each tenant has one invoice of the period, with all lines, and numbers have no gap. */
async function assertClosedOnce(
  sql: Sql,
  input: { group: string; count: number; issuedFrom: Date },
): Promise<void> {
  const [row] = await sql<[{ tenants: number; invoices: number; lines: number; gaps: number }]>`
    select count(distinct i.tenant_id)::int as tenants, count(distinct i.invoice_id)::int as invoices, count(*)::int as lines,
      (select count(*)::int from (select series_number - lag(series_number) over (order by series_number) as step from invoices) n
        where step <> 1) as gaps
    from invoices i join invoice_lines l using (invoice_id)
    where i.tenant_id like ${`${input.group}%`} and i.closed_at >= ${input.issuedFrom}`;
  const { count } = input;
  if (
    row.tenants !== count ||
    row.invoices !== count ||
    row.lines !== count * LINES ||
    row.gaps > 0
  ) {
    throw new Error(`${String(count)} tenants were not closed once each: ${JSON.stringify(row)}`);
  }
}

/** Inserts the lines that a closing wrote into a table of the same columns and indexes, in batches. @returns Milliseconds. */
async function insertLines(
  sql: Sql,
  input: { group: string; issuedFrom: Date; batch: number },
): Promise<number> {
  const batches = await sql<{ lines: string }[]>`
    select json_agg(l)::text as lines from (
      select l.*, dense_rank() over (order by l.tenant_id) / ${input.batch}::int as batch
      from invoice_lines l join invoices i using (invoice_id)
      where l.tenant_id like ${`${input.group}%`} and i.closed_at >= ${input.issuedFrom}
    ) l group by batch`;
  await sql`create table plain_lines (like invoice_lines including all)`;
  const startedAtMs = performance.now();
  for (const { lines } of batches) {
    await sql.begin(
      (tx) =>
        tx`insert into plain_lines select * from json_populate_recordset(null::plain_lines, ${lines}::text::json)`,
    );
  }
  const ms = performance.now() - startedAtMs;
  await sql`drop table plain_lines`;
  return ms;
}

type Sized = { tenants: number; closing: Closing; bulkMs: number };

async function measure(
  { transact, target }: Database,
  sql: Sql,
  options: BenchOptions,
): Promise<BenchResult> {
  const { tenantId: pattern, periodEnd } = await subscribePattern({ sql, transact }, new Date());
  const usedAt = new Date(periodEnd.getTime() - 24 * 60 * MINUTE_MS);
  const after = (ms: number) => new Date(periodEnd.getTime() + ms);
  const seed = async (count: number, dueAt = after(MINUTE_MS)) =>
    await seedAccounts(sql, { pattern, count, dueAt, usedAt });
  const sized: Sized[] = [];
  for (const tenants of [SMALL, LARGE]) {
    options.note(`${String(tenants)} tenants`);
    await seed(WARM_UP, periodEnd);
    const group = await seed(tenants);
    const closing = await close({ target, periodEnd });
    await assertClosedOnce(sql, { group, count: tenants, issuedFrom: periodEnd });
    const bulkMs = await insertLines(sql, { group, issuedFrom: periodEnd, batch: 50 });
    sized.push({ tenants, closing, bulkMs });
  }
  options.note("interrupted and resumed");
  const group = await seed(SMALL);
  const child = startClosing({ target, periodEnd });
  while ((await countDue(sql, group)) > SMALL / 2) {
    await delay(20);
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  const left = await countDue(sql, group);
  const resumed = await close({ target, periodEnd });
  await assertClosedOnce(sql, { group, count: SMALL, issuedFrom: periodEnd });
  return toResult(sized, { left, resumed });
}

function toResult(
  sized: readonly Sized[],
  { left, resumed }: { left: number; resumed: Closing },
): BenchResult {
  const [small, large] = sized;
  if (small === undefined || large === undefined) {
    throw new Error("Nothing was measured.");
  }
  const perTenant = ({ tenants, closing }: Sized) => closing.ms / tenants;
  return {
    table: sized.map((one) => ({
      tenants: one.tenants,
      seconds: round(one.closing.ms / 1000),
      "ms/tenant": round(perTenant(one)),
      "CPU ms/tenant": round(one.closing.cpuMs / one.tenants),
      "lines/s": Math.round((one.tenants * LINES * 1000) / one.closing.ms),
      "bulk lines/s": Math.round((one.tenants * LINES * 1000) / one.bulkMs),
      "peak MiB": Math.round(one.closing.maxRssBytes / MIB),
    })),
    ratios: {
      growth10x: round(perTenant(large) / perTenant(small)),
      bulkInsert: round(large.bulkMs / large.closing.ms),
    },
    figures: {
      msPerTenant: round(perTenant(large)),
      peakMibSmall: Math.round(small.closing.maxRssBytes / MIB),
      peakMibLarge: Math.round(large.closing.maxRssBytes / MIB),
    },
    remarks: [
      `Each tenant has ${String(LINES)} lines: fees of the next period, and usage of a meter each. One process closes, on two connections.`,
      "growth10x is the time of a tenant among 10,000 over that of one among 1,000; bulkInsert is the time of inserting the same finished lines in batches of 50 tenants over that of closing.",
      `A run that was killed with ${String(left)} of ${String(SMALL)} tenants left was taken up by another, which closed ${String(resumed.closed)}: each tenant has one invoice of the period, and the numbers have no gap.`,
    ],
  };
}

function run(options: BenchOptions): Promise<BenchResult> {
  return withProductDatabase(({ database, sql }) => measure(database, sql, options));
}

export const closeBench: Bench = {
  name: "close",
  summary:
    "Closing the periods of 1,000 and of 10,000 tenants, against inserting the same finished lines.",
  defaults: { seconds: 1, rounds: 1 },
  run,
};
