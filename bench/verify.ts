import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { type Customers, createCustomers, settleLedger, toVerifyRequest } from "./rig/customers.ts";
import { type HelperProgram, startHelper } from "./rig/helper-program.ts";
import {
  assertAllAccepted,
  type LoadGenerator,
  type LoadOrder,
  startLoadGenerator,
} from "./rig/load.ts";
import { type PinnedProcess, pinningRemarks } from "./rig/pinned-process.ts";
import { callJson, makeProductHome, type Product, startProduct } from "./rig/product.ts";
import { disturbanceRemarks, measureRound, type Sample, toSampleRow } from "./rig/sample.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";

const TENANTS = 10;
const KEYS = 1_000;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const CEILING_SECONDS = 2;
/** The share of the product's own full speed at which latencies are compared. */
const STEADY_SHARE = 0.7;

type Candidate = { name: "turnpike" | "raw"; running: PinnedProcess & { port: number } };
type Rig = {
  load: LoadGenerator;
  product: Product;
  raw: HelperProgram;
  customers: Customers;
  requests: string[];
  /** Calls that the product let through so far. */
  accepted: number;
};

async function measure(
  rig: Rig,
  candidate: Candidate,
  load: Pick<LoadOrder, "seconds" | "ratePerSecond">,
): Promise<Sample> {
  const sample = await measureRound(rig.load, candidate.running, {
    requests: rig.requests,
    connections: CONNECTIONS,
    acceptedStart: '{"valid":true',
    ...load,
  });
  assertAllAccepted(sample.result, candidate.name);
  if (candidate.name === "turnpike") {
    rig.accepted += sample.result.accepted;
  }
  return sample;
}

async function measureInTurns(
  rig: Rig,
  candidates: readonly Candidate[],
  options: BenchOptions & { ratePerSecond: number | null },
): Promise<Record<Candidate["name"], Sample[]>> {
  const samples: Record<Candidate["name"], Sample[]> = { turnpike: [], raw: [] };
  for (let turn = 0; turn < options.rounds; turn += 1) {
    // The order changes as well: whoever comes second must not always find the other's mess.
    const order = turn % 2 === 0 ? candidates : [...candidates].reverse();
    for (const candidate of order) {
      const { seconds, ratePerSecond } = options;
      samples[candidate.name].push(await measure(rig, candidate, { seconds, ratePerSecond }));
    }
  }
  return samples;
}

async function measureCeiling(rig: Rig): Promise<number> {
  const fixed = await startHelper("fixed-answer", { core: "server" });
  try {
    const candidate: Candidate = { name: "raw", running: fixed };
    return (await measure(rig, candidate, { seconds: CEILING_SECONDS, ratePerSecond: null }))
      .perSecond;
  } finally {
    await fixed.stop();
  }
}

async function compare(rig: Rig, options: BenchOptions): Promise<BenchResult> {
  const candidates: Candidate[] = [
    { name: "turnpike", running: rig.product },
    { name: "raw", running: rig.raw },
  ];
  for (const candidate of candidates) {
    await measure(rig, candidate, { seconds: WARM_UP_SECONDS, ratePerSecond: null });
  }
  options.note("full load");
  const full = await measureInTurns(rig, candidates, { ...options, ratePerSecond: null });
  const ours = median(full.turnpike.map((sample) => sample.perSecond));
  const ratePerSecond = Math.round(ours * STEADY_SHARE);
  options.note(`${String(ratePerSecond)} calls/s`);
  const steady = await measureInTurns(rig, candidates, { ...options, ratePerSecond });
  options.note("the generator's own ceiling, and the ledger");
  const ceiling = await measureCeiling(rig);
  const { product, customers, accepted } = rig;
  const committed = await settleLedger({ product, customers, expected: accepted });
  if (committed !== accepted) {
    throw new Error(
      `The clients were let through ${String(accepted)} times, the ledger holds ${String(committed)}: no ratio.`,
    );
  }
  const perSecond = (samples: readonly Sample[]) => samples.map((sample) => sample.perSecond);
  const p99 = (samples: readonly Sample[]) => samples.map((sample) => sample.result.latencyMsP99);
  const cpu = (samples: readonly Sample[]) => samples.map((sample) => sample.cpuMicrosPerCall);
  const steadyName = `${String(STEADY_SHARE * 100)} % of turnpike's`;
  return {
    table: [
      toSampleRow({ server: "turnpike", load: "full" }, full.turnpike),
      toSampleRow({ server: "raw node:http", load: "full" }, full.raw),
      toSampleRow({ server: "turnpike", load: steadyName }, steady.turnpike),
      toSampleRow({ server: "raw node:http", load: steadyName }, steady.raw),
    ],
    ratios: {
      raw: round(medianRatio(perSecond(full.turnpike), perSecond(full.raw))),
      rawCpu: round(medianRatio(cpu(full.raw), cpu(full.turnpike))),
      rawP99AtSteadyLoad: round(medianRatio(p99(steady.turnpike), p99(steady.raw))),
    },
    figures: {
      callsPerSecond: Math.round(ours),
      rawCallsPerSecond: Math.round(median(perSecond(full.raw))),
      cpuMicrosPerCall: round(median(cpu(full.turnpike))),
      rawCpuMicrosPerCall: round(median(cpu(full.raw))),
      steadyCallsPerSecond: ratePerSecond,
      steadyLatencyMsP99: round(median(p99(steady.turnpike))),
      rawSteadyLatencyMsP99: round(median(p99(steady.raw))),
      generatorCeilingPerSecond: Math.round(ceiling),
      callsAccepted: accepted,
      callsInLedger: committed,
    },
    remarks: [
      `${String(KEYS)} keys of ${String(TENANTS)} tenants in turn over ${String(CONNECTIONS)} connections; rate limit, hard quota by leases, journal and database on.`,
      `Calls let through: ${String(accepted)}; in the ledger: ${String(committed)}.`,
      `The generator alone reaches ${String(Math.round(ceiling))} calls/s against a server that reads nothing.`,
      "CPU of turnpike counts all its threads and its database, which share its core.",
      "rawCpu compares CPU time per call, which the noise of a shared machine disturbs less than calls per second.",
      ...disturbanceRemarks([...full.turnpike, ...full.raw]),
      ...pinningRemarks(),
    ],
  };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const home = await makeProductHome();
  const load = startLoadGenerator();
  try {
    const product = await startProduct(home);
    try {
      options.note(`${String(KEYS)} keys`);
      const customers = await createCustomers(product, { tenants: TENANTS, keys: KEYS });
      const { serviceKey } = customers;
      // A dry run: it counts nothing, and shows what an answer looks like.
      const sample = await callJson(product.port, {
        method: "POST",
        path: "/v1/keys/verify",
        credential: serviceKey,
        body: { key: customers.keys[0]?.key, cost: 0 },
      });
      const raw = await startHelper("raw-verify", {
        core: "server",
        args: [JSON.stringify(sample)],
      });
      try {
        const requests = customers.keys.map(({ key }) => toVerifyRequest(serviceKey, key));
        return await compare({ load, product, raw, customers, requests, accepted: 0 }, options);
      } finally {
        await raw.stop();
      }
    } finally {
      await product.stop();
    }
  } finally {
    await load.stop();
    await home.remove();
  }
}

export const verifyBench: Bench = {
  name: "verify",
  summary:
    "POST /v1/keys/verify with everything on, against raw node:http that parses and answers the same JSON on the same core.",
  defaults: { seconds: 4, rounds: 4 },
  run,
};
