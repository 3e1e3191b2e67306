import { once } from "node:events";
import { Agent, createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { startHelper } from "./rig/helper-program.ts";
import { type PinnedProcess, pinningRemarks } from "./rig/pinned-process.ts";
import { callJson, makeProductHome, type Product, readText, startProduct } from "./rig/product.ts";
import { median, percentile, round } from "./rig/statistics.ts";

/** Streams at once, and what each sends: about as much as a fast model. */
const STREAMS = 16;
const EVENTS = 100;
const EVENT_EVERY_MS = 5;
const CALLS = 1_000;
const CALLS_AT_ONCE = 8;
const WARM_UP_CALLS = 2_000;
const TOKENS = { prompt_tokens: 10, completion_tokens: 7 };

const OURS = "turnpike, by tokens";
const PLAIN = "turnpike, by calls";
const PEER = "httpxy";
const DIRECT = "no proxy";

type Candidate = { name: string; port: number; path: string; headers: Record<string, string> };

async function sendStream(res: ServerResponse): Promise<void> {
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (let event = 0; event < EVENTS; event += 1) {
    await new Promise((resolve) => setTimeout(resolve, EVENT_EVERY_MS));
    const content = String(performance.now());
    res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
  }
  res.end(`data: ${JSON.stringify({ choices: [], usage: TOKENS })}\n\ndata: [DONE]\n\n`);
}

/** In the process that also receives, so that one clock says when an event was sent and when it came. */
async function startUpstream(): Promise<Server> {
  const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (req, res) => {
    const answer = async (): Promise<void> => {
      const body: unknown = JSON.parse(await text(req));
      if (typeof body === "object" && body !== null && "stream" in body) {
        await sendStream(res);
      } else {
        res.writeHead(200, { "content-type": "application/json" });
        res.end(JSON.stringify({ choices: [{ message: { content: "Hello" } }], usage: TOKENS }));
      }
    };
    answer().catch(() => res.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function post(agent: Agent, { port, path, headers }: Candidate, body: object) {
  const req = request({ agent, host: "127.0.0.1", port, path, method: "POST", headers });
  req.end(JSON.stringify(body));
  const [res] = await once(req, "response");
  if (res.statusCode !== 200) {
    throw new Error(`${path} answered ${String(res.statusCode)}: ${await text(res)}`);
  }
  return res;
}

/** @returns Milliseconds from the sending of each event to its arrival. */
async function streamOnce(agent: Agent, candidate: Candidate): Promise<number[]> {
  const stream = await post(agent, candidate, { model: "m", stream: true, max_tokens: 100 });
  const delays: number[] = [];
  for await (const chunk of stream) {
    const arrivedMs = performance.now();
    for (const [, sentMs] of String(chunk).matchAll(/"content":"([\d.]+)"/g)) {
      delays.push(arrivedMs - Number(sentMs));
    }
  }
  if (delays.length !== EVENTS) {
    throw new Error(`${String(delays.length)} of ${String(EVENTS)} events came in one piece.`);
  }
  return delays;
}

async function callMany(agent: Agent, candidate: Candidate, calls: number): Promise<void> {
  let left = calls;
  const callOn = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      await text(await post(agent, candidate, { model: "m", max_tokens: 100 }));
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, callOn));
}

/** A customer without a limit in the way, whose calls take units of two meters from leases. */
async function createCustomer(product: Product) {
  const credential = await product.mintServiceKey();
  const { port } = product;
  const body = { name: "Bench" };
  const tenant = await callJson(port, { method: "POST", path: "/v1/tenants", credential, body });
  const tenantId = readText(tenant, "tenantId");
  const path = `/v1/tenants/${tenantId}/keys`;
  const made = await callJson(port, { method: "POST", path, credential, body });
  return { tenantId, credential, key: readText(made, "key") };
}

async function readUnits(product: Product, input: { credential: string; tenantId: string }) {
  const path = `/v1/tenants/${input.tenantId}/usage?measures=billable&meter=out`;
  const answer = await callJson(product.port, { method: "GET", path, ...input });
  return Number(readText(answer, "totals", "billable"));
}

function toConfig(port: number): string {
  const url = `http://127.0.0.1:${String(port)}`;
  return `upstreams:
  - name: tokens
    url: ${url}
    tokens: { protocol: openai, meters: [{ meter: in, counts: [input] }, { meter: out, counts: [output] }] }
  - { name: plain, url: "${url}", prefix: /plain }
catalog:
  meters:
    - { meterId: requests, name: Requests, unit: request, aggregation: count }
    - { meterId: in, name: In, unit: token, aggregation: count }
    - { meterId: out, name: Out, unit: token, aggregation: count }
  defaultPlanId: bench
  plans:
    - planId: bench
      name: Bench
      quotas:
        - { meter: requests, limit: 1000000000, kind: hard }
        - { meter: in, limit: 1000000000, kind: hard }
        - { meter: out, limit: 1000000000, kind: hard }
`;
}

async function compare(
  candidates: readonly Candidate[],
  options: BenchOptions,
  product: Product,
): Promise<BenchResult> {
  const agent = new Agent({ keepAlive: true });
  const delays = new Map(candidates.map(({ name }) => [name, { p50: [], p99: [] } as Delays]));
  const micros = new Map<string, number[]>([
    [OURS, []],
    [PLAIN, []],
  ]);
  for (const candidate of candidates) {
    await callMany(agent, candidate, WARM_UP_CALLS);
  }
  for (let turn = 0; turn < options.rounds; turn += 1) {
    for (const candidate of turn % 2 === 0 ? candidates : [...candidates].reverse()) {
      const each = await Promise.all(
        Array.from({ length: STREAMS }, () => streamOnce(agent, candidate)),
      );
      delays.get(candidate.name)?.p50.push(percentile(each.flat(), 0.5));
      delays.get(candidate.name)?.p99.push(percentile(each.flat(), 0.99));
      const cost = micros.get(candidate.name);
      if (cost !== undefined) {
        const before = product.cpuSeconds();
        await callMany(agent, candidate, CALLS);
        cost.push(((product.cpuSeconds() - before) / CALLS) * 1e6);
      }
    }
  }
  agent.destroy();
  const of = (name: string, share: keyof Delays) => median(delays.get(name)?.[share] ?? []);
  const cpu = (name: string) => round(median(micros.get(name) ?? []), 1);
  return {
    table: candidates.map(({ name }) => ({
      candidate: name,
      "delay of an event p50 ms": round(of(name, "p50")),
      "p99 ms": round(of(name, "p99")),
      ...(micros.has(name) && { "CPU µs/call": cpu(name) }),
    })),
    ratios: {
      httpxyDelayP50: round(of(PEER, "p50") / of(OURS, "p50")),
      byCallsDelayP50: round(of(PLAIN, "p50") / of(OURS, "p50")),
      byCallsCpu: round(cpu(PLAIN) / cpu(OURS)),
    },
    figures: { delayMsP50: round(of(OURS, "p50")), cpuMicrosPerCall: cpu(OURS) },
    remarks: [
      `${String(STREAMS)} streams at once, each of ${String(EVENTS)} events ${String(EVENT_EVERY_MS)} ms apart; delay is from the upstream's write to the client's read, both in the process of the bench.`,
      "By tokens, a call reads its request and its answer, takes and settles units of two more meters with hard limits, asks for the usage of its stream and takes the event with it out. Ratios above 1: ours is the better one.",
      ...pinningRemarks(),
    ],
  };
}

type Delays = { p50: number[]; p99: number[] };

async function run(options: BenchOptions): Promise<BenchResult> {
  const upstream = await startUpstream();
  const home = await makeProductHome(toConfig(portOf(upstream)));
  const running: PinnedProcess[] = [];
  try {
    const product = await startProduct(home);
    running.push(product);
    const peer = await startHelper("proxy-httpxy", {
      core: "server",
      args: [`http://127.0.0.1:${String(portOf(upstream))}`],
    });
    running.push(peer);
    const customer = await createCustomer(product);
    const headers = { authorization: `Bearer ${customer.key}`, "content-type": "application/json" };
    const path = "/v1/chat/completions";
    const result = await compare(
      [
        { name: OURS, port: product.gatewayPort, path, headers },
        { name: PLAIN, port: product.gatewayPort, path: "/plain/chat", headers },
        { name: PEER, port: peer.port, path, headers },
        { name: DIRECT, port: portOf(upstream), path, headers },
      ],
      options,
      product,
    );
    const calls = WARM_UP_CALLS + options.rounds * (STREAMS + CALLS);
    const expected = calls * TOKENS.completion_tokens;
    let units = 0;
    for (let tries = 0; tries < 100 && units < expected; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      units = await readUnits(product, customer);
    }
    if (units !== expected) {
      throw new Error(
        `${String(expected)} tokens were answered, the ledger holds ${String(units)}.`,
      );
    }
    return { ...result, figures: { ...result.figures, tokensInLedger: units } };
  } finally {
    for (const process of running) {
      await process.stop();
    }
    upstream.closeAllConnections();
    upstream.close();
    await home.remove();
  }
}

export const tokensBench: Bench = {
  name: "tokens",
  summary:
    "How long an event of a stream takes through the gateway that counts its tokens, against calls that are not read and a bare proxy.",
  defaults: { seconds: 1, rounds: 5 },
  run,
};
