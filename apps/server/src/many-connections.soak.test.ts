import { execFileSync } from "node:child_process";
import { type ConnectionCrowd, startConnectionCrowd } from "@turnpike/testkit/connection-crowd";
import { type MeteredProduct, startMeteredProduct } from "@turnpike/testkit/metered-product";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { describe, expect, it, onTestFinished } from "vitest";

/** On the gateway, and a tenth of them on the other port. */
const CONNECTIONS = 10_000;
/** Of those, the ones that call at the same time. */
const ACTIVE = 2_000;
const ROUNDS = 5;
/** What a process may grow by for a connection that has been used, and by its heap's own way to grow. */
const CONNECTION_BYTES_MAX = 60_000;
const HEAP_BYTES_MAX = 150_000_000;
const DEADLINE_MS = 1_200_000;

const WELL_KNOWN = "GET /.well-known/turnpike HTTP/1.1\r\nHost: a.test\r\n\r\n";
const LIVE = "GET /health/live HTTP/1.1\r\nHost: a.test\r\n\r\n";

/** Files that the system lets one process open, each of the two at the ends. */
function readOpenFilesMax(): number {
  const text = execFileSync("sh", ["-c", "ulimit -H -n"], { encoding: "utf8" }).trim();
  return text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text);
}

type Stage = { product: MeteredProduct; crowd: ConnectionCrowd };

async function open(config: string, openFilesMax?: number): Promise<Stage> {
  const upstream = await startRecordingUpstream();
  const product = await startMeteredProduct({
    config: `upstreams:\n  - { name: api, url: "${upstream.url}", maxConcurrent: ${String(ACTIVE)}, tenantSharePercent: 100 }\n${config}`,
    ...(openFilesMax === undefined ? {} : { openFilesMax }),
  });
  const crowd = await startConnectionCrowd();
  onTestFinished(async () => {
    await crowd.end();
    product.product.kill("SIGKILL");
    await product.close();
    await upstream.close();
  });
  return { product, crowd };
}

describe("many connections", { timeout: DEADLINE_MS }, () => {
  it(`serves ${String(CONNECTIONS)} at once on the gateway, in bounded memory, and closes all of them at the end`, async ({
    skip,
  }) => {
    const needed = CONNECTIONS * 1.1 + 500;
    if (readOpenFilesMax() < needed) {
      const reason = `The system lets a process open ${String(readOpenFilesMax())} files; ${String(needed)} are needed.`;
      console.warn(`SKIPPED: ${reason}`);
      skip(reason);
    }
    const { product, crowd } = await open(
      `gateway: { maxConnections: ${String(CONNECTIONS)} }\napi: { maxConnections: ${String(CONNECTIONS)} }\n`,
    );
    const customer = await product.createCustomer("capped");
    await (await product.call(customer.key, "/before")).text();
    const before = await product.residentBytes();
    const gateway = { port: product.gatewayPort, request: WELL_KNOWN };
    // One of them is for the call from here.
    const idle = CONNECTIONS - 1;
    const opened = await crowd.ask({ ask: "open", count: idle, ...gateway });
    expect(opened).toEqual({ open: idle, statuses: { 200: idle } });
    const people = Math.floor(CONNECTIONS / 10);
    const both = await crowd.ask({
      ask: "open",
      count: people,
      port: product.peoplePort,
      request: LIVE,
    });
    expect(both).toEqual({ open: idle + people, statuses: { 200: people } });
    const grown = (await product.residentBytes()) - before;

    // Calls on some of them, while someone else makes a call.
    const call = `GET /a HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: ${customer.key}\r\n\r\n`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [called, own] = await Promise.all([
        crowd.ask({ ask: "call", count: ACTIVE, request: call }),
        product.verify(customer.key),
      ]);
      expect(called.statuses).toEqual({ 200: ACTIVE });
      expect(await own.json()).toMatchObject({ valid: true });
    }
    expect((await product.call(customer.key, "/after")).status).toBe(200);
    const billed = ROUNDS * (ACTIVE + 1) + 2;
    expect(await product.countOnce(customer, { billed })).toMatchObject({ billed });
    console.info(
      `many connections: ${String(idle + people)} open, ${(grown / (idle + people) / 1000).toFixed(1)} kB each, ` +
        `${((await product.residentBytes()) / 1e6).toFixed(0)} MB resident`,
    );
    expect(grown).toBeLessThan(HEAP_BYTES_MAX + CONNECTION_BYTES_MAX * (idle + people));

    // Those that were idle for a minute meanwhile were closed, so the gateway is filled up first. One more than there may be
    // is closed at once.
    const closed = idle + people - (await crowd.ask({ ask: "look" })).open;
    const full = await crowd.ask({ ask: "open", count: closed + 20, ...gateway });
    expect(full.statuses[0]).toBeGreaterThanOrEqual(19);

    product.product.kill("SIGTERM");
    expect(await product.product.ended).toMatchObject({ code: 0, stderr: "" });
    await pollUntil("all are closed", async () => (await crowd.ask({ ask: "look" })).open === 0);
  });

  it("outlives the end of its files: refuses what it cannot take, and works again when there is room", async () => {
    // As soon as it has started, with all that it needs itself.
    const { product, crowd } = await open("", 400);
    const customer = await product.createCustomer("capped");
    const statuses: Record<number, number> = {};
    for (const port of [product.gatewayPort, product.peoplePort]) {
      const request = port === product.gatewayPort ? WELL_KNOWN : LIVE;
      const answer = await crowd.ask({ ask: "open", port, count: 600, request });
      for (const [status, count] of Object.entries(answer.statuses)) {
        statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
      }
    }
    // Some were served, and there was no room for the others.
    expect(Object.keys(statuses).sort()).toEqual(["0", "200"]);
    expect(statuses[0]).toBeGreaterThan(100);

    // With no file left to open there is no way to an upstream either: refused, and not billed.
    const call = `GET /a HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: ${customer.key}\r\n\r\n`;
    const starved = await crowd.ask({ ask: "call", count: 50, request: call });
    const served = starved.statuses[200] ?? 0;

    expect((await crowd.ask({ ask: "close" })).open).toBe(0);
    await pollUntil("it serves again", async () => {
      const reply = await product.call(customer.key, "/again").catch(() => undefined);
      return reply?.status === 200;
    });
    expect(await (await product.verify(customer.key)).json()).toMatchObject({ valid: true });
    const counted = await product.countOnce(customer, { billed: served + 2 });
    expect(counted.billed).toBe(served + 2);
    expect(await product.reconcile()).toMatchObject({ drift: 0 });
    console.info(
      `files used up: ${JSON.stringify(statuses)}, calls meanwhile ${JSON.stringify(starved.statuses)}`,
    );
    product.product.kill("SIGTERM");
    expect(await product.product.ended).toMatchObject({ code: 0, stderr: "" });
  });
});
