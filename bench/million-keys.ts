import { join } from "node:path";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import {
  type Customers,
  createCustomers,
  settleLedger,
  toKeyedVerifyRequests,
} from "./rig/customers.ts";
import { measureFlood } from "./rig/key-flood.ts";
import {
  assertAllAccepted,
  type KeyedRequests,
  type LoadGenerator,
  startLoadGenerator,
} from "./rig/load.ts";
import { pinningRemarks } from "./rig/pinned-process.ts";
import { makeProductHome, type Product, type ProductHome, startProduct } from "./rig/product.ts";
import { connectToProduct } from "./rig/product-database.ts";
import { MEMORY_NODE_ARGS, readUsedBytes } from "./rig/product-memory.ts";
import { rollUp } from "./rig/roll-up.ts";
import { disturbanceRemarks, measureRound, type Sample, toSampleRow } from "./rig/sample.ts";
import { seedKeys } from "./rig/seed-keys.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";
import { measureInTurns, valuesOf } from "./rig/turns.ts";

const TENANTS = 10;
const FEW = 1_000;
const MILLION = 1_000_000;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
/** First uses of all keys: each is read from the database once. */
const FILL_SECONDS_MAX = 400;
const SEED_TIMEOUT_MS = 300_000;
const HOURS_EVERY_SECONDS = 600;

type Name = "few" | "many";
const NAMES = ["few", "many"] as const satisfies Name[];

type Side = {
  product: Product;
  customers: Customers;
  requests: KeyedRequests;
  /** Adds what was counted to the rollups, as jobs do. */
  rollUp: (grain: "minutes" | "hours") => Promise<void>;
  /** Bytes in use by what is kept of a key, mean of all of them. */
  bytesPerKey: number;
  fillSeconds: number;
  accepted: number;
};

/** Uses every key once, as a dry run that takes nothing and is not metered, so that all are in memory. */
async function fill(
  load: LoadGenerator,
  side: { product: Product; requests: KeyedRequests },
  count: number,
) {
  const { product, requests } = side;
  const result = await load.run({
    port: product.port,
    requests,
    connections: CONNECTIONS,
    seconds: FILL_SECONDS_MAX,
    callsMax: count,
    ratePerSecond: null,
    acceptedStart: '{"valid":true',
  });
  assertAllAccepted(result, "turnpike");
  if (result.answers !== count) {
    throw new Error(`Only ${String(result.answers)} of ${String(count)} keys were read in time.`);
  }
  return result.seconds;
}

async function prepare(
  input: { home: ProductHome; product: Product; load: LoadGenerator },
  count: number,
): Promise<Side> {
  const { home, product, load } = input;
  const customers = await createCustomers(product, { tenants: TENANTS, keys: 0 });
  const keysPath = join(home.folder, "bench-keys");
  const sql = await connectToProduct(home, { statementTimeoutMs: SEED_TIMEOUT_MS });
  const { tenantIds, serviceKey } = customers;
  const keyLength = await seedKeys(sql, { tenantIds, count, keysPath }).finally(() =>
    sql.end({ timeout: 1 }),
  );
  const keys = { keysPath, keyLength };
  const dryRuns = toKeyedVerifyRequests(serviceKey, keys, { cost: 0 });
  // Everything but the keys is there already: code, connections, tenants.
  await fill(load, { product, requests: dryRuns }, 1);
  const before = await readUsedBytes(product);
  const fillSeconds = await fill(load, { product, requests: dryRuns }, count);
  const after = await readUsedBytes(product);
  return {
    product,
    customers,
    requests: toKeyedVerifyRequests(serviceKey, keys),
    rollUp: (grain) => rollUp(home, grain),
    bytesPerKey: (after - before) / count,
    fillSeconds,
    accepted: 0,
  };
}

async function measure(
  input: { load: LoadGenerator; side: Side; name: string },
  seconds: number,
): Promise<Sample> {
  const { side } = input;
  const order = {
    requests: side.requests,
    connections: CONNECTIONS,
    seconds,
    ratePerSecond: null,
    acceptedStart: '{"valid":true',
  };
  const sample = await measureRound(input.load, side.product, order, {
    waitsUntilIdle: true,
    finish: () => side.rollUp("minutes"),
  });
  assertAllAccepted(sample.result, input.name);
  side.accepted += sample.result.accepted;
  return sample;
}

/**
 * Hours are rolled up every ten minutes, and cost so much for each key, however often it was used meanwhile: once after all
 * rounds, each of which bears its share of the ten minutes.
 */
async function addHours(side: Side, samples: readonly Sample[]): Promise<Sample[]> {
  const before = side.product.cpuSeconds();
  await side.rollUp("hours");
  const cpuSeconds = side.product.cpuSeconds() - before;
  return samples.map((sample) => {
    const { answers, seconds } = sample.result;
    const share = (cpuSeconds * seconds) / HOURS_EVERY_SECONDS;
    return {
      ...sample,
      perSecond: answers / (answers / sample.perSecond + share),
      cpuMicrosPerCall: sample.cpuMicrosPerCall + (share / answers) * 1e6,
    };
  });
}

async function assertLedgerAgrees({ product, customers, accepted }: Side): Promise<void> {
  const committed = await settleLedger({ product, customers, expected: accepted });
  if (committed !== accepted) {
    throw new Error(
      `The clients were let through ${String(accepted)} times, the ledger holds ${String(committed)}: no ratio.`,
    );
  }
}

async function run(options: BenchOptions): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const load = startLoadGenerator();
  stack.defer(() => load.stop());

  async function start(count: number): Promise<Side & { home: ProductHome }> {
    options.note(`${String(count)} keys, written and read once`);
    const home = await makeProductHome();
    stack.defer(() => home.remove());
    const product = await startProduct(home, { nodeArgs: MEMORY_NODE_ARGS });
    stack.defer(() => product.stop());
    return { ...(await prepare({ home, product, load }, count)), home };
  }
  const few = await start(FEW);
  const many = await start(options.keys);
  const sides: Record<Name, Side> = { few, many };
  const counts: Record<Name, string> = {
    few: FEW.toLocaleString("en"),
    many: options.keys.toLocaleString("en"),
  };
  for (const name of NAMES) {
    await measure({ load, side: sides[name], name }, WARM_UP_SECONDS);
  }
  options.note("traffic over all keys");
  const rounds = await measureInTurns({
    names: NAMES,
    rounds: options.rounds,
    measure: (name) => measure({ load, side: sides[name], name }, options.seconds),
  });
  const samples = new Map<Name, Sample[]>();
  for (const name of NAMES) {
    samples.set(name, await addHours(sides[name], rounds.get(name) ?? []));
  }
  const perSecond = (name: Name) => valuesOf(samples, name, (sample) => sample.perSecond);
  const cpu = (name: Name) => valuesOf(samples, name, (sample) => sample.cpuMicrosPerCall);
  await assertLedgerAgrees(few);
  await assertLedgerAgrees(many);
  const firstUses = Math.round(options.keys / many.fillSeconds);
  // The name is a promise about the number.
  const ratioName = options.keys === MILLION ? "millionKeys" : "manyKeys";
  options.note("a flood of unknown and malformed keys");
  const flood = await measureFlood({
    load,
    product: few.product,
    home: few.home,
    known: few.requests,
  });
  return {
    table: NAMES.map((name) =>
      toSampleRow(
        { server: `turnpike, ${counts[name]} keys`, load: "full" },
        samples.get(name) ?? [],
      ),
    ),
    ratios: {
      [ratioName]: round(medianRatio(perSecond("many"), perSecond("few"))),
      [`${ratioName}Cpu`]: round(medianRatio(cpu("few"), cpu("many"))),
    },
    figures: {
      fewKeysCallsPerSecond: Math.round(median(perSecond("few"))),
      [`${ratioName}CallsPerSecond`]: Math.round(median(perSecond("many"))),
      bytesPerCachedKey: Math.round(many.bytesPerKey),
      firstUsesPerSecond: firstUses,
      ...flood.figures,
    },
    remarks: [
      `${ratioName}: ${counts.many} keys against ${counts.few}, each in a product of its own, all read into memory by a dry run; every key has its turn, in an order that jumps about.`,
      `A key in memory takes ${String(Math.round(many.bytesPerKey))} bytes of heap and buffers, after a collection; the first use of a key reads it from the database, ${String(firstUses)} a second on the one core.`,
      `What a server writes down after the load counts as part of it, and so does adding the ${String(options.seconds)} s of a round to the rollups of minutes, which a job does every minute, and ${String(options.seconds)} s of the ten minutes after which one adds them to those of hours.`,
      ...flood.remarks,
      ...disturbanceRemarks([...samples.values()].flat()),
      ...pinningRemarks(),
    ],
  };
}

export const millionKeysBench: Bench = {
  name: "million-keys",
  isPart: true,
  summary:
    "The half of verify with 1,000,000 keys against 1,000, memory per key, and a flood of unknown and malformed keys.",
  defaults: { seconds: 60, rounds: 2 },
  run,
};
