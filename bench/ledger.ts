import { randomUUID } from "node:crypto";
import type { Sql } from "@turnpike/db/client";
import { toId } from "@turnpike/domain/ids/ids";
import {
  addLatency,
  emptyLatencies,
  type LatencyHistogram,
  mergeLatencies,
} from "@turnpike/domain/metering/latency-histogram";
import { minuteOf, periodAt, startOfMonth } from "@turnpike/domain/time/period";
import {
  commitGroups,
  rollUpUsage,
  type UsageGroup,
} from "../apps/server/src/modules/metering/index.ts";
import { createLogger } from "../apps/server/src/platform/logger.ts";
import type { Database } from "../apps/server/src/platform/open-database.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";
import { withProductDatabase } from "./rig/with-product-database.ts";

const ENTRIES_PER_GROUP = 1_000;
const TENANTS = 50;

const logger = createLogger({ level: "warn" });
const processId = toId("process", randomUUID());

/** Whose usage is written: keys that stay the same, as they do in life, so that rollups and balances are updated in place. */
const KEYS = Array.from({ length: TENANTS }, () => toId("tenant", randomUUID())).flatMap(
  (tenantId) =>
    Array.from({ length: ENTRIES_PER_GROUP / TENANTS }, () => ({
      tenantId,
      keyId: toId("key", randomUUID()),
    })),
);

const ROUTES = ["/v1/places/{id}", "/v1/places", "/v1/routes", "/v1/tiles/{id}/{id}/{id}.mvt"];

/** Of one call: 20 ms and more, with a long tail, so that a row fills up with as many buckets as in life. */
function latenciesOf(): LatencyHistogram {
  const histogram = emptyLatencies();
  addLatency(histogram, 20 * (1 + Math.random() ** 8 * 40) * (0.7 + 0.6 * Math.random()));
  return histogram;
}

function makeGroup(): UsageGroup {
  const now = new Date();
  const period = periodAt(startOfMonth(now), "month", now);
  return {
    groupId: toId("group", randomUUID()),
    processId,
    recordedAtMs: null,
    entries: KEYS.map(({ tenantId, keyId }, index) => ({
      tenantId,
      keyId,
      environment: "live",
      meterId: "requests",
      outcome: "VALID",
      status: index % 10 === 0 ? 304 : 200,
      method: "GET",
      route: ROUTES[index % ROUTES.length],
      minuteMs: minuteOf(now.getTime()),
      periodStartMs: period.start.getTime(),
      periodEndMs: period.end.getTime(),
      calls: 3,
      quantity: 3,
      bytesIn: 0,
      bytesOut: 1_800,
      latencies: mergeLatencies([latenciesOf(), latenciesOf(), latenciesOf()]),
    })),
    spends: [],
  };
}

/** The same rows into a table with the ledger's columns and indexes, and nothing else: what storing them costs at least. */
async function insertPlainly(sql: Sql, group: UsageGroup): Promise<void> {
  const { entries } = group;
  const instant = (epochMs: number) => new Date(epochMs).toISOString();
  const recordedAt = new Date().toISOString();
  await sql`
    insert into plain_entries (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment,
      key_id, outcome, status, calls, quantity)
    select * from unnest(
      ${entries.map((entry) => entry.tenantId)}::text[],
      ${entries.map(() => group.groupId)}::text[],
      ${entries.map((entry) => instant(entry.minuteMs))}::timestamptz[],
      ${entries.map(() => recordedAt)}::timestamptz[],
      ${entries.map((entry) => instant(entry.periodStartMs))}::timestamptz[],
      ${entries.map((entry) => entry.meterId)}::text[],
      ${entries.map((entry) => entry.environment)}::text[],
      ${entries.map((entry) => entry.keyId)}::text[],
      ${entries.map((entry) => entry.outcome)}::text[],
      ${entries.map((entry) => entry.status)}::smallint[],
      ${entries.map((entry) => entry.calls)}::bigint[],
      ${entries.map((entry) => entry.quantity)}::numeric[]
    )`;
}

type Candidate = {
  name: string;
  rates: number[];
  write: (group: UsageGroup) => Promise<unknown>;
  /** What was put off. */
  finish?: () => Promise<unknown>;
};

/** Writes groups one after the other for so many seconds, and finishes what was put off. @returns Rows per second. */
async function writeFor(
  seconds: number,
  { write, finish }: Pick<Candidate, "write" | "finish">,
): Promise<number> {
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1000;
  let rows = 0;
  while (performance.now() < endsAtMs) {
    const group = makeGroup();
    await write(group);
    rows += group.entries.length;
  }
  await finish?.();
  return (rows / (performance.now() - startedAtMs)) * 1000;
}

async function compare(database: Database, options: BenchOptions): Promise<BenchResult> {
  const { sql, transact } = database;
  await sql`create table plain_entries (like ledger_entries including all)`;
  const candidates: Candidate[] = [
    {
      name: "commit",
      rates: [],
      write: (group) => commitGroups({ transact, logger }, [group]),
      finish: async () => {
        await rollUpUsage({ transact }, "minutes");
        await rollUpUsage({ transact }, "hours");
      },
    },
    { name: "insert", rates: [], write: (group) => insertPlainly(sql, group) },
  ];
  for (const candidate of candidates) {
    await writeFor(1, candidate);
  }
  for (let turn = 0; turn < options.rounds; turn += 1) {
    for (const candidate of turn % 2 === 0 ? candidates : candidates.toReversed()) {
      candidate.rates.push(await writeFor(options.seconds, candidate));
    }
  }
  const [ours = [], theirs = []] = candidates.map(({ rates }) => rates);
  const row = (what: string, rates: readonly number[]) => ({
    what,
    "rows/s": Math.round(median(rates)),
    "slowest round": Math.round(Math.min(...rates)),
  });
  return {
    table: [
      row("commitGroups: dedupe, entries, recent usage, balances; then rollups", ours),
      row("plain insert of the same rows", theirs),
    ],
    ratios: { plainInsert: round(medianRatio(ours, theirs)) },
    figures: {
      rowsPerSecond: Math.round(median(ours)),
      plainInsertRowsPerSecond: Math.round(median(theirs)),
    },
    remarks: [
      `Groups of ${String(ENTRIES_PER_GROUP)} entries of as many keys of ${String(TENANTS)} tenants, one at a time on one connection, each its own transaction with fsync.`,
      "A row is one entry: a key, outcome and minute, however many calls it sums. A commit also has its methods, routes, bytes and latencies, which are added to the rollups of minutes and hours at the end of each round.",
    ],
  };
}

function run(options: BenchOptions): Promise<BenchResult> {
  return withProductDatabase(({ database }) => compare(database, options));
}

export const ledgerBench: Bench = {
  name: "ledger",
  summary:
    "Writing usage with dedupe, rollups and balances, against plain inserts of the same rows.",
  defaults: { seconds: 4, rounds: 4 },
  run,
};
