import { awaitReady } from "@turnpike/testkit/cluster/node";
import { measureRows } from "./affinity.ts";
import { measureFiles } from "./files-of-nodes.ts";
import { type Bench, type BenchOptions, type BenchResult, joinResults } from "./rig/bench.ts";
import { BENCH_NODES, type BenchCluster, openBenchCluster } from "./rig/bench-cluster.ts";
import { toVerifyRequest } from "./rig/customers.ts";
import {
  assertAllAccepted,
  type LoadGenerator,
  type LoadResult,
  startLoadGenerator,
} from "./rig/load.ts";
import { callJson, readText } from "./rig/product.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";
import { openStoreRates, type StoreSpeed } from "./rig/store-rates.ts";

/** Calls in a second and at once. */
const LIMIT = 200;
/** What each of three nodes is asked for: three times the limit in total. */
const FLOOD_PER_SECOND = LIMIT;
const FLOOD_CONNECTIONS = 8;
/** Well below what a node can do: what a call waits for is the store, not others. */
const PACED_PER_SECOND = 200;
const PACED_CONNECTIONS = 8;
const ACCEPTED_START = '{"valid":true';
/** With three rounds; with fewer in proportion. */
const STARTS = 100;
const ROUNDS = 3;
const CPU = "µs of the node's processor";
const ADDED = "added to a call by the store";

type Customer = { serviceKey: string; tenantId: string };

/** A tenant without limits, whose keys have their own. */
async function createTenant({ cluster, at }: BenchCluster): Promise<Customer> {
  const serviceKey = await cluster.mintServiceKey();
  const call = (method: string, path: string, body: object) =>
    callJson(at.port, { method, path, credential: serviceKey, body });
  await call("PUT", "/v1/catalog", {
    plans: [{ planId: "open", name: "Open", visibility: "private" }],
  });
  const tenant = await call("POST", "/v1/tenants", { name: "Bench", planId: "open" });
  return { serviceKey, tenantId: readText(tenant, "tenantId") };
}

async function createKey(
  { at }: BenchCluster,
  { serviceKey, tenantId }: Customer,
  limit?: number,
): Promise<string> {
  const rateLimits = limit === undefined ? [] : [{ name: "second", limit, windowSeconds: 1 }];
  const answer = await callJson(at.port, {
    method: "POST",
    path: `/v1/tenants/${tenantId}/keys`,
    credential: serviceKey,
    body: { name: "Bench", rateLimits },
  });
  return readText(answer, "key");
}

/** From the first request of any to the last answer of any. */
function findSpanSeconds(results: readonly LoadResult[]): number {
  const from = Math.min(...results.map(({ startedAtMs }) => startedAtMs));
  const to = Math.max(...results.map(({ startedAtMs, seconds }) => startedAtMs + seconds * 1_000));
  return (to - from) / 1_000;
}

/** Floods one limit from all nodes. */
async function measureFlood(
  opened: BenchCluster,
  customer: Customer,
  { seconds, rounds, note }: BenchOptions,
): Promise<BenchResult> {
  await using parts = new AsyncDisposableStack();
  const loads = opened.nodes.map(({ port }) => ({ port, load: startLoadGenerator() }));
  loads.forEach(({ load }) => {
    parts.defer(() => load.stop());
  });
  const used: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    note(`round ${String(turn + 1)} of ${String(rounds)}: a limit flooded on all nodes`);
    const key = await createKey(opened, customer, LIMIT);
    const requests = [toVerifyRequest(customer.serviceKey, key)];
    const results = await Promise.all(
      loads.map(({ port, load }) =>
        load.run({
          ...{ port, requests, seconds, sharesItsCore: true as const },
          connections: FLOOD_CONNECTIONS,
          ratePerSecond: FLOOD_PER_SECOND,
          acceptedStart: ACCEPTED_START,
        }),
      ),
    );
    const passed = results.reduce((sum, { accepted }) => sum + accepted, 0);
    used.push(passed / (LIMIT + LIMIT * findSpanSeconds(results)));
  }
  return {
    table: [],
    ratios: {
      passedOverAllowed: round(Math.max(...used)),
      usedOfAllowed: round(Math.min(...used)),
    },
    figures: {},
    remarks: [
      `Allowed is the limit and its refill, ${String(LIMIT)} calls in a second, flooded with three times as many from ${String(BENCH_NODES)} nodes, from the first request to the last answer: the most and the least of all rounds.`,
    ],
  };
}

/** One script a turn of the event loop against one for each call, and against the memory of a process. */
async function measureStore(
  { cluster }: BenchCluster,
  { seconds, rounds, note }: BenchOptions,
): Promise<BenchResult> {
  await using rates = await openStoreRates(cluster.valkey?.url ?? "");
  const ways: Record<"turns" | "calls" | "memory", StoreSpeed[]> = {
    turns: [],
    calls: [],
    memory: [],
  };
  // The first round warms up.
  for (let turn = 0; turn <= rounds; turn += 1) {
    note(`round ${String(turn)} of ${String(rounds)}: decisions of one process`);
    for (const way of ["turns", "calls", "memory"] as const) {
      const speed = await rates[way](seconds / 2);
      if (turn > 0) {
        ways[way].push(speed);
      }
    }
  }
  const speeds = (way: keyof typeof ways) => ways[way].map((one) => one.decisionsPerSecond);
  const cpu = (way: keyof typeof ways) => median(ways[way].map(({ cpuMicros }) => cpuMicros));
  const names = {
    turns: "one script a turn of the event loop",
    calls: "one script for each call",
    memory: "in the memory of the process",
  };
  const added = round(cpu("turns") - cpu("memory"));
  return {
    table: [
      ...(["turns", "calls", "memory"] as const).map((way) => ({
        way: names[way],
        "decisions a second": round(median(speeds(way))),
        [CPU]: round(cpu(way)),
      })),
      { way: ADDED, [CPU]: added },
    ],
    ratios: { perCallLua: round(medianRatio(speeds("turns"), speeds("calls"))) },
    figures: { addedCpuMicrosPerCall: added },
    remarks: [
      "Decisions of one process for 1,000 keys and 64 callers, as fast as answers come. The processor time that the store adds to a call is that of one script a turn, less that of memory.",
    ],
  };
}

/** What a call waits for the store: the same node with a key that has a limit and with one that has none. */
async function measureWait(
  opened: BenchCluster & { load: LoadGenerator },
  customer: Customer,
  { seconds, rounds, note }: BenchOptions,
): Promise<BenchResult> {
  const { nodes, load } = opened;
  const limited = await createKey(opened, customer, 1_000_000);
  const open = await createKey(opened, customer);
  const ways = [
    { name: "key without a limit", key: open, p50: [] as number[], p99: [] as number[] },
    { name: "key with a limit in Valkey", key: limited, p50: [] as number[], p99: [] as number[] },
  ];
  for (let turn = 0; turn <= rounds; turn += 1) {
    for (const way of turn % 2 === 0 ? ways : ways.toReversed()) {
      note(`round ${String(turn)} of ${String(rounds)}: ${way.name}`);
      const result = await load.run({
        port: nodes[0]?.port ?? 0,
        requests: [toVerifyRequest(customer.serviceKey, way.key)],
        connections: PACED_CONNECTIONS,
        seconds,
        ratePerSecond: PACED_PER_SECOND,
        acceptedStart: ACCEPTED_START,
      });
      assertAllAccepted(result, way.name);
      if (turn > 0) {
        way.p50.push(result.latencyMsP50);
        way.p99.push(result.latencyMsP99);
      }
    }
  }
  const [without, withLimit] = ways;
  const added = median(
    (withLimit?.p99 ?? []).map((value, turn) => value - (without?.p99[turn] ?? 0)),
  );
  return {
    table: [
      ...ways.map(({ name, p50, p99 }) => ({
        way: name,
        "p50 ms": round(median(p50)),
        "p99 ms": round(median(p99)),
      })),
      { way: ADDED, "p99 ms": round(added) },
    ],
    ratios: {},
    figures: { addedLatencyMsP99: round(added) },
    remarks: [
      `${String(PACED_PER_SECOND)} verifications a second by one node: what a rate limit in Valkey adds to the 99th percentile is the median of the differences.`,
    ],
  };
}

/** All nodes stop and start at once, again and again. */
async function measureStarts(
  { cluster, nodes }: BenchCluster,
  { rounds, note }: BenchOptions,
): Promise<BenchResult> {
  const starts = Math.max(1, Math.round((STARTS * rounds) / ROUNDS));
  let succeeded = 0;
  const tookMs: number[] = [];
  for (let turn = 1; turn <= starts; turn += 1) {
    note(`start ${String(turn)} of ${String(starts)}`);
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    const startedAtMs = performance.now();
    try {
      await Promise.all(
        nodes.map(async (_, index) => {
          await awaitReady(await cluster.restartNode(index));
        }),
      );
      succeeded += 1;
      tookMs.push(performance.now() - startedAtMs);
    } catch (error) {
      note(`it failed: ${String(error)}`);
    }
  }
  return {
    table: [],
    ratios: { startsThatSucceeded: round(succeeded / starts) },
    figures: { starts, startSecondsMedian: round(median(tookMs) / 1_000) },
    remarks: [
      `${String(BENCH_NODES)} nodes were stopped and started at once, ${String(starts)} times: ${String(succeeded)} times all were ready, after a median of ${String(round(median(tookMs) / 1_000))} s.`,
    ],
  };
}

/** One row for each figure: the parts of this bench have no columns in common. */
function toFacts(result: BenchResult): BenchResult {
  const table = result.table.flatMap(({ way = "", ...columns }) =>
    Object.entries(columns).map(([what, figure]) => ({ of: way, what, figure })),
  );
  return { ...result, table };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  await using parts = new AsyncDisposableStack();
  const opened = await openBenchCluster(parts, options.note);
  const load = startLoadGenerator();
  parts.defer(() => load.stop());
  // First: it replaces the catalogue.
  const rows = await measureRows({ ...opened, load }, options);
  const customer = await createTenant(opened);
  const flood = await measureFlood(opened, customer, options);
  const wait = await measureWait({ ...opened, load }, customer, options);
  const store = await measureStore(opened, options);
  const files = await measureFiles(opened, customer);
  const starts = await measureStarts(opened, options);
  return toFacts(joinResults([flood, store, wait, rows, files, starts]));
}

export const clusterBench: Bench = {
  name: "cluster",
  summary:
    "Three nodes that share rate limits in Valkey: how exact, how fast, what a call waits; rows of the ledger with affinity; files and exports; starts at once.",
  defaults: { seconds: 6, rounds: ROUNDS },
  run,
};
