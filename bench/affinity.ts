import type { Sql } from "@turnpike/db/client";
import type { Cluster } from "@turnpike/testkit/cluster/cluster";
import type { NodePlace } from "@turnpike/testkit/cluster/recipe";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { BENCH_NODES, type BenchCluster, openBenchCluster } from "./rig/bench-cluster.ts";
import { createCustomers, settleLedger, toVerifyRequest } from "./rig/customers.ts";
import { assertAllAccepted, type LoadGenerator, startLoadGenerator } from "./rig/load.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";

/**
 * One key each: what a customer usually has. So few that each is in every group, at a rate that leaves the database time: a node
 * that waits for its commits makes fewer and larger groups, and three of them would be compared with that.
 */
const TENANTS = 20;
const RATE_PER_SECOND = 400;
const CONNECTIONS = 32;
const ACCEPTED_START = '{"valid":true';

type Way = { name: string; port: number; rows: number[]; latencyMsP99: number[] };

async function countRows(sql: Sql): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`select count(*)::int as rows from ledger_entries`;
  return row?.rows ?? 0;
}

/** Counts the rows that calls leave in the ledger, by one node, and by three with a balancer that knows keys and without. */
export async function measureRows(
  { cluster, nodes, at, spread, load }: BenchCluster & { load: LoadGenerator },
  options: BenchOptions,
): Promise<BenchResult> {
  const way = (name: string, port: number): Way => ({ name, port, rows: [], latencyMsP99: [] });
  const ways = [
    way("one node", nodes[0]?.port ?? 0),
    way("three nodes, by key", at.port),
    way("three nodes, in turn", spread.port),
  ];
  return await measure({ cluster, ways, at, load }, options);
}

async function measure(
  input: { cluster: Cluster; ways: readonly Way[]; at: NodePlace; load: LoadGenerator },
  options: BenchOptions,
): Promise<BenchResult> {
  const { cluster, ways, at, load } = input;
  const product = { port: at.port, mintServiceKey: () => cluster.mintServiceKey() };
  const customers = await createCustomers(product, { tenants: TENANTS, keys: TENANTS });
  const requests = customers.keys.map(({ key }) => toVerifyRequest(customers.serviceKey, key));
  const sql = cluster.postgres.primary.connect("turnpike");
  let expected = 0;
  try {
    // The first round warms up.
    for (let turn = 0; turn <= options.rounds; turn += 1) {
      for (const way of turn % 2 === 0 ? ways : ways.toReversed()) {
        options.note(`round ${String(turn)} of ${String(options.rounds)}: ${way.name}`);
        const before = await countRows(sql);
        const result = await load.run({
          port: way.port,
          requests,
          connections: CONNECTIONS,
          seconds: options.seconds,
          ratePerSecond: RATE_PER_SECOND,
          acceptedStart: ACCEPTED_START,
        });
        assertAllAccepted(result, way.name);
        expected += result.accepted;
        const committed = await settleLedger({ product, customers, expected });
        if (committed !== expected) {
          throw new Error(
            `${String(expected)} calls were let through, ${String(committed)} are in the ledger: no ratio.`,
          );
        }
        if (turn > 0) {
          way.rows.push(((await countRows(sql)) - before) / (result.accepted / 1_000));
          way.latencyMsP99.push(result.latencyMsP99);
        }
      }
    }
  } finally {
    await sql.end();
  }
  const [one, byKey, spread] = ways;
  if (one === undefined || byKey === undefined || spread === undefined) {
    throw new Error("There is nothing to compare.");
  }
  return {
    table: ways.map(({ name, rows, latencyMsP99 }) => ({
      way: name,
      "rows of the ledger for 1,000 calls": round(median(rows)),
      "p99 ms": round(median(latencyMsP99)),
    })),
    ratios: {
      rowsWithAffinity: round(medianRatio(byKey.rows, one.rows)),
      rowsWithoutAffinity: round(medianRatio(spread.rows, one.rows)),
    },
    figures: {
      rowsOfOneNode: round(median(one.rows)),
      rowsByKey: round(median(byKey.rows)),
      rowsSpread: round(median(spread.rows)),
    },
    remarks: [
      `${String(TENANTS)} tenants with one key each, ${String(RATE_PER_SECOND)} verifications a second over ${String(CONNECTIONS)} connections; ${String(BENCH_NODES)} nodes, PostgreSQL with a synchronous standby and HAProxy with the recipe of packaging/, all on this machine.`,
      "Rows are those that the ledger gets, over those of one node with the same calls: 1 is as many. A tenant with many keys is on several nodes, and gets rows from each.",
      "The ledger holds as many calls as the clients were let through.",
    ],
  };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  await using parts = new AsyncDisposableStack();
  const opened = await openBenchCluster(parts, options.note);
  const load = startLoadGenerator();
  parts.defer(() => load.stop());
  return await measureRows({ ...opened, load }, options);
}

export const affinityBench: Bench = {
  name: "affinity",
  isPart: true,
  summary:
    "Rows of the ledger from three nodes behind HAProxy, with all calls of a key on one node and without, over those of one node.",
  defaults: { seconds: 6, rounds: 3 },
  run,
};
