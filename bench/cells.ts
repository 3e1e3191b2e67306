import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, type BenchOptions, type BenchResult, joinResults } from "./rig/bench.ts";
import { type BenchCell, type BenchCells, openBenchCells } from "./rig/bench-cells.ts";
import { type Customers, createCustomers, settleLedger } from "./rig/customers.ts";
import { assertAllAccepted, type LoadGenerator, startLoadWithUpstream } from "./rig/load.ts";
import { pinningRemarks } from "./rig/pinned-process.ts";
import { callJson } from "./rig/product.ts";
import { measureRound, type Sample, toSampleRow } from "./rig/sample.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";

const TENANTS = 10;
const KEYS = 100;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
/** Of what the longer way carries at most. */
const STEADY_SHARE = 0.5;

const EVENTS = 100_000;
const EVENTS_PER_BATCH = 1_000;
const METER = {
  meterId: "tokens",
  name: "Tokens",
  unit: "token",
  aggregation: "sum",
  eventType: "llm.call",
  valuePointer: "/tokens",
};
const CALL_EVERY_MS = 20;

type Way = { name: string; entrance: BenchCell; samples: Sample[] };

function toRequest(key: string): string {
  return `GET /small HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n\r\n`;
}

/** Calls with keys of the east at both entrances: the way of the western one leads through both gateways. */
async function measureHop(
  { east, west }: BenchCells,
  load: LoadGenerator,
  options: BenchOptions,
): Promise<BenchResult> {
  const customers = await createCustomers(east.product, { tenants: TENANTS, keys: KEYS });
  const requests = customers.keys.map(({ key }) => toRequest(key));
  let expected = 0;
  async function sample(entrance: BenchCell, seconds: number, ratePerSecond: number | null) {
    const nodes = {
      ...entrance.product,
      port: entrance.product.gatewayPort,
      cpuSeconds: () => east.product.cpuSeconds() + west.product.cpuSeconds(),
    };
    const taken = await measureRound(load, nodes, {
      ...{ requests, seconds, ratePerSecond, connections: CONNECTIONS },
      acceptedStart: '{"ok":true',
    });
    assertAllAccepted(taken.result, entrance.name);
    expected += taken.result.accepted;
    return taken;
  }
  async function measureInTurns(ratePerSecond: number | null): Promise<[Way, Way]> {
    const own: Way = { name: "its own cell", entrance: east, samples: [] };
    const other: Way = { name: "another cell", entrance: west, samples: [] };
    for (let turn = 0; turn < options.rounds; turn += 1) {
      for (const way of turn % 2 === 0 ? [own, other] : [other, own]) {
        way.samples.push(await sample(way.entrance, options.seconds, ratePerSecond));
      }
    }
    return [own, other];
  }
  for (const cell of [east, west]) {
    await sample(cell, WARM_UP_SECONDS, null);
  }
  options.note("calls at full load");
  const full = await measureInTurns(null);
  const perSecond = ({ samples }: Way) => samples.map((taken) => taken.perSecond);
  const ratePerSecond = Math.round(median(perSecond(full[1])) * STEADY_SHARE);
  options.note(`${String(ratePerSecond)} calls/s`);
  const steady = await measureInTurns(ratePerSecond);
  const committed = await settleLedger({ product: east.product, customers, expected });
  if (committed !== expected) {
    throw new Error(
      `${String(expected)} calls were let through, ${String(committed)} are in the ledger: no ratio.`,
    );
  }
  const pick = ({ samples }: Way, of: (taken: Sample) => number) => median(samples.map(of));
  const p50 = (way: Way) => pick(way, ({ result }) => result.latencyMsP50);
  const p99 = (way: Way) => pick(way, ({ result }) => result.latencyMsP99);
  const cpu = (way: Way) => pick(way, ({ cpuMicrosPerCall }) => cpuMicrosPerCall);
  const rows = (ways: readonly Way[], loadName: string) =>
    ways.map(({ name, samples }) => toSampleRow({ entrance: name, load: loadName }, samples));
  return {
    table: [...rows(full, "full"), ...rows(steady, `${String(ratePerSecond)} calls/s`)],
    ratios: {
      ownCell: round(medianRatio(perSecond(full[1]), perSecond(full[0]))),
      ownCellCpu: round(cpu(full[0]) / cpu(full[1])),
    },
    figures: {
      ownCellCallsPerSecond: Math.round(median(perSecond(full[0]))),
      otherCellCallsPerSecond: Math.round(median(perSecond(full[1]))),
      hopMsP50: round(p50(steady[1]) - p50(steady[0])),
      hopMsP99: round(p99(steady[1]) - p99(steady[0])),
      hopCpuMicros: round(cpu(full[1]) - cpu(full[0]), 1),
    },
    remarks: [
      `${String(KEYS)} keys of one cell in turn over ${String(CONNECTIONS)} connections, at its own gateway and at that of another cell, which forwards them; both gateways share one core, the upstream and the load the other, PostgreSQL both.`,
      "CPU is that of both gateways. ownCell and ownCellCpu are the longer way over the direct one: 1 would be no cost.",
      `The ledger of the cell holds all ${String(expected)} calls, once.`,
    ],
  };
}

async function sendEvents(cell: BenchCell, customers: Customers): Promise<void> {
  const [subject = ""] = customers.tenantIds;
  for (let sent = 0; sent < EVENTS; sent += EVENTS_PER_BATCH) {
    const events = Array.from({ length: EVENTS_PER_BATCH }, (_, index) => ({
      id: `event-${String(sent + index)}`,
      type: METER.eventType,
      data: { tokens: 1 + (index % 997) },
    }));
    await callJson(cell.product.port, {
      method: "POST",
      path: "/v1/events",
      credential: customers.serviceKey,
      mediaType: "application/cloudevents-batch+json",
      body: events.map((event) => ({ specversion: "1.0", source: "/bench", subject, ...event })),
    });
  }
}

/** Calls with a key all the time. `stop` answers for how long its calls were refused, seconds. */
function startCaller(port: number, key: string) {
  let firstRefusedMs: number | undefined;
  let lastRefusedMs = 0;
  let isOver = false;
  async function callOn(): Promise<void> {
    while (!isOver) {
      const answer = await fetch(`http://127.0.0.1:${String(port)}/small`, {
        headers: { "x-api-key": key },
        signal: AbortSignal.timeout(30_000),
      });
      await answer.body?.cancel();
      if (answer.status === 503) {
        firstRefusedMs ??= performance.now();
        lastRefusedMs = performance.now();
      } else if (answer.status !== 200) {
        throw new Error(`A call during the move was answered with ${String(answer.status)}.`);
      }
      await new Promise((resolve) => setTimeout(resolve, CALL_EVERY_MS));
    }
  }
  const called = callOn();
  called.catch(() => undefined);
  return async (): Promise<number> => {
    isOver = true;
    await called;
    return (lastRefusedMs - (firstRefusedMs ?? lastRefusedMs)) / 1_000;
  };
}

type Moved = { rows: number; seconds: number; refusedSeconds: number };

async function move(
  { tenantId, key }: { tenantId: string; key: string },
  { from, to }: { from: BenchCell; to: BenchCell },
): Promise<Moved> {
  const stop = startCaller(to.product.gatewayPort, key);
  const startedAtMs = performance.now();
  const args = ["tenants", "move", tenantId, "--to", to.addressPath, "--json"];
  const { rows } = JSON.parse(await from.turnpike(...args)) as { rows: number };
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { rows, seconds, refusedSeconds: await stop() };
}

/** What PostgreSQL takes for the same rows by itself: out by COPY, and in by COPY with every index. @returns Seconds. */
async function copyBare(
  tenantId: string,
  { from, to, folder }: { from: BenchCell; to: BenchCell; folder: string },
): Promise<{ rows: number; seconds: number }> {
  const tables = await from.sql<{ name: string }[]>`
    select c.relname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'tenant_id' and not a.attisdropped and a.attgenerated = ''`;
  const path = join(folder, "bench.copy");
  let rows = 0;
  let seconds = 0;
  for (const { name } of tables) {
    const columns = await from.sql<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
    const list = columns.map((column) => `"${column.name}"`).join(", ");
    await to.sql`create table bench_copy (like ${to.sql(name)} including all)`;
    const startedAtMs = performance.now();
    await from.sql.unsafe(
      `copy (select ${list} from "${name}" where tenant_id = '${tenantId}') to '${path}' (format binary)`,
    );
    const copied = await to.sql.unsafe(`copy bench_copy (${list}) from '${path}' (format binary)`);
    seconds += (performance.now() - startedAtMs) / 1_000;
    rows += copied.count;
    await to.sql`drop table bench_copy`;
    await rm(path);
  }
  return { rows, seconds };
}

/** A tenant with usage goes from one cell to the other and back, called all the time; and one without usage. */
async function measureMove(cells: BenchCells, options: BenchOptions): Promise<BenchResult> {
  const { east, west, databaseFolder: folder } = cells;
  const customers: Customers[] = [];
  for (const { product } of [east, west]) {
    const made = await createCustomers(product, { tenants: 0, keys: 0 });
    customers.push(made);
    await callJson(product.port, {
      ...{ method: "POST", path: "/v1/meters", credential: made.serviceKey, body: METER },
    });
  }
  const busy = await createCustomers(east.product, { tenants: 1, keys: 1 });
  const empty = await createCustomers(east.product, { tenants: 1, keys: 1 });
  options.note(`${String(EVENTS)} events`);
  await sendEvents(east, busy);
  const moves: Moved[] = [];
  const ofEmpty: Moved[] = [];
  const bare: { rows: number; seconds: number }[] = [];
  for (let turn = 0; turn < options.rounds; turn += 1) {
    options.note(`move ${String(turn + 1)} of ${String(options.rounds)}`);
    const [from, to] = turn % 2 === 0 ? [east, west] : [west, east];
    for (const [moved, { keys }] of [[moves, busy] as const, [ofEmpty, empty] as const]) {
      const [key] = keys;
      if (key === undefined) {
        throw new Error("There is no key to call with.");
      }
      if (moved === moves) {
        bare.push(await copyBare(key.tenantId, { from, to, folder }));
      }
      moved.push(await move(key, { from, to }));
    }
  }
  const of = (moved: readonly Moved[], name: keyof Moved) =>
    median(moved.map((each) => each[name]));
  const perSecond = (copied: readonly { rows: number; seconds: number }[]) =>
    copied.map(({ rows, seconds }) => rows / seconds);
  const sentence = (tenant: string, moved: readonly Moved[]) =>
    `A tenant with ${tenant}, ${String(of(moved, "rows"))} rows, moves in ${String(round(of(moved, "seconds")))} s, the start of the command included; for ${String(round(of(moved, "refusedSeconds")))} s of them its calls are refused.`;
  return {
    table: [],
    ratios: { bareCopy: round(medianRatio(perSecond(moves), perSecond(bare))) },
    figures: {
      rowsMoved: of(moves, "rows"),
      moveSeconds: round(of(moves, "seconds")),
      moveSecondsWithoutUsage: round(of(ofEmpty, "seconds")),
      refusedSeconds: round(of(moves, "refusedSeconds")),
      refusedSecondsWithoutUsage: round(of(ofEmpty, "refusedSeconds")),
      rowsPerSecond: Math.round(median(perSecond(moves))),
      bareCopyRowsPerSecond: Math.round(median(perSecond(bare))),
    },
    remarks: [
      sentence(`${String(EVENTS)} events`, moves),
      sentence("no usage", ofEmpty),
      "It moves to the other cell and back, while a program calls it all the time at the cell where it will be.",
      "bareCopy: rows a second of the move over those of COPY from a file to tables with the same indexes, of the same tenant, without a check, and without deleting what was moved.",
    ],
  };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  await using parts = new AsyncDisposableStack();
  const { load, upstream } = await startLoadWithUpstream();
  parts.defer(() => load.stop());
  const cells = await openBenchCells(parts, {
    upstreamUrl: `http://127.0.0.1:${String(upstream.port)}`,
    core: "server",
  });
  const hop = await measureHop(cells, load, options);
  const moved = await measureMove(cells, options);
  const result = joinResults([hop, moved]);
  return { ...result, remarks: [...result.remarks, ...pinningRemarks()] };
}

export const cellsBench: Bench = {
  name: "cells",
  summary:
    "Calls with keys of another cell against those of its own, and a tenant's move against PostgreSQL's COPY of the same rows.",
  defaults: { seconds: 3, rounds: 4 },
  run,
};
