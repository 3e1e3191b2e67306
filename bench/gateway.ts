import { type BackgroundCounts, startBackgroundWork } from "./rig/background-work.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { type Customers, createCustomers, settleLedger } from "./rig/customers.ts";
import { startHelper } from "./rig/helper-program.ts";
import { assertAllAccepted, type LoadGenerator, startLoadWithUpstream } from "./rig/load.ts";
import { hasNginx, startNginxProxy } from "./rig/nginx-proxy.ts";
import { type PinnedProcess, pinningRemarks } from "./rig/pinned-process.ts";
import { makeProductHome, type Product, startProduct } from "./rig/product.ts";
import { disturbanceRemarks, measureRound, type Sample, toSampleRow } from "./rig/sample.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";
import { STREAM_CALLS, streamGigabytes } from "./rig/stream-gigabyte.ts";

const TENANTS = 10;
const KEYS = 100;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 2;
const STEADY_SHARE = 0.7;

/** The bare proxies that the ratio is against, by the program that runs each. */
const BARE_PROXIES = {
  "@fastify/http-proxy": "proxy-fastify",
  "http-proxy-3": "proxy-http-proxy-3",
  httpxy: "proxy-httpxy",
} as const;

const DOCUMENTS = { small: "/small", "10 kB": "/large" } as const;
type DocumentName = keyof typeof DOCUMENTS;

const OURS = "turnpike";
const DIRECT = "no proxy";

type Candidate = { name: string; running: PinnedProcess & { port: number } };

type Rig = {
  load: LoadGenerator;
  candidates: Candidate[];
  customers: Customers;
  /** Calls of ours that were answered so far. */
  accepted: number;
};

function toRequest(path: string, key: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Accept: application/json",
    `Authorization: Bearer ${key}`,
    "",
    "",
  ].join("\r\n");
}

async function measure(
  rig: Rig,
  candidate: Candidate,
  input: {
    document: DocumentName;
    seconds: number;
    ratePerSecond: number | null;
    isBusy?: boolean;
  },
): Promise<Sample> {
  const order = {
    requests: rig.customers.keys.map(({ key }) => toRequest(DOCUMENTS[input.document], key)),
    connections: CONNECTIONS,
    seconds: input.seconds,
    ratePerSecond: input.ratePerSecond,
    acceptedStart: '{"ok":true',
  };
  const sample = await measureRound(rig.load, candidate.running, order, {
    waitsUntilIdle: input.isBusy !== true,
  });
  assertAllAccepted(sample.result, candidate.name);
  if (candidate.name === OURS) {
    rig.accepted += sample.result.accepted;
  }
  return sample;
}

type Samples = Map<string, Sample[]>;

async function measureInTurns(
  rig: Rig,
  options: BenchOptions,
  input: { document: DocumentName; ratePerSecond: number | null; names: readonly string[] },
): Promise<Samples> {
  const candidates = rig.candidates.filter(({ name }) => input.names.includes(name));
  const samples: Samples = new Map(candidates.map(({ name }) => [name, []]));
  for (let turn = 0; turn < options.rounds; turn += 1) {
    const order = turn % 2 === 0 ? candidates : [...candidates].reverse();
    for (const candidate of order) {
      const sample = await measure(rig, candidate, { ...input, seconds: options.seconds });
      samples.get(candidate.name)?.push(sample);
    }
  }
  return samples;
}

function perSecond(samples: Samples, name: string): number[] {
  return (samples.get(name) ?? []).map((sample) => sample.perSecond);
}

function p99(samples: Samples, name: string): number {
  return median((samples.get(name) ?? []).map((sample) => sample.result.latencyMsP99));
}

function fastestBareProxy(samples: Samples): string {
  const names = Object.keys(BARE_PROXIES);
  const speed = (name: string) => median(perSecond(samples, name));
  return names.reduce((best, name) => (speed(name) > speed(best) ? name : best));
}

function ratioTo(samples: Samples, name: string): number {
  return round(medianRatio(perSecond(samples, OURS), perSecond(samples, name)));
}

/** CPU time per call, theirs over ours: larger is better, as with speeds. */
function cpuRatioTo(samples: Samples, name: string): number {
  const cpu = (of: string) => (samples.get(of) ?? []).map((sample) => sample.cpuMicrosPerCall);
  return round(medianRatio(cpu(name), cpu(OURS)));
}

type WorkResult = { calm: Sample[]; busy: Sample[]; counts: BackgroundCounts };

/** Ours at the same rate, in turns with and without other work of the product's own. */
async function measureBesideWork(
  rig: Rig,
  options: BenchOptions,
  input: { product: Product; ratePerSecond: number },
): Promise<WorkResult> {
  const ours = rig.candidates.find(({ name }) => name === OURS);
  const tenantId = rig.customers.tenantIds[0];
  if (ours === undefined || tenantId === undefined) {
    throw new Error("Nothing to measure.");
  }
  const { ratePerSecond, product } = input;
  const round = { document: "small", seconds: options.seconds, ratePerSecond } as const;
  const result: WorkResult = {
    calm: [],
    busy: [],
    counts: { exports: 0, reports: 0, imports: 0, signIns: 0 },
  };
  for (let turn = 0; turn < options.rounds; turn += 1) {
    result.calm.push(await measure(rig, ours, round));
    const work = startBackgroundWork(product, {
      credential: rig.customers.serviceKey,
      tenantId,
    });
    try {
      // Not until it is idle, which it is not: what it does meanwhile is the point.
      result.busy.push(await measure(rig, ours, { ...round, isBusy: true }));
    } finally {
      const counts = await work.stop();
      for (const name of ["exports", "reports", "imports", "signIns"] as const) {
        result.counts[name] += counts[name];
      }
    }
  }
  return result;
}

async function compare(
  rig: Rig,
  options: BenchOptions & { product: Product },
): Promise<BenchResult> {
  const all = rig.candidates.map(({ name }) => name);
  const proxies = all.filter((name) => name !== DIRECT);
  for (const candidate of rig.candidates) {
    const warmUp = { seconds: WARM_UP_SECONDS, ratePerSecond: null };
    await measure(rig, candidate, { ...warmUp, document: "small" });
  }
  options.note("small documents, full load");
  const small = await measureInTurns(rig, options, {
    document: "small",
    ratePerSecond: null,
    names: proxies,
  });
  options.note("10 kB documents, full load");
  const large = await measureInTurns(rig, options, {
    document: "10 kB",
    ratePerSecond: null,
    names: proxies,
  });
  const fastest = fastestBareProxy(small);
  const ratePerSecond = Math.round(median(perSecond(small, OURS)) * STEADY_SHARE);
  options.note(`small documents, ${String(ratePerSecond)} calls/s`);
  const steady = await measureInTurns(rig, options, {
    document: "small",
    ratePerSecond,
    names: [OURS, fastest, DIRECT],
  });
  options.note("beside exports, reports, imports and sign-ins");
  const work = await measureBesideWork(rig, options, { product: options.product, ratePerSecond });
  const p99Of = (samples: readonly Sample[]) => samples.map(({ result }) => result.latencyMsP99);
  options.note("a gigabyte down, a gigabyte up");
  const stream = await streamGigabytes(options.product, rig.customers.keys[0]?.key ?? "");
  rig.accepted += STREAM_CALLS;
  const added = round(p99(steady, OURS) - p99(steady, DIRECT));
  const addedByFastest = round(p99(steady, fastest) - p99(steady, DIRECT));
  const rows = (samples: Samples, document: string, load: string) =>
    [...samples].map(([name, of]) => toSampleRow({ proxy: name, document, load }, of));
  const steadyName = `${String(STEADY_SHARE * 100)}% of turnpike's`;
  return {
    table: [
      ...rows(small, "small", "full"),
      ...rows(large, "10 kB", "full"),
      ...rows(steady, "small", steadyName),
      toSampleRow(
        { proxy: OURS, document: "small", load: `${steadyName}, beside work` },
        work.busy,
      ),
    ],
    ratios: {
      bareProxy: ratioTo(small, fastest),
      bareProxyCpu: cpuRatioTo(small, fastest),
      bareProxyLarge: ratioTo(large, fastestBareProxy(large)),
      p99BesideWork: round(medianRatio(p99Of(work.busy), p99Of(work.calm))),
      ...(all.includes("nginx")
        ? { nginx: ratioTo(small, "nginx"), nginxLarge: ratioTo(large, "nginx") }
        : {}),
    },
    figures: {
      callsPerSecond: Math.round(median(perSecond(small, OURS))),
      bareProxyCallsPerSecond: Math.round(median(perSecond(small, fastest))),
      steadyCallsPerSecond: ratePerSecond,
      addedLatencyMsP99: added,
      bareProxyAddedLatencyMsP99: addedByFastest,
      latencyMsP99BesideWork: round(median(p99Of(work.busy))),
      latencyMsP99WithoutWork: round(median(p99Of(work.calm))),
      ...stream.figures,
    },
    remarks: [
      `The fastest bare proxy is ${fastest}; ours authenticates, limits, signs and meters each call as well.`,
      `${String(KEYS)} keys in turn over ${String(CONNECTIONS)} connections; the upstream shares its core and its process with the load.`,
      `p99 added to a call without a proxy, at ${String(ratePerSecond)} calls/s: ${String(added)} ms; ${fastest} adds ${String(addedByFastest)} ms.`,
      `Beside work: one after the other without a pause ran ${String(work.counts.exports)} CSV exports of all tenants by key and hour, ${String(work.counts.reports)} reports of all tenants with the period before, ${String(work.counts.imports)} imports of 1,000 keys and ${String(work.counts.signIns)} sign-ins with a wrong password (argon2id), all at the same time and on the server's core; smaller is better.`,
      ...stream.remarks,
      // nginx is faster than the load and the upstream on their one core: it is never kept busy.
      ...disturbanceRemarks(
        [OURS, ...Object.keys(BARE_PROXIES)].flatMap((name) => small.get(name) ?? []),
      ),
      ...(all.includes("nginx")
        ? [
            "nginx is held back by the load and the upstream on the other core, so its ratio flatters us.",
          ]
        : []),
      ...(all.includes("nginx") ? [] : ["nginx is not installed: no ratio to it."]),
      ...pinningRemarks(),
    ],
  };
}

async function startCandidates(
  product: Product,
  input: { upstream: PinnedProcess & { port: number }; folder: string },
): Promise<Candidate[]> {
  const upstreamUrl = `http://127.0.0.1:${String(input.upstream.port)}`;
  const candidates: Candidate[] = [
    { name: OURS, running: { ...product, port: product.gatewayPort } },
  ];
  for (const [name, program] of Object.entries(BARE_PROXIES)) {
    const running = await startHelper(program, { core: "server", args: [upstreamUrl] });
    candidates.push({ name, running });
  }
  if (hasNginx()) {
    const { folder, upstream } = input;
    const running = await startNginxProxy({ upstreamPort: upstream.port, folder });
    candidates.push({ name: "nginx", running });
  }
  return [...candidates, { name: DIRECT, running: input.upstream }];
}

async function assertLedgerAgrees(rig: Rig, product: Product): Promise<BenchResult["figures"]> {
  const { customers, accepted } = rig;
  const committed = await settleLedger({ product, customers, expected: accepted });
  if (committed !== accepted) {
    throw new Error(
      `${String(accepted)} calls were answered, the ledger holds ${String(committed)}: no ratio.`,
    );
  }
  return { callsAccepted: accepted, callsInLedger: committed };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const { load, upstream } = await startLoadWithUpstream();
  const url = `http://127.0.0.1:${String(upstream.port)}`;
  const home = await makeProductHome(
    // Sign-ins are limited by network: the bench says which one it is in.
    `upstreams:\n  - name: bench\n    url: ${url}\n    maxRequestBytes: 2147483648\ntrustedProxies: [127.0.0.1/32]\n`,
  );
  let candidates: Candidate[] = [];
  try {
    const product = await startProduct(home);
    candidates = [{ name: OURS, running: product }];
    const customers = await createCustomers(product, { tenants: TENANTS, keys: KEYS });
    candidates = await startCandidates(product, { upstream, folder: home.folder });
    const rig: Rig = { load, candidates, customers, accepted: 0 };
    const result = await compare(rig, { ...options, product });
    const ledger = await assertLedgerAgrees(rig, product);
    return { ...result, figures: { ...result.figures, ...ledger } };
  } finally {
    for (const candidate of candidates) {
      await candidate.running.stop();
    }
    await load.stop();
    await home.remove();
  }
}

export const gatewayBench: Bench = {
  name: "gateway",
  summary:
    "GET through the gateway with everything on, against bare proxies that do nothing else, each on the same core.",
  defaults: { seconds: 2, rounds: 3 },
  run,
};
