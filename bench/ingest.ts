import { createHash, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import type { Sql } from "@turnpike/db/client";
import { periodAt, startOfMonth } from "@turnpike/domain/time/period";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { createCustomers } from "./rig/customers.ts";
import { callJson, makeProductHome, type ProductHome, startProduct } from "./rig/product.ts";
import { connectToProduct } from "./rig/product-database.ts";
import { MEMORY_NODE_ARGS, readUsedBytes } from "./rig/product-memory.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";

const EVENTS_PER_BATCH = 1_000;
const CONNECTIONS = 2;
const TENANTS = 50;
const KEYS = 200;
const MINUTES = 60;
const MINUTE_MS = 60_000;
const MEBIBYTE = 1024 ** 2;
/** Batches that are made before the clock runs; a round sends them in turn and makes new ones while the clock is stopped. */
const BATCHES_READY = 40;

const METER = {
  meterId: "tokens",
  name: "Tokens",
  unit: "token",
  aggregation: "sum",
  eventType: "llm.call",
  valuePointer: "/tokens",
  dimensions: [{ name: "key", pointer: "/key" }],
};

type Event = { tenantId: string; id: string; timeMs: number; tokens: number; key: string };

function makeEvents(tenantIds: readonly string[]): Event[] {
  const now = Date.now();
  return Array.from({ length: EVENTS_PER_BATCH }, (_, index) => ({
    tenantId: tenantIds[index % TENANTS] ?? "",
    id: randomUUID(),
    timeMs: now - Math.floor(Math.random() * MINUTES) * MINUTE_MS,
    tokens: 1 + (index % 997),
    key: `key-${String(index % KEYS)}`,
  }));
}

const SOURCE = "/bench";

function toBody(events: readonly Event[]): Buffer {
  return Buffer.from(
    JSON.stringify(
      events.map(({ tenantId, id, timeMs, tokens, key }) => ({
        specversion: "1.0",
        id,
        source: SOURCE,
        type: METER.eventType,
        subject: tenantId,
        time: new Date(timeMs).toISOString(),
        data: { tokens, key },
      })),
    ),
  );
}

/** What the product's writer sends for the same events: one argument for each array. */
function toArguments(events: readonly Event[]): string[] {
  const period = periodAt(startOfMonth(new Date()), "month", new Date());
  const array = (toText: (event: Event, index: number) => string) =>
    `{${events.map((event, index) => toText(event, index)).join(",")}}`;
  const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  const tenants = array(({ tenantId }) => tenantId);
  const times = array(({ timeMs }) => new Date(timeMs).toISOString());
  const empty = array(() => '""');
  const tokens = array((event) => String(event.tokens));
  const none = array(() => "NULL");
  return [
    array(({ tenantId, id }) =>
      createHash("sha256").update(`${tenantId}\0${SOURCE}\0${id}`).digest("hex").slice(0, 32),
    ),
    tenants,
    empty,
    array(() => quoted(SOURCE)),
    array(({ id }) => id),
    array(() => METER.eventType),
    times,
    array((event) => quoted(JSON.stringify({ tokens: event.tokens, key: event.key }))),
    array((_, index) => String(index + 1)),
    tenants,
    empty,
    empty,
    array(() => METER.meterId),
    array(() => "1"),
    times,
    array(() => period.start.toISOString()),
    array(() => period.end.toISOString()),
    tokens,
    tokens,
    none,
    none,
    array(({ key }) => quoted(`{${key}}`)),
  ];
}

async function recordBare(sql: Sql, values: readonly string[]): Promise<void> {
  const [
    hashes = "",
    tenants = "",
    keys = "",
    sources = "",
    ids = "",
    types = "",
    times = "",
    data = "",
    places = "",
    measuredTenants = "",
    measuredKeys = "",
    origins = "",
    meters = "",
    versions = "",
    measuredTimes = "",
    starts = "",
    ends = "",
    quantities = "",
    amounts = "",
    latests = "",
    uniques = "",
    dimensions = "",
  ] = values;
  await sql.transaction(async (tx) => {
    await tx`set local role turnpike_meter`;
    await tx`
      select record_events('bench', 1, ${hashes}::text::uuid[], ${tenants}::text::text[], ${keys}::text::text[],
        ${sources}::text::text[], ${ids}::text::text[], ${types}::text::text[], ${times}::text::timestamptz[],
        ${data}::text::text[], ${places}::text::int[], ${measuredTenants}::text::text[], ${measuredKeys}::text::text[],
        ${origins}::text::text[], ${meters}::text::text[], ${versions}::text::int[], ${measuredTimes}::text::timestamptz[],
        ${starts}::text::timestamptz[], ${ends}::text::timestamptz[], ${quantities}::text::numeric[],
        ${amounts}::text::numeric[], ${latests}::text::numeric[], ${uniques}::text::uuid[], ${dimensions}::text::text[])`;
  });
}

/** Sends one batch. @throws when not every event of it was accepted. */
function post(agent: Agent, port: number, credential: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: "127.0.0.1",
        port,
        method: "POST",
        path: "/v1/events",
        headers: {
          authorization: `Bearer ${credential}`,
          "content-type": "application/cloudevents-batch+json",
          "content-length": body.length,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          if (text.startsWith(`{"accepted":${String(EVENTS_PER_BATCH)},`)) {
            resolve();
          } else {
            reject(new Error(`${String(answer.statusCode)}: ${text.slice(0, 500)}`));
          }
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

type Candidate = {
  name: "turnpike" | "bare";
  rates: number[];
  prepare(): (connection: number) => Promise<void>;
};

/** Lets every connection write batches for so many seconds, not counting the making of them. @returns Events per second. */
async function measure(candidate: Candidate, seconds: number): Promise<number> {
  let batches = 0;
  let elapsedMs = 0;
  while (elapsedMs < seconds * 1_000) {
    const ready = Array.from({ length: BATCHES_READY }, () => candidate.prepare());
    const startedAtMs = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, connection) => {
        for (let write = ready.pop(); write !== undefined; write = ready.pop()) {
          await write(connection);
          batches += 1;
        }
      }),
    );
    elapsedMs += performance.now() - startedAtMs;
  }
  return (batches * EVENTS_PER_BATCH * 1_000) / elapsedMs;
}

type Counts = { ids: number; events: number; calls: number; counted: number };

/** @throws when an event was lost or doubled on its way into any of the tables. */
async function assertCounted(sql: Sql): Promise<number> {
  const [counts] = await sql<Counts[]>`
    select (select count(*) from event_ids)::int as ids, (select count(*) from usage_events)::int as events,
      (select sum(calls) from ledger_entries)::int as calls, (select sum(events) from meter_rollups)::int as counted`;
  if (counts === undefined || new Set(Object.values(counts)).size !== 1) {
    throw new Error(`Events were lost or doubled: ${JSON.stringify(counts)}`);
  }
  return counts.ids;
}

async function compare(home: ProductHome, options: BenchOptions): Promise<BenchResult> {
  const product = await startProduct(home, { core: "any", nodeArgs: MEMORY_NODE_ARGS });
  const sqls: Sql[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const { serviceKey, tenantIds } = await createCustomers(product, { tenants: TENANTS, keys: 0 });
    const { port } = product;
    await callJson(port, {
      method: "POST",
      path: "/v1/meters",
      credential: serviceKey,
      body: METER,
    });
    for (let connection = 0; connection < CONNECTIONS; connection += 1) {
      sqls.push(await connectToProduct(home, { statementTimeoutMs: 60_000 }));
    }
    const candidates: Candidate[] = [
      {
        name: "turnpike",
        rates: [],
        prepare: () => {
          const body = toBody(makeEvents(tenantIds));
          return () => post(agent, port, serviceKey, body);
        },
      },
      {
        name: "bare",
        rates: [],
        prepare: () => {
          const values = toArguments(makeEvents(tenantIds));
          return async (connection) => {
            const sql = sqls[connection];
            if (sql !== undefined) {
              await recordBare(sql, values);
            }
          };
        },
      },
    ];
    options.note("warming up");
    for (const candidate of candidates) {
      await measure(candidate, 1);
    }
    const usedBytes = [await readUsedBytes(product)];
    for (let turn = 0; turn < options.rounds; turn += 1) {
      options.note(`round ${String(turn + 1)} of ${String(options.rounds)}`);
      for (const candidate of turn % 2 === 0 ? candidates : candidates.toReversed()) {
        candidate.rates.push(await measure(candidate, options.seconds));
      }
      usedBytes.push(await readUsedBytes(product));
    }
    const [first] = sqls;
    const events = first === undefined ? 0 : await assertCounted(first);
    const [ours = [], theirs = []] = candidates.map(({ rates }) => rates);
    const row = (what: string, rates: readonly number[]) => ({
      what,
      "events/s": Math.round(median(rates)),
      "slowest round": Math.round(Math.min(...rates)),
    });
    const megabytes = usedBytes.map((bytes) => Math.round(bytes / MEBIBYTE));
    return {
      table: [
        row("POST /v1/events: HTTP, JSON, validation, commit", ours),
        row("the same rows by SQL alone", theirs),
      ],
      ratios: { bareSql: round(medianRatio(ours, theirs)) },
      figures: {
        eventsPerSecond: Math.round(median(ours)),
        bareSqlEventsPerSecond: Math.round(median(theirs)),
        usedMegabytesBefore: megabytes[0] ?? Number.NaN,
        usedMegabytesAfter: megabytes.at(-1) ?? Number.NaN,
      },
      remarks: [
        `Batches of ${String(EVENTS_PER_BATCH)} events of ${String(TENANTS)} tenants, ${String(KEYS)} values of a dimension and ${String(MINUTES)} minutes, over ${String(CONNECTIONS)} connections, each batch its own transaction with fsync; database, server and load share both cores.`,
        "Both write identities, events, ledger, recent usage, rollups of the meter, and balances; by SQL alone the rows are ready before the clock runs.",
        `Memory that the server uses after each round, heap and buffers: ${megabytes.join(", ")} MB.`,
        `Events in each table after all rounds: ${String(events)}.`,
      ],
    };
  } finally {
    agent.destroy();
    await Promise.all(sqls.map((sql) => sql.end({ timeout: 5 })));
    await product.stop();
  }
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const home = await makeProductHome();
  try {
    return await compare(home, options);
  } finally {
    await home.remove();
  }
}

export const ingestBench: Bench = {
  name: "ingest",
  summary: "Usage events over HTTP, against the same rows written by SQL alone.",
  defaults: { seconds: 4, rounds: 4 },
  run,
};
