import type { BenchOptions, BenchResult } from "./bench.ts";
import type { BenchCell, BenchCells } from "./bench-cells.ts";
import { createCustomers, settleLedger } from "./customers.ts";
import { assertAllAccepted, type LoadGenerator } from "./load.ts";
import { measureRound, type Sample, toSampleRow } from "./sample.ts";
import { median, medianRatio, round } from "./statistics.ts";

const TENANTS = 10;
const KEYS = 100;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
/** Of what the longer way carries at most. */
const STEADY_SHARE = 0.5;

type Way = { name: string; entrance: BenchCell; samples: Sample[] };

/** The two ways of a call: straight to the cell of its key, and through another cell. */
type Ways = { own: Way; other: Way };

type Rig = {
  cells: BenchCells;
  load: LoadGenerator;
  requests: readonly string[];
  /** Calls that were let through so far. */
  accepted: number;
};

function toRequest(key: string): string {
  return `GET /small HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n\r\n`;
}

/** One round at an entrance; CPU time is that of the nodes of both cells. */
async function measureEntrance(
  rig: Rig,
  { product, name }: BenchCell,
  order: { seconds: number; ratePerSecond: number | null },
): Promise<Sample> {
  const { east, west } = rig.cells;
  const nodes = {
    ...product,
    port: product.gatewayPort,
    cpuSeconds: () => east.product.cpuSeconds() + west.product.cpuSeconds(),
  };
  const sample = await measureRound(rig.load, nodes, {
    ...order,
    requests: rig.requests,
    connections: CONNECTIONS,
    acceptedStart: '{"ok":true',
  });
  assertAllAccepted(sample.result, name);
  rig.accepted += sample.result.accepted;
  return sample;
}

async function measureInTurns(
  rig: Rig,
  options: BenchOptions,
  ratePerSecond: number | null,
): Promise<Ways> {
  const { east, west } = rig.cells;
  const own: Way = { name: "its own cell", entrance: east, samples: [] };
  const other: Way = { name: "another cell", entrance: west, samples: [] };
  for (let turn = 0; turn < options.rounds; turn += 1) {
    for (const way of turn % 2 === 0 ? [own, other] : [other, own]) {
      const { seconds } = options;
      way.samples.push(await measureEntrance(rig, way.entrance, { seconds, ratePerSecond }));
    }
  }
  return { own, other };
}

const perSecondOf = ({ samples }: Way) => samples.map(({ perSecond }) => perSecond);

function toResult(full: Ways, steady: Ways, ratePerSecond: number): BenchResult {
  const pick = ({ samples }: Way, of: (sample: Sample) => number) => median(samples.map(of));
  const p50 = (way: Way) => pick(way, ({ result }) => result.latencyMsP50);
  const p99 = (way: Way) => pick(way, ({ result }) => result.latencyMsP99);
  const cpu = (way: Way) => pick(way, ({ cpuMicrosPerCall }) => cpuMicrosPerCall);
  const rows = ({ own, other }: Ways, load: string) =>
    [own, other].map(({ name, samples }) => toSampleRow({ entrance: name, load }, samples));
  return {
    table: [...rows(full, "full"), ...rows(steady, `${String(ratePerSecond)} calls/s`)],
    ratios: {
      ownCell: round(medianRatio(perSecondOf(full.other), perSecondOf(full.own))),
      ownCellCpu: round(cpu(full.own) / cpu(full.other)),
    },
    figures: {
      ownCellCallsPerSecond: Math.round(median(perSecondOf(full.own))),
      otherCellCallsPerSecond: Math.round(median(perSecondOf(full.other))),
      hopMsP50: round(p50(steady.other) - p50(steady.own)),
      hopMsP99: round(p99(steady.other) - p99(steady.own)),
      hopCpuMicros: round(cpu(full.other) - cpu(full.own), 1),
    },
    remarks: [
      `${String(KEYS)} keys of one cell in turn over ${String(CONNECTIONS)} connections, at its own gateway and at that of another cell, which forwards them; both gateways share one core, the upstream and the load the other, PostgreSQL both.`,
      "CPU is that of both gateways. ownCell is the calls a second through the other cell over those at the own one, ownCellCpu the CPU time of a call at the own cell over that of one through the other: 1 would be no cost.",
    ],
  };
}

/** Calls with keys of the east at both entrances: the way of the western one leads through both gateways. */
export async function measureHop(
  cells: BenchCells,
  load: LoadGenerator,
  options: BenchOptions,
): Promise<BenchResult> {
  const { product } = cells.east;
  const customers = await createCustomers(product, { tenants: TENANTS, keys: KEYS });
  const requests = customers.keys.map(({ key }) => toRequest(key));
  const rig: Rig = { cells, load, requests, accepted: 0 };
  for (const cell of [cells.east, cells.west]) {
    await measureEntrance(rig, cell, { seconds: WARM_UP_SECONDS, ratePerSecond: null });
  }
  options.note("calls at full load");
  const full = await measureInTurns(rig, options, null);
  const ratePerSecond = Math.round(median(perSecondOf(full.other)) * STEADY_SHARE);
  options.note(`${String(ratePerSecond)} calls/s`);
  const steady = await measureInTurns(rig, options, ratePerSecond);
  const expected = rig.accepted;
  const committed = await settleLedger({ product, customers, expected });
  if (committed !== expected) {
    throw new Error(
      `${String(expected)} calls were let through, ${String(committed)} are in the ledger: no ratio.`,
    );
  }
  const result = toResult(full, steady, ratePerSecond);
  const remark = `The ledger of the cell holds all ${String(expected)} calls, once.`;
  return { ...result, remarks: [...result.remarks, remark] };
}
