import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { type Customers, createCustomers, settleLedger } from "./rig/customers.ts";
import { startHelper } from "./rig/helper-program.ts";
import { assertAllAccepted, type LoadGenerator, startLoadGenerator } from "./rig/load.ts";
import { hasNginx, startNginxProxy } from "./rig/nginx-proxy.ts";
import { type PinnedProcess, pinningRemarks } from "./rig/pinned-process.ts";
import { makeProductHome, type Product, startProduct } from "./rig/product.ts";
import { disturbanceRemarks, measureRound, type Sample, toSampleRow } from "./rig/sample.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";

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
  input: { document: DocumentName; seconds: number; ratePerSecond: number | null },
): Promise<Sample> {
  const sample = await measureRound(rig.load, candidate.running, {
    requests: rig.customers.keys.map(({ key }) => toRequest(DOCUMENTS[input.document], key)),
    connections: CONNECTIONS,
    seconds: input.seconds,
    ratePerSecond: input.ratePerSecond,
    acceptedStart: '{"ok":true',
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

async function compare(rig: Rig, options: BenchOptions): Promise<BenchResult> {
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
  const rows = (samples: Samples, document: string, load: string) =>
    [...samples].map(([name, of]) => toSampleRow({ proxy: name, document, load }, of));
  const steadyName = `${String(STEADY_SHARE * 100)} % of turnpike's`;
  return {
    table: [
      ...rows(small, "small", "full"),
      ...rows(large, "10 kB", "full"),
      ...rows(steady, "small", steadyName),
    ],
    ratios: {
      bareProxy: ratioTo(small, fastest),
      bareProxyCpu: cpuRatioTo(small, fastest),
      bareProxyLarge: ratioTo(large, fastestBareProxy(large)),
      ...(all.includes("nginx")
        ? { nginx: ratioTo(small, "nginx"), nginxLarge: ratioTo(large, "nginx") }
        : {}),
    },
    figures: {
      callsPerSecond: Math.round(median(perSecond(small, OURS))),
      bareProxyCallsPerSecond: Math.round(median(perSecond(small, fastest))),
      steadyCallsPerSecond: ratePerSecond,
      addedLatencyMsP99: round(p99(steady, OURS) - p99(steady, DIRECT)),
      bareProxyAddedLatencyMsP99: round(p99(steady, fastest) - p99(steady, DIRECT)),
    },
    remarks: [
      `The fastest bare proxy is ${fastest}; ours authenticates, limits, signs and meters each call as well.`,
      `${String(KEYS)} keys in turn over ${String(CONNECTIONS)} connections; the upstream shares its core with the load.`,
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
  const upstream = await startHelper("bare-upstream", { core: "load" });
  const url = `http://127.0.0.1:${String(upstream.port)}`;
  const home = await makeProductHome(`upstreams:\n  - name: bench\n    url: ${url}\n`);
  const load = startLoadGenerator();
  let candidates: Candidate[] = [];
  try {
    const product = await startProduct(home);
    candidates = [{ name: OURS, running: product }];
    const customers = await createCustomers(product, { tenants: TENANTS, keys: KEYS });
    candidates = await startCandidates(product, { upstream, folder: home.folder });
    const rig: Rig = { load, candidates, customers, accepted: 0 };
    const result = await compare(rig, options);
    const ledger = await assertLedgerAgrees(rig, product);
    return { ...result, figures: { ...result.figures, ...ledger } };
  } finally {
    for (const candidate of candidates) {
      await candidate.running.stop();
    }
    await upstream.stop();
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
