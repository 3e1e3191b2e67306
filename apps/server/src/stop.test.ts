import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { Agent, createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  databaseUrlOf,
  type ProductProcess,
  startProduct,
} from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceKey } from "#modules/keys/index.ts";

const upstream = createServer((_req, res) => setTimeout(() => res.end("ok"), 5));
let database: TestDatabase;
let folder: TempFolder;
let product: ProductProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  await writeFile(
    join(folder.path, "turnpike.yaml"),
    [
      `upstreams: [{ name: api, url: "http://127.0.0.1:${String(port)}" }]`,
      "catalog:",
      "  meters: [{ meterId: requests, name: Requests, unit: request, aggregation: count }]",
      "  defaultPlanId: open",
      "  plans: [{ planId: open, name: Open, quotas: [{ meter: requests, limit: 1000000, kind: hard }] }]",
    ].join("\n"),
  );
  product = startProduct({
    cwd: folder.path,
    env: {
      DATABASE_URL: databaseUrlOf(database),
      TURNPIKE_DATA_DIR: join(folder.path, "data"),
      TURNPIKE_LOG_LEVEL: "warn",
    },
  });
});
afterAll(async () => {
  product.kill("SIGKILL");
  await product.ended;
  upstream.closeAllConnections();
  upstream.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

type Counts = { answered: number; failed: number };

/** Sends one request after the other on one connection, until there is none to be had any more. */
async function keepBusy(url: string, headers: Record<string, string>, body?: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const counts: Counts = { answered: 0, failed: 0 };
  const ask = () =>
    new Promise<number | undefined>((resolve) => {
      const req = request(url, { agent, headers, method: body === undefined ? "GET" : "POST" });
      req.on("response", (res) => {
        res.resume();
        res.on("end", () => resolve(res.statusCode));
      });
      req.on("error", () => resolve(undefined));
      req.end(body);
    });
  for (;;) {
    const status = await ask();
    counts.answered += status === 200 ? 1 : 0;
    if (status !== 200) {
      counts.failed += 1;
      agent.destroy();
      return counts;
    }
  }
}

/** Sends all of a request but its last byte, which comes when asked for, and waits until the product has its head. */
async function startSlowly(url: string, headers: Record<string, string>, body: string) {
  const req = request(url, {
    method: "POST",
    headers: {
      ...headers,
      "content-length": Buffer.byteLength(body),
      expect: "100-continue",
    },
  });
  const status = new Promise<number | undefined>((resolve) => {
    req.on("response", (res) => {
      res.resume();
      resolve(res.statusCode);
    });
    req.on("error", () => resolve(undefined));
  });
  req.flushHeaders();
  await once(req, "continue");
  req.write(body.slice(0, -1));
  return {
    finish: () => {
      req.end(body.slice(-1));
      return status;
    },
  };
}

/** Whether no one listens at this address. */
async function isRefused(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const answer = await Promise.race([
    once(socket, "connect").then(() => false),
    once(socket, "error").then(() => true),
  ]).catch(() => true);
  socket.destroy();
  return answer;
}

describe("a stop under load", () => {
  it("records every call that was answered, by gateway and verification, and does not wait for busy clients", async () => {
    const urls = await product.ready;
    const post = async (path: string, key: string, body: unknown) => {
      const reply = await fetch(urls.console + path, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
      return (await reply.json()) as Record<string, string>;
    };
    const serviceKey = await createServiceKey(createLiveServices(database), OPERATOR_CONTEXT, {
      name: "Test",
      scopes: [...SCOPES],
    });
    const { tenantId = "" } = await post("/v1/tenants", serviceKey.key, { name: "Busy" });
    const { key = "" } = await post(`/v1/tenants/${tenantId}/keys`, serviceKey.key, { name: "k" });

    const json = { "content-type": "application/json", authorization: `Bearer ${serviceKey.key}` };
    const busy = Array.from({ length: 4 }, () => [
      keepBusy(`${urls.gateway}/x`, { "x-api-key": key }),
      keepBusy(`${urls.console}/v1/keys/verify`, json, JSON.stringify({ key })),
    ]).flat();
    await pollUntil("calls under way", async () => {
      const [row] = await database.sql<{ calls: number }[]>`
        select coalesce(sum(calls), 0)::int as calls from ledger_entries`;
      return (row?.calls ?? 0) > 100;
    });
    const slow = await startSlowly(`${urls.console}/v1/keys/verify`, json, JSON.stringify({ key }));
    product.kill("SIGTERM");
    await pollUntil("it takes no new connections", () => isRefused(urls.console));
    expect(await slow.finish()).toBe(200);
    expect(await product.ended).toMatchObject({ code: 0, stderr: "" });

    const counts = await Promise.all(busy);
    const answered = counts.reduce((sum, one) => sum + one.answered, 1);
    const failed = counts.reduce((sum, one) => sum + one.failed, 0);
    const [row] = await database.sql<{ calls: number }[]>`
      select coalesce(sum(calls), 0)::int as calls from ledger_entries where outcome = 'VALID'`;
    expect(row?.calls).toBeGreaterThanOrEqual(answered);
    // An answer may be lost with its connection; then its call counts all the same.
    expect(row?.calls).toBeLessThanOrEqual(answered + failed);
    expect(await database.sql`select 1 from leases`).toHaveLength(0);
  });
});
