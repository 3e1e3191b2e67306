import { PeerUnavailableError } from "@turnpike/testkit/install-peer";
import { measureOvershoot } from "./overshoot.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { type BetterAuth, startBetterAuth } from "./rig/better-auth.ts";
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
import { measureInTurns, valuesOf } from "./rig/turns.ts";

const TENANTS = 10;
const KEYS = 1_000;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const CEILING_SECONDS = 2;
/** The share of the product's own full speed at which latencies are compared. */
const STEADY_SHARE = 0.7;

const OURS = "turnpike";
const RAW = "raw node:http";
const BETTER_AUTH = "better-auth";
type Name = typeof OURS | typeof RAW | typeof BETTER_AUTH;

type Rig = {
  load: LoadGenerator;
  product: Product;
  raw: HelperProgram;
  /** Left out when it cannot be installed. */
  betterAuth: BetterAuth | undefined;
  customers: Customers;
  requests: string[];
  /** Calls that were let through so far. */
  accepted: Record<Name, number>;
};

async function measure(
  rig: Rig,
  server: { name: Name; running: PinnedProcess & { port: number }; requests: string[] },
  load: Pick<LoadOrder, "seconds" | "ratePerSecond">,
): Promise<Sample> {
  const sample = await measureRound(rig.load, server.running, {
    requests: server.requests,
    connections: CONNECTIONS,
    acceptedStart: '{"valid":true',
    ...load,
  });
  assertAllAccepted(sample.result, server.name);
  rig.accepted[server.name] += sample.result.accepted;
  return sample;
}

async function measureByName(
  rig: Rig,
  name: Name,
  load: Pick<LoadOrder, "seconds" | "ratePerSecond">,
): Promise<Sample> {
  const { requests, product, raw, betterAuth } = rig;
  if (name === BETTER_AUTH) {
    if (betterAuth === undefined) {
      throw new Error("better-auth does not take part.");
    }
    const server = { name, running: betterAuth, requests: betterAuth.requests };
    return await measure(rig, server, load);
  }
  return await measure(rig, { name, running: name === OURS ? product : raw, requests }, load);
}

async function measureCeiling(rig: Rig): Promise<number> {
  const fixed = await startHelper("fixed-answer", { core: "server" });
  try {
    const server = { name: RAW, running: fixed, requests: rig.requests } as const;
    const load = { seconds: CEILING_SECONDS, ratePerSecond: null };
    return (await measure(rig, server, load)).perSecond;
  } finally {
    await fixed.stop();
  }
}

async function assertAllCounted(rig: Rig): Promise<number> {
  const { product, customers, accepted, betterAuth } = rig;
  const committed = await settleLedger({ product, customers, expected: accepted[OURS] });
  if (committed !== accepted[OURS]) {
    throw new Error(
      `The clients were let through ${String(accepted[OURS])} times, the ledger holds ${String(committed)}: no ratio.`,
    );
  }
  const claimed = (await betterAuth?.countClaimed()) ?? 0;
  if (claimed !== accepted[BETTER_AUTH]) {
    throw new Error(
      `better-auth let ${String(accepted[BETTER_AUTH])} calls through and counted ${String(claimed)}: no ratio.`,
    );
  }
  return committed;
}

async function compare(rig: Rig, options: BenchOptions): Promise<BenchResult> {
  const names: Name[] = [
    OURS,
    RAW,
    ...(rig.betterAuth === undefined ? [] : ([BETTER_AUTH] as const)),
  ];
  for (const name of names) {
    await measureByName(rig, name, { seconds: WARM_UP_SECONDS, ratePerSecond: null });
  }
  const { seconds, rounds } = options;
  options.note("full load");
  const full = await measureInTurns({
    names,
    rounds,
    measure: (name) => measureByName(rig, name, { seconds, ratePerSecond: null }),
  });
  const perSecond = (name: Name) => valuesOf(full, name, (sample) => sample.perSecond);
  const cpu = (name: Name) => valuesOf(full, name, (sample) => sample.cpuMicrosPerCall);
  const ratePerSecond = Math.round(median(perSecond(OURS)) * STEADY_SHARE);
  options.note(`${String(ratePerSecond)} calls/s`);
  const steady = await measureInTurns<Name>({
    names: [OURS, RAW],
    rounds,
    measure: (name) => measureByName(rig, name, { seconds, ratePerSecond }),
  });
  const p99 = (name: Name) => valuesOf(steady, name, (sample) => sample.result.latencyMsP99);
  options.note("the generator's own ceiling, and the ledger");
  const ceiling = await measureCeiling(rig);
  const committed = await assertAllCounted(rig);
  options.note("the end of a hard quota");
  const { load, product, customers } = rig;
  const overshoot = await measureOvershoot({ load, product, serviceKey: customers.serviceKey });
  const steadyName = `${String(STEADY_SHARE * 100)}% of turnpike's`;
  const row = (name: Name, loadName: string, samples: ReadonlyMap<Name, Sample[]>) =>
    toSampleRow({ server: name, load: loadName }, samples.get(name) ?? []);
  const hasPeer = rig.betterAuth !== undefined;
  return {
    table: [
      ...names.map((name) => row(name, "full", full)),
      row(OURS, steadyName, steady),
      row(RAW, steadyName, steady),
    ],
    ratios: {
      raw: round(medianRatio(perSecond(OURS), perSecond(RAW))),
      rawCpu: round(medianRatio(cpu(RAW), cpu(OURS))),
      rawP99AtSteadyLoad: round(medianRatio(p99(OURS), p99(RAW))),
      ...(hasPeer
        ? { betterAuth: round(medianRatio(perSecond(OURS), perSecond(BETTER_AUTH))) }
        : {}),
    },
    figures: {
      callsPerSecond: Math.round(median(perSecond(OURS))),
      rawCallsPerSecond: Math.round(median(perSecond(RAW))),
      ...(hasPeer ? { betterAuthCallsPerSecond: Math.round(median(perSecond(BETTER_AUTH))) } : {}),
      cpuMicrosPerCall: round(median(cpu(OURS))),
      rawCpuMicrosPerCall: round(median(cpu(RAW))),
      steadyCallsPerSecond: ratePerSecond,
      steadyLatencyMsP99: round(median(p99(OURS))),
      rawSteadyLatencyMsP99: round(median(p99(RAW))),
      generatorCeilingPerSecond: Math.round(ceiling),
      callsAccepted: rig.accepted[OURS],
      callsInLedger: committed,
      ...overshoot.figures,
    },
    remarks: [
      `${String(KEYS)} keys of ${String(TENANTS)} tenants in turn over ${String(CONNECTIONS)} connections; rate limit, hard quota by leases, journal and database on.`,
      `Calls let through: ${String(rig.accepted[OURS])}; in the ledger: ${String(committed)}.`,
      ...overshoot.remarks,
      hasPeer
        ? "better-auth: its API-key plugin behind bare node:http, as many keys, keys read from memory, a rate limit and no quota, claims in a PostgreSQL of its own with the product's settings; what its database counted equals what it let through."
        : "better-auth could not be installed: no ratio to it.",
      `The generator alone reaches ${String(Math.round(ceiling))} calls/s against a server that reads nothing.`,
      "CPU of turnpike and of better-auth counts all threads and the database, which share the core.",
      "rawCpu compares CPU time per call, which the noise of a shared machine disturbs less than calls per second.",
      ...disturbanceRemarks([...full.values()].flat()),
      ...pinningRemarks(),
    ],
  };
}

/** @returns `undefined`, after saying why, when it cannot be installed. */
async function startPeer(options: BenchOptions): Promise<BetterAuth | undefined> {
  try {
    options.note("better-auth and its keys");
    return await startBetterAuth({ keys: KEYS, note: options.note });
  } catch (error) {
    if (error instanceof PeerUnavailableError) {
      options.note(error.message);
      return undefined;
    }
    throw error;
  }
}

async function run(options: BenchOptions): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const home = await makeProductHome();
  stack.defer(() => home.remove());
  const load = startLoadGenerator();
  stack.defer(() => load.stop());
  const product = await startProduct(home);
  stack.defer(() => product.stop());
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
  const raw = await startHelper("raw-verify", { core: "server", args: [JSON.stringify(sample)] });
  stack.defer(() => raw.stop());
  const betterAuth = await startPeer(options);
  if (betterAuth !== undefined) {
    stack.defer(() => betterAuth.stop());
  }
  const requests = customers.keys.map(({ key }) => toVerifyRequest(serviceKey, key));
  const accepted = { [OURS]: 0, [RAW]: 0, [BETTER_AUTH]: 0 };
  return await compare({ load, product, raw, betterAuth, customers, requests, accepted }, options);
}

export const verifyRawBench: Bench = {
  name: "verify-raw",
  isPart: true,
  summary:
    "The half of verify against raw node:http that parses and answers the same JSON, and against better-auth, on the same core.",
  defaults: { seconds: 4, rounds: 4 },
  run,
};
