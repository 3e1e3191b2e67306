import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;
/** Of the upstream. */
const PERMITS = 16;
/** Calls that the upstream holds until they are released. */
const waiting: ServerResponse[] = [];

function hold(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.url === "/hold") {
    waiting.push(res);
  }
  return req.url === "/hold";
}

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database, { upstream: { onRequest: hold }, upstreamPermits: PERMITS });
  serviceKey = await app.mintServiceKey(["keys:write", "keys:verify", "usage:read"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

/** A tenant whose plan lets so many calls be under way at once, and otherwise any number. */
async function createTenant(concurrency?: number): Promise<TenantId> {
  const tenantId = await app.mintTenant(randomUUID());
  const overrides = { rateLimits: [], quotas: [], concurrency: concurrency ?? null };
  await database.sql`
    update tenant_entitlements set overrides = ${database.sql.json(overrides)} where tenant_id = ${tenantId}`;
  await database.sql`select record_change('tenant', ${tenantId}, ${tenantId})`;
  await app.hearChanges();
  return tenantId;
}

type LimitedKey = { key: string; path: string };

async function createKey(tenantId: TenantId, more: object = {}): Promise<LimitedKey> {
  const keys = `/v1/tenants/${tenantId}/keys`;
  const { json } = await app.call(serviceKey, "POST", keys, { name: "Key", ...more });
  expect(json).toMatchObject(more);
  return { key: json.key, path: `${keys}/${String(json.keyId)}` };
}

const call = (key: string, path = "/now") =>
  fetch(app.gatewayUrl + path, { headers: { "x-api-key": key } });

/** Begins calls that stay under way; ends them when it is disposed of. */
async function holdCalls(keys: readonly string[]) {
  const before = waiting.length;
  const answers = keys.map((key) => call(key, "/hold"));
  await pollUntil(
    "all of them are with the upstream",
    () => waiting.length === before + keys.length,
  );
  const held = waiting.splice(before);
  const release = async (): Promise<void> => {
    for (const res of held.splice(0)) {
      res.end("done");
    }
    for (const answer of answers.splice(0)) {
      await (await answer).text();
    }
  };
  return { release, [Symbol.asyncDispose]: release };
}

/** Waits until a call passes: the gateway hears the end of a call a moment after its client. */
const passes = (key: string) =>
  pollUntil("a call passes", async () => {
    const reply = await call(key);
    await reply.text();
    return reply.status === 200 ? reply : false;
  });

describe("calls at once", () => {
  it("are as many as the plan says for all keys of an environment, and as the key says for itself", async () => {
    const tenantId = await createTenant(3);
    const [small, other] = [
      await createKey(tenantId, { concurrency: 1 }),
      await createKey(tenantId),
    ];
    const test = await createKey(tenantId, { environment: "test" });
    await using held = await holdCalls([small.key, other.key]);
    const refused = await call(small.key);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(refused.headers.get("ratelimit-policy")).toBe(
      '"key:concurrency";q=1;qu="concurrent-requests"',
    );
    expect(refused.headers.get("ratelimit")).toBe('"key:concurrency";r=0');
    const problem = (await refused.json()) as object;
    expect(problem).toMatchObject({
      code: "CONCURRENCY_LIMITED",
      limit: { name: "concurrency", scope: "key", limit: 1, remaining: 0 },
    });
    expect(problem).not.toHaveProperty("resetAt");
    expect(problem).not.toHaveProperty("upgradeUrl");

    const allowed = await call(other.key);
    await allowed.text();
    expect(allowed.headers.get("ratelimit-policy")).toBe(
      '"concurrency";q=3;qu="concurrent-requests"',
    );
    expect(allowed.headers.get("ratelimit")).toBe('"concurrency";r=0');
    await passes(other.key);
    await using _third = await holdCalls([other.key]);
    const full = await call(other.key);
    expect(await full.json()).toMatchObject({
      code: "CONCURRENCY_LIMITED",
      limit: { scope: "tenant", limit: 3 },
      upgradeUrl: "http://console.test/plans",
    });
    // The whole tenant has as many again in its other environment.
    expect((await call(test.key)).status).toBe(200);
    await held.release();
    await passes(small.key);
  });

  it("are shared by a key and those it is rolled to", async () => {
    const tenantId = await createTenant();
    const first = await createKey(tenantId, { concurrency: 2 });
    const roll = { graceSeconds: 3_600 };
    const { json: second } = await app.call(serviceKey, "POST", `${first.path}/roll`, roll);
    expect(second).toMatchObject({ concurrency: 2 });
    await app.hearChanges();
    await using _held = await holdCalls([first.key, second.key]);
    expect((await call(first.key)).status).toBe(429);
    expect((await call(second.key)).status).toBe(429);
  });

  it("take nothing of other limits when they refuse, and nothing themselves when another refuses", async () => {
    const tenantId = await createTenant();
    const rateLimits = [{ name: "hour", limit: 2, windowSeconds: 3_600 }];
    const { key } = await createKey(tenantId, { concurrency: 1, rateLimits });
    {
      await using _held = await holdCalls([key]);
      for (let refused = 0; refused < 5; refused += 1) {
        expect(await (await call(key)).json()).toMatchObject({ code: "CONCURRENCY_LIMITED" });
      }
    }
    await passes(key);
    for (let refused = 0; refused < 5; refused += 1) {
      expect(await (await call(key)).json()).toMatchObject({ code: "RATE_LIMITED" });
    }
  });

  it("are changed and taken away with the key, for the calls that begin from then on", async () => {
    const tenantId = await createTenant();
    const { key, path } = await createKey(tenantId, { concurrency: 1 });
    await using _held = await holdCalls([key]);
    expect((await call(key)).status).toBe(429);
    await app.call(serviceKey, "PATCH", path, { concurrency: null });
    await passes(key);
  });

  it("are free for other keys when the key that holds them is revoked, of the plan and of the upstream", async () => {
    const tenantId = await createTenant(2);
    const [stolen, other] = [await createKey(tenantId), await createKey(tenantId)];
    const before = waiting.length;
    const answers = [stolen.key, stolen.key].map((key) => call(key, "/hold"));
    await pollUntil("both are with the upstream", () => waiting.length === before + 2);
    const held = waiting.splice(before);
    expect((await call(other.key)).status).toBe(429);
    await app.call(serviceKey, "POST", `${stolen.path}/revoke`);
    await passes(other.key);
    expect(held.map((res) => res.destroyed)).toEqual([true, true]);
    for (const answer of answers) {
      const reply = await answer;
      expect([reply.status, reply.headers.get("connection")]).toEqual([401, "close"]);
      expect(reply.headers.get("www-authenticate")).toContain("Bearer");
      expect(await reply.json()).toMatchObject({ code: "REVOKED" });
    }
  });

  it("are no matter of verification, which never learns when a call ends", async () => {
    const tenantId = await createTenant(1);
    const { key } = await createKey(tenantId, { concurrency: 1 });
    await using _held = await holdCalls([key]);
    const { json } = await app.call(serviceKey, "POST", "/v1/keys/verify", { key });
    expect(json).toMatchObject({ valid: true, limits: [] });
    const limits = await app.call(serviceKey, "GET", `/v1/tenants/${tenantId}/limits`);
    expect(limits.json).toMatchObject({ concurrency: 1 });
  });

  it("of one tenant leave the upstream open to every other", async () => {
    const [greedy, modest] = [await createTenant(), await createTenant()];
    const key = await createKey(greedy);
    await using _held = await holdCalls(Array.from({ length: PERMITS / 2 }, () => key.key));
    const refused = await call(key.key);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({ code: "CONCURRENCY_LIMITED" });
    const other = await createKey(modest);
    await using _others = await holdCalls(Array.from({ length: PERMITS / 4 - 1 }, () => other.key));
    expect((await call(other.key)).status).toBe(200);
  });
});
