import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { createCustomers, settleLedger, toVerifyRequest } from "./rig/customers.ts";
import { assertAllAccepted, type LoadGenerator, startLoadGenerator } from "./rig/load.ts";
import { ownCpuSeconds, pinningRemarks } from "./rig/pinned-process.ts";
import {
  callJson,
  makeProductHome,
  type Product,
  type ProductHome,
  readText,
  startProduct,
} from "./rig/product.ts";
import { disturbanceRemarks, measureRound, type Sample, toSampleRow } from "./rig/sample.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";

const WORKERS = [1, 2] as const;
const TENANTS = 10;
const KEYS = 100;
const CONNECTIONS = 64;
/** Each thread compiles its own code: it must have had so many calls, or that is what is measured. */
const WARM_UP_CALLS_A_WORKER = 100_000;
const WARM_UP_SECONDS_MAX = 120;
const ACCEPTED_START = '{"valid":true';
/** What ends: so many calls of a quota, and of a rate limit whose window is so long that nothing flows back meanwhile. */
const QUOTA_CALLS = 20_000;
const RATE_CALLS = 5_000;
const DAY_SECONDS = 86_400;
const ROUND_SECONDS = 2;
/** The last units of a quota go from worker to worker, a second at a time. */
const ROUNDS_MAX = 15;

type Side = {
  workers: number;
  product: Product;
  home: ProductHome;
  customers: Awaited<ReturnType<typeof createCustomers>>;
  requests: string[];
  accepted: number;
  samples: Sample[];
  /** Of the process without its database, microseconds a call. */
  processMicros: number[];
};

async function openSide(workers: number): Promise<Side> {
  const home = await makeProductHome(`workers: ${String(workers)}\n`);
  try {
    const product = await startProduct(home);
    const customers = await createCustomers(product, { tenants: TENANTS, keys: KEYS });
    const requests = customers.keys.map(({ key }) => toVerifyRequest(customers.serviceKey, key));
    const side = { workers, product, home, customers, requests };
    return { ...side, accepted: 0, samples: [], processMicros: [] };
  } catch (error) {
    await home.remove();
    throw error;
  }
}

async function measure(load: LoadGenerator, side: Side, seconds: number): Promise<Sample> {
  const before = ownCpuSeconds(side.product.pid);
  const sample = await measureRound(load, side.product, {
    requests: side.requests,
    connections: CONNECTIONS,
    acceptedStart: ACCEPTED_START,
    ratePerSecond: null,
    seconds,
  });
  assertAllAccepted(sample.result, `${String(side.workers)} workers`);
  side.accepted += sample.result.accepted;
  const own = ownCpuSeconds(side.product.pid) - before;
  side.processMicros.push((own / sample.result.answers) * 1e6);
  return sample;
}

async function warmUp(load: LoadGenerator, side: Side): Promise<void> {
  const enough = WARM_UP_CALLS_A_WORKER * side.workers;
  for (let spent = 0; side.accepted < enough && spent < WARM_UP_SECONDS_MAX; ) {
    await measure(load, side, ROUND_SECONDS);
    spent += ROUND_SECONDS;
  }
  side.processMicros.length = 0;
}

/** Runs into a limit at full speed on all connections. @returns How many calls were let through, and refused. */
async function runInto(
  load: LoadGenerator,
  side: Side,
  input: { planId: string; calls: number },
): Promise<{ accepted: number; refused: number; committed: number }> {
  const { port } = side.product;
  const credential = side.customers.serviceKey;
  const body = { name: input.planId, planId: input.planId };
  const tenant = await callJson(port, { method: "POST", path: "/v1/tenants", credential, body });
  const tenantId = readText(tenant, "tenantId");
  const path = `/v1/tenants/${tenantId}/keys`;
  const made = await callJson(port, { method: "POST", path, credential, body: { name: "Bench" } });
  const key = { tenantId, keyId: readText(made, "keyId"), key: readText(made, "key") };
  let accepted = 0;
  let refused = 0;
  for (let count = 0; count < ROUNDS_MAX && (accepted < input.calls || refused === 0); count += 1) {
    const result = await load.run({
      port,
      requests: [toVerifyRequest(credential, key.key)],
      connections: CONNECTIONS,
      seconds: ROUND_SECONDS,
      ratePerSecond: null,
      acceptedStart: ACCEPTED_START,
    });
    accepted += result.accepted;
    refused += result.answers - result.accepted;
  }
  const customers = { serviceKey: credential, tenantIds: [tenantId], keys: [key] };
  const committed = await settleLedger({ product: side.product, customers, expected: accepted });
  return { accepted, refused, committed };
}

async function measureOvershoot(load: LoadGenerator, side: Side) {
  const plan = { name: "Bench with an end", visibility: "private", rateLimits: [], quotas: [] };
  const quotas = [{ meter: "requests", limit: QUOTA_CALLS, kind: "hard" }];
  const rateLimits = [{ name: "day", limit: RATE_CALLS, windowSeconds: DAY_SECONDS }];
  await callJson(side.product.port, {
    method: "PUT",
    path: "/v1/catalog",
    credential: side.customers.serviceKey,
    body: {
      plans: [
        { ...plan, planId: "workers-quota", quotas },
        { ...plan, planId: "workers-rate", rateLimits },
      ],
    },
  });
  const quota = await runInto(load, side, { planId: "workers-quota", calls: QUOTA_CALLS });
  const rate = await runInto(load, side, { planId: "workers-rate", calls: RATE_CALLS });
  if (quota.committed !== quota.accepted || rate.committed !== rate.accepted) {
    throw new Error("The ledger does not hold what was let through: no figure.");
  }
  return { quota, rate };
}

async function compare(
  load: LoadGenerator,
  sides: readonly Side[],
  options: BenchOptions,
): Promise<BenchResult> {
  for (const side of sides) {
    await warmUp(load, side);
  }
  options.note("full load");
  for (let turn = 0; turn < options.rounds; turn += 1) {
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      side.samples.push(await measure(load, side, options.seconds));
    }
  }
  for (const { product, customers, accepted } of sides) {
    const committed = await settleLedger({ product, customers, expected: accepted });
    if (committed !== accepted) {
      throw new Error(
        `The clients were let through ${String(accepted)} times, the ledger holds ${String(committed)}: no ratio.`,
      );
    }
  }
  const [one, two] = sides;
  if (one === undefined || two === undefined) {
    throw new Error("There is nothing to compare.");
  }
  options.note("running into a quota and into a rate limit");
  const { quota, rate } = await measureOvershoot(load, two);
  const cpuOf = (side: Side) => side.samples.map((sample) => sample.cpuMicrosPerCall);
  const rowOf = (side: Side) => ({
    ...toSampleRow({ workers: String(side.workers) }, side.samples),
    "CPU µs/call without database": round(median(side.processMicros)),
  });
  return {
    table: sides.map(rowOf),
    ratios: {
      cpuPerRequest: round(medianRatio(cpuOf(two), cpuOf(one))),
      cpuPerRequestWithoutDatabase: round(medianRatio(two.processMicros, one.processMicros)),
    },
    figures: {
      cpuMicrosPerCall: round(median(cpuOf(one))),
      twoWorkersCpuMicrosPerCall: round(median(cpuOf(two))),
      quotaCalls: QUOTA_CALLS,
      quotaCallsAccepted: quota.accepted,
      quotaCallsRefused: quota.refused,
      rateLimitCalls: RATE_CALLS,
      rateLimitCallsAccepted: rate.accepted,
      rateLimitCallsRefused: rate.refused,
      overshootCalls:
        Math.max(0, quota.accepted - QUOTA_CALLS) + Math.max(0, rate.accepted - RATE_CALLS),
    },
    remarks: [
      `${String(KEYS)} keys of ${String(TENANTS)} tenants in turn over ${String(CONNECTIONS)} connections, all on one core: what two workers cost, not what they gain.`,
      "CPU counts all threads and the database; the other ratio is of the process alone.",
      `Of a quota of ${String(QUOTA_CALLS)} calls ${String(quota.accepted)} were let through by two workers, of a rate limit of ${String(RATE_CALLS)} a day ${String(rate.accepted)}, both at full speed over ${String(CONNECTIONS)} connections; the ledger holds as many.`,
      ...disturbanceRemarks(sides.flatMap(({ samples }) => samples)),
      ...pinningRemarks(),
    ],
  };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const load = startLoadGenerator();
  const sides: Side[] = [];
  try {
    for (const workers of WORKERS) {
      options.note(`${String(workers)} workers: starting`);
      sides.push(await openSide(workers));
    }
    return await compare(load, sides, options);
  } finally {
    await load.stop();
    for (const { product, home } of sides) {
      await product.stop();
      await home.remove();
    }
  }
}

export const workersBench: Bench = {
  name: "workers",
  summary:
    "Verification by two workers, against one on the same core: CPU per call, and the end of a quota and of a rate limit that both share.",
  defaults: { seconds: 4, rounds: 4 },
  run,
};
