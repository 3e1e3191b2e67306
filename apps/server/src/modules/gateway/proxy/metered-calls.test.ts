import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { UsageReport } from "@turnpike/contract/usage";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  databaseUrlOf,
  type ProductAddresses,
  type ProductProcess,
  startProduct,
} from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { Agent, fetch as pooledFetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceKey } from "#modules/keys/index.ts";

let folder: TempFolder;
let database: TestDatabase;
let upstream: Server;
let product: ProductProcess;
let urls: ProductAddresses;
let serviceKey: string;
/** Headers of the last request that reached the upstream. */
let lastSeen: IncomingMessage["headers"] = {};
let seen = 0;

/** Answers with the status that the path names, after the milliseconds in `?after=`. */
function answerAsAsked(req: IncomingMessage): { status: number; afterMs: number } {
  const url = new URL(`http://upstream${req.url ?? "/"}`);
  return {
    status: Number(url.pathname.slice(1)) || 200,
    afterMs: Number(url.searchParams.get("after") ?? 0),
  };
}

beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  upstream = createServer((req, res) => {
    seen += 1;
    lastSeen = req.headers;
    const { status, afterMs } = answerAsAsked(req);
    const timer = setTimeout(() => {
      res.writeHead(status, { "x-turnpike-tenant": "forged by the upstream" });
      res.end(status === 304 || status === 204 ? undefined : "answer");
    }, afterMs);
    res.on("close", () => clearTimeout(timer));
  });
  upstream.on("upgrade", (_req, socket) => {
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    );
    socket.pipe(socket);
  });
  const upstreamPort = await findFreePort();
  upstream.listen(upstreamPort, "127.0.0.1");
  await once(upstream, "listening");
  const deadPort = await findFreePort();
  await writeFile(
    join(folder.path, "turnpike.yaml"),
    [
      "upstreams:",
      `  - { name: api, url: "http://127.0.0.1:${String(upstreamPort)}" }`,
      `  - { name: impatient, url: "http://127.0.0.1:${String(upstreamPort)}", hosts: [impatient.test], timeouts: { headersMs: 200 } }`,
      `  - { name: gone, url: "http://127.0.0.1:${String(deadPort)}", hosts: [gone.test] }`,
      "catalog:",
      "  meters: [{ meterId: requests, name: Requests, unit: request, aggregation: count }]",
      "  defaultPlanId: open",
      "  plans:",
      "    - { planId: open, name: Open }",
      "    - { planId: small, name: Small, quotas: [{ meter: requests, limit: 150, kind: hard }] }",
      "    - { planId: slow, name: Slow, rateLimits: [{ name: burst, limit: 5, windowSeconds: 60 }] }",
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
  urls = await product.ready;
  const made = await createServiceKey(createLiveServices(database), OPERATOR_CONTEXT, {
    name: "Test",
    scopes: [...SCOPES],
  });
  serviceKey = made.key;
});

afterAll(async () => {
  product.kill("SIGTERM");
  expect(await product.ended).toMatchObject({ code: 0, stderr: "" });
  upstream.closeAllConnections();
  upstream.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

async function postJson<Reply>(path: string, body: unknown, key = serviceKey): Promise<Reply> {
  const reply = await fetch(urls.console + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as Reply;
}

async function getJson<Reply>(path: string): Promise<Reply> {
  const reply = await fetch(urls.console + path, {
    headers: { authorization: `Bearer ${serviceKey}` },
  });
  return (await reply.json()) as Reply;
}

type Customer = { tenantId: TenantId; key: string; keyId: string };

async function createCustomer(planId: string): Promise<Customer> {
  const { tenantId } = await postJson<{ tenantId: TenantId }>("/v1/tenants", {
    name: "Customer",
    planId,
  });
  const made = await postJson<{ key: string; keyId: string }>(`/v1/tenants/${tenantId}/keys`, {
    name: "key",
  });
  return { tenantId, key: made.key, keyId: made.keyId };
}

function call(path: string, key: string, init: RequestInit = {}): Promise<Response> {
  return fetch(urls.gateway + path, { ...init, headers: { "x-api-key": key, ...init.headers } });
}

type Usage = Pick<UsageReport, "rows" | "totals">;

function askUsage(tenantId: TenantId, by: string): Promise<Usage> {
  const question = `measures=requests,billable&dimensions=${by}`;
  return getJson<Usage>(`/v1/tenants/${tenantId}/usage?${question}`);
}

/** Waits until the ledger holds `calls` calls of the tenant; answers them by status. */
async function expectUsage(
  customer: Customer,
  expected: Record<string, [calls: number, quantity: string]>,
  by: "status" | "outcome" = "status",
): Promise<void> {
  const calls = Object.values(expected).reduce((sum, [count]) => sum + count, 0);
  const usage = await pollUntil("the ledger", async () => {
    const found = await askUsage(customer.tenantId, by);
    return (found.totals.requests ?? 0) >= calls && found;
  });
  expect(
    Object.fromEntries(
      usage.rows.map(({ group, values }) => [group[by], [values.requests, values.billable]]),
    ),
  ).toEqual(expected);
}

describe("metering of the gateway", () => {
  it("counts every answer by its status, and bills 2xx and 304 only", async () => {
    const customer = await createCustomer("open");
    for (const status of [200, 200, 201, 204, 304, 301, 404, 418, 500, 503]) {
      const reply = await call(`/${String(status)}`, customer.key, { redirect: "manual" });
      expect(reply.status).toBe(status);
      expect(reply.headers.get("x-turnpike-tenant")).toBeNull();
    }
    await expectUsage(customer, {
      "200": [2, "2"],
      "201": [1, "1"],
      "204": [1, "1"],
      "301": [1, "0"],
      "304": [1, "1"],
      "404": [1, "0"],
      "418": [1, "0"],
      "500": [1, "0"],
      "503": [1, "0"],
    });
  });

  it("bills a call whose client hung up before the upstream answered", async () => {
    const customer = await createCustomer("open");
    const before = seen;
    const req = httpRequest(`${urls.gateway}/200?after=300`, {
      headers: { "x-api-key": customer.key },
    });
    req.on("error", () => undefined);
    req.end();
    await pollUntil("the upstream has it", () => seen > before);
    req.destroy();
    await expectUsage(customer, { "200": [1, "1"] });
  });

  it("bills a call that the upstream works on when its caller revokes the key", async () => {
    const customer = await createCustomer("small");
    const before = seen;
    const pending = call("/200?after=120000", customer.key);
    await pollUntil("the upstream has it", () => seen > before);
    await postJson(`/v1/tenants/${customer.tenantId}/keys/${customer.keyId}/revoke`, {});
    expect((await pending).status).toBe(401);
    await expectUsage(customer, { REVOKED: [1, "1"] }, "outcome");
    const { quotas } = await getJson<{ quotas: object[] }>(
      `/v1/tenants/${customer.tenantId}/limits`,
    );
    expect(quotas).toContainEqual(expect.objectContaining({ environment: "live", used: "1" }));
  });

  it("never bills an upstream that is unreachable or too slow", async () => {
    const customer = await createCustomer("open");
    const send = (host: string, path: string): Promise<{ status: number; text: string }> =>
      new Promise((resolve, reject) => {
        const headers = { host, "x-api-key": customer.key };
        httpRequest(urls.gateway + path, { headers }, (res) => {
          let text = "";
          res.on("data", (chunk: Buffer) => {
            text += chunk.toString();
          });
          res.on("end", () => resolve({ status: res.statusCode ?? 0, text }));
        })
          .on("error", reject)
          .end();
      });
    const slow = await send("impatient.test", "/200?after=120000");
    expect(slow.status).toBe(504);
    expect(JSON.parse(slow.text)).toMatchObject({ code: "UPSTREAM_TIMEOUT" });
    expect((await send("gone.test", "/200")).status).toBe(502);
    await expectUsage(customer, { "502": [1, "0"], "504": [1, "0"] });
  });

  it("counts a WebSocket once, when it is accepted", async () => {
    const customer = await createCustomer("open");
    const { hostname, port } = new URL(urls.gateway);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /socket HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Api-Key: ${customer.key}\r\n\r\n`,
    );
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    await pollUntil("the upgrade", () => received.includes("101 Switching"));
    for (const text of ["one", "two", "three"]) {
      socket.write(text);
      await pollUntil("the echo", () => received.endsWith(text));
    }
    socket.destroy();
    await expectUsage(customer, { "101": [1, "1"] });
  });

  it("tells the upstream whose call it is and nothing that the client forged", async () => {
    const customer = await createCustomer("open");
    await call("/200", customer.key, {
      headers: { "x-turnpike-tenant": "forged", "X-Turnpike-Admin": "yes", cookie: "kept=1" },
    });
    expect(lastSeen).toMatchObject({
      "x-turnpike-tenant": customer.tenantId,
      "x-turnpike-key": customer.keyId,
      "x-turnpike-plan": "open",
      "x-turnpike-environment": "live",
      "x-turnpike-scopes": "-",
      cookie: "kept=1",
    });
    expect(lastSeen).not.toHaveProperty("x-turnpike-admin");
    expect(lastSeen).not.toHaveProperty("x-api-key");
    expect(lastSeen["x-turnpike-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  });

  it("lets a preflight without a key pass and counts it for no one", async () => {
    const before = seen;
    const reply = await fetch(`${urls.gateway}/200`, {
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
    });
    expect(reply.status).toBe(200);
    expect(seen).toBe(before + 1);
    expect(lastSeen["x-turnpike-tenant"]).toBe("-");
  });
});

describe("refusals of the gateway", () => {
  const problem = { type: expect.stringMatching(/\/docs\/errors\//), errors: [] };

  it("refuses a call without a key and with one it does not know, readable from any page", async () => {
    const before = seen;
    const none = await fetch(`${urls.gateway}/200`);
    expect(none.status).toBe(401);
    expect(await none.json()).toMatchObject({ ...problem, code: "MISSING_KEY" });
    const unknown = await call("/200", "tp_live_nonsense", {
      headers: { origin: "https://a.example" },
    });
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get("access-control-allow-origin")).toBe("*");
    expect(unknown.headers.get("cache-control")).toBe("no-store");
    const body = await unknown.json();
    expect(body).toMatchObject({ ...problem, code: "INVALID_KEY" });
    expect(body).not.toHaveProperty("limit");
    expect(seen).toBe(before);
  });

  it("refuses a revoked key, and counts the refusal for its tenant", async () => {
    const customer = await createCustomer("open");
    expect((await call("/200", customer.key)).status).toBe(200);
    await postJson(`/v1/tenants/${customer.tenantId}/keys/${customer.keyId}/revoke`, {});
    const status = await pollUntil("the refusal", async () => {
      const reply = await call("/200", customer.key);
      return reply.status === 401 && reply.json();
    });
    expect(status).toMatchObject({ code: "REVOKED" });
    const countRefused = (atLeast: number) =>
      pollUntil("the ledger", async () => {
        const { rows } = await askUsage(customer.tenantId, "outcome");
        const values = rows.find(({ group }) => group.outcome === "REVOKED")?.values;
        return Number(values?.requests ?? 0) >= atLeast && values;
      });
    // The first one may have reached the upstream before its key was revoked: that one is billed.
    const first = await countRefused(1);
    expect((await call("/200", customer.key)).status).toBe(401);
    const second = await countRefused(Number(first.requests) + 1);
    expect(second.billable).toBe(first.billable);
  });

  it("refuses a suspended tenant and takes it back", async () => {
    const customer = await createCustomer("open");
    const patch = (suspended: boolean) =>
      fetch(`${urls.console}/v1/tenants/${customer.tenantId}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
        body: JSON.stringify({ suspended }),
      });
    await call("/200", customer.key);
    await patch(true);
    await pollUntil("403", async () => (await call("/200", customer.key)).status === 403);
    await patch(false);
    await pollUntil("200", async () => (await call("/200", customer.key)).status === 200);
  });

  it("applies the rate limit of the plan and says when to come back", async () => {
    const customer = await createCustomer("slow");
    const replies = await Promise.all(Array.from({ length: 12 }, () => call("/200", customer.key)));
    const refused = replies.filter((reply) => reply.status === 429);
    expect(replies.length - refused.length).toBe(5);
    const [first] = refused;
    expect(Number(first?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await first?.json()).toMatchObject({
      code: "RATE_LIMITED",
      limit: { name: "burst", limit: 5, remaining: 0 },
      upgradeUrl: `${urls.console}/plans`,
    });
    await expectUsage(customer, { RATE_LIMITED: [7, "0"], VALID: [5, "5"] }, "outcome");
  });

  it("never lets one call past a hard quota, with many clients and keys at once", async () => {
    const customer = await createCustomer("small");
    const second = await postJson<{ key: string }>(`/v1/tenants/${customer.tenantId}/keys`, {
      name: "b",
    });
    const agent = new Agent({ connections: 40 });
    const codes = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const reply = await pooledFetch(`${urls.gateway}/${index % 4 === 0 ? "404" : "200"}`, {
          dispatcher: agent,
          headers: { "x-api-key": index % 2 === 0 ? customer.key : second.key },
        });
        await reply.text();
        return reply.status;
      }),
    );
    // Calls that are not billed gave their units back, so they cost the quota nothing.
    const admitted = codes.filter((code) => code === 200).length;
    expect(admitted).toBeLessThanOrEqual(150);
    // What was refused while units were in flight can be had afterwards, down to the last one.
    let served = admitted;
    for (let tries = 0; served < 150 && tries < 400; tries += 1) {
      served += (await call("/200", customer.key)).status === 200 ? 1 : 0;
    }
    expect(served).toBe(150);
    expect((await call("/200", customer.key)).status).toBe(429);
    const limits = await pollUntil("the ledger", async () => {
      const found = await getJson<{
        quotas: { environment: string; used: string; remaining: string }[];
      }>(`/v1/tenants/${customer.tenantId}/limits`);
      const live = found.quotas.find((quota) => quota.environment === "live");
      return live?.used === "150" && live;
    });
    expect(limits.remaining).toBe("0");
    await agent.close();
  });

  it("verifies a key for a program of the operator with the same limits and the same ledger", async () => {
    const customer = await createCustomer("small");
    const look = await postJson("/v1/keys/verify", { key: customer.key, cost: 0 });
    expect(look).toMatchObject({ valid: true, code: "VALID", tenantId: customer.tenantId });
    expect(await postJson("/v1/keys/verify", { key: customer.key, cost: 149 })).toMatchObject({
      valid: true,
      limits: [{ kind: "quota", limit: 150, remaining: 1 }],
    });
    expect(await postJson("/v1/keys/verify", { key: customer.key, cost: 2 })).toMatchObject({
      valid: false,
      code: "QUOTA_EXCEEDED",
    });
    expect((await call("/200", customer.key)).status).toBe(200);
    expect((await call("/200", customer.key)).status).toBe(429);
    await expectUsage(customer, { QUOTA_EXCEEDED: [2, "0"], VALID: [2, "150"] }, "outcome");
  });
});
