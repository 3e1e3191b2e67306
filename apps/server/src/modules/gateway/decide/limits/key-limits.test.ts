import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reconcile } from "#modules/metering/index.ts";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  serviceKey = await app.mintServiceKey(["keys:verify", "keys:write", "keys:read", "usage:read"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

type LimitedKey = { tenantId: TenantId; keyId: string; key: string; path: string };

async function createLimitedKey(limits: object, tenantId?: TenantId): Promise<LimitedKey> {
  const owner = tenantId ?? (await app.mintTenant("Acme"));
  const body = { name: "Key", ...limits };
  const made = await app.call(serviceKey, "POST", `/v1/tenants/${owner}/keys`, body);
  expect(made).toMatchObject({ status: 201, json: limits });
  const { keyId, key } = made.json;
  return { tenantId: owner, keyId, key, path: `/v1/tenants/${owner}/keys/${keyId}` };
}

async function verify(key: string, cost = 1) {
  const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", { key, cost });
  expect(reply.status).toBe(200);
  return reply.json;
}

const RATE = { name: "per-second", limit: 3, windowSeconds: 3_600 };

describe("rate limits and quotas of a key", () => {
  it("refuse a key at its own limit, while other keys of the tenant go on", async () => {
    const small = await createLimitedKey({ quotas: [{ meter: "requests", limit: 5 }] });
    const other = await createLimitedKey({}, small.tenantId);
    expect(await verify(small.key, 4)).toMatchObject({ valid: true });
    const refused = await verify(small.key, 2);
    expect(refused).toMatchObject({ valid: false, code: "QUOTA_EXCEEDED" });
    expect(refused.limits).toContainEqual(
      expect.objectContaining({ name: "requests", scope: "key", limit: 5, remaining: 1 }),
    );
    expect(refused.limits).toContainEqual(
      expect.objectContaining({ name: "requests", scope: "tenant", remaining: 49_996 }),
    );
    expect(await verify(other.key, 100)).toMatchObject({ valid: true });
    expect(await verify(small.key, 1)).toMatchObject({ valid: true });
    expect(await verify(small.key, 0)).toMatchObject({ valid: false, code: "QUOTA_EXCEEDED" });
  });

  it("are in force when they go back to what they were, after more was used under another", async () => {
    const quota = (limit: number) => ({ quotas: [{ meter: "requests", limit }] });
    const { key, path } = await createLimitedKey(quota(100));
    expect(await verify(key, 1)).toMatchObject({ valid: true });
    for (const between of [{ quotas: [] }, quota(1_000)]) {
      await app.call(serviceKey, "PATCH", path, between);
      await pollUntil("more is allowed", async () => (await verify(key, 150)).valid);
      await app.call(serviceKey, "PATCH", path, quota(100));
      await pollUntil("the quota is back", async () => !(await verify(key, 0)).valid);
      expect(await verify(key, 1)).toMatchObject({ valid: false, code: "QUOTA_EXCEEDED" });
    }
  });

  it("hold nothing of the tenant's for a call that the key may not make", async () => {
    const { key, tenantId } = await createLimitedKey({
      quotas: [{ meter: "requests", limit: 10 }],
    });
    for (const cost of [50_000, 60_000, 11]) {
      expect(await verify(key, cost)).toMatchObject({ valid: false, code: "QUOTA_EXCEEDED" });
    }
    const [held] = await database.sql<{ units: number }[]>`
      select coalesce(sum(remaining), 0)::int as units from leases where tenant_id = ${tenantId}`;
    // A slice for the next caller, and five seconds of calls like the last, for which the tenant's slice had room.
    expect(held?.units).toBeLessThanOrEqual(100);
  });

  it("appear with name and scope in the gateway's headers, allowed and denied", async () => {
    const { key } = await createLimitedKey({ rateLimits: [RATE] });
    const call = () => fetch(`${app.gatewayUrl}/x`, { headers: { "x-api-key": key } });
    const allowed = await call();
    expect(allowed.headers.get("ratelimit-policy")).toMatch(
      /^"per-second";q=10;w=1, "key:per-second";q=3;w=3600, "requests";q=50000;w=\d+, "concurrency";/,
    );
    expect(allowed.headers.get("ratelimit")).toContain('"key:per-second";r=2;');
    await call();
    await call();
    const denied = await call();
    expect(denied.status).toBe(429);
    expect(Number(denied.headers.get("retry-after"))).toBeGreaterThan(1_000);
    expect(denied.headers.get("ratelimit")).toMatch(/^"key:per-second";r=0;t=\d+$/);
    const problem = (await denied.json()) as Record<string, unknown>;
    expect(problem).toMatchObject({
      code: "RATE_LIMITED",
      limit: { name: "per-second", scope: "key", limit: 3, remaining: 0 },
    });
    // No other plan would change what the tenant gave its key.
    expect(problem).not.toHaveProperty("upgradeUrl");
  });

  it("are distinct in the headers, even where a quota and a rate limit have one name", async () => {
    const { key } = await createLimitedKey({
      rateLimits: [{ name: "requests", limit: 10, windowSeconds: 3_600 }],
      quotas: [{ meter: "requests", limit: 1 }],
    });
    const call = () => fetch(`${app.gatewayUrl}/x`, { headers: { "x-api-key": key } });
    const namesIn = (header: string | null) => header?.match(/"[^"]+"/g);
    const { headers } = await call();
    const names = ['"per-second"', '"key:requests"', '"requests"', '"key:quota:requests"'];
    const atOnce = '"concurrency"';
    const policy = namesIn(headers.get("ratelimit-policy"));
    expect(policy).toEqual([...names, atOnce, '"concurrent-requests"']);
    expect(namesIn(headers.get("ratelimit"))).toEqual([...names, atOnce]);
    const denied = await call();
    expect(denied.headers.get("ratelimit")).toMatch(/^"key:quota:requests";r=0;t=\d+$/);
    expect(await denied.json()).toMatchObject({ limit: { name: "requests", scope: "key" } });
  });

  it("are shared by a key and those it is rolled to, so that rolling resets nothing", async () => {
    const limits = { rateLimits: [RATE], quotas: [{ meter: "requests", limit: 10 }] };
    const first = await createLimitedKey(limits);
    expect(await verify(first.key, 6)).toMatchObject({ valid: true });
    const roll = { graceSeconds: 3_600 };
    const second = (await app.call(serviceKey, "POST", `${first.path}/roll`, roll)).json;
    expect(second).toMatchObject(limits);
    expect(await verify(second.key, 5)).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await verify(second.key, 3)).toMatchObject({ valid: true });
    expect(await verify(first.key, 1)).toMatchObject({ valid: true });
    expect(await verify(second.key, 1)).toMatchObject({ code: "RATE_LIMITED" });
  });

  it("are in force within a second of a change, and what was used before counts", async () => {
    const { key, path } = await createLimitedKey({});
    expect(await verify(key, 20)).toMatchObject({ valid: true });
    const change = { quotas: [{ meter: "requests", limit: 15 }] };
    expect((await app.call(serviceKey, "PATCH", path, change)).json).toMatchObject(change);
    await pollUntil(
      "the quota is in force",
      async () => (await verify(key, 0)).code === "QUOTA_EXCEEDED",
      1_000,
    );
    await app.call(serviceKey, "PATCH", path, { quotas: [{ meter: "requests", limit: 22 }] });
    await pollUntil("the quota is raised", async () => (await verify(key, 0)).valid);
    expect(await verify(key, 3)).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await verify(key, 2)).toMatchObject({ valid: true });
    await app.call(serviceKey, "PATCH", path, { quotas: [] });
    await pollUntil("the quota is gone", async () => (await verify(key, 0)).valid);
  });

  it("count what was used before for a lock, too, that is settled right after the first quota was given", async () => {
    const { key, path } = await createLimitedKey({});
    expect(await verify(key, 20)).toMatchObject({ valid: true });
    const body = { key, cost: 5, lock: {} };
    const { lock } = (await app.call(serviceKey, "POST", "/v1/keys/verify", body)).json;
    await app.call(serviceKey, "PATCH", path, { quotas: [{ meter: "requests", limit: 30 }] });
    const settle = (cost: number) =>
      app.call(serviceKey, "POST", `/v1/locks/${lock.lockId}/settle`, { cost });
    expect(await settle(11)).toMatchObject({
      status: 409,
      json: { code: "LOCK_EXCEEDED", reserved: 5, costMax: 10 },
    });
    expect(await settle(10)).toMatchObject({ status: 200 });
    expect(await verify(key, 1)).toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  it("are known before the first call of a key that was created with one, by any creator", async () => {
    const limits = { quotas: [{ meter: "requests", limit: 5 }] };
    const byOperator = await createLimitedKey(limits);
    const owner = await app.mintKey(byOperator.tenantId, ["keys:write"]);
    const made = await app.call(owner, "POST", `/v1/tenants/${byOperator.tenantId}/keys`, {
      name: "Key",
      ...limits,
    });
    const free = await createLimitedKey({}, byOperator.tenantId);
    // A key that follows another in its line is none of its own.
    const rolled = await app.call(serviceKey, "POST", `${byOperator.path}/roll`, {
      graceSeconds: 0,
    });
    expect([made.status, rolled.status]).toEqual([201, 201]);
    const rows = await database.sql<{ key_id: string }[]>`
      select key_id from limited_keys where tenant_id = ${byOperator.tenantId}`;
    const limited = new Set(rows.map((row) => row.key_id));
    expect(limited).toEqual(new Set([byOperator.keyId, made.json.keyId]));
    expect(limited).not.toContain(free.keyId);
  });

  it("stay as they are when something else of the key changes, and stand in the audit trail", async () => {
    const limits = { rateLimits: [RATE], quotas: [{ meter: "requests", limit: 10 }] };
    const { path, tenantId } = await createLimitedKey(limits);
    expect((await app.call(serviceKey, "PATCH", path, { name: "Other" })).json).toMatchObject(
      limits,
    );
    await app.call(serviceKey, "PATCH", path, { quotas: [], rateLimits: [] });
    const rows = await database.sql<{ details: Record<string, unknown> }[]>`
      select details from audit_entries where tenant_id = ${tenantId} and action = 'key.updated'
      order by audit_id desc limit 1`;
    expect(rows[0]?.details).toEqual({
      name: "Other",
      rateLimits: [limits.rateLimits, []],
      quotas: [limits.quotas, []],
    });
  });

  it.each([
    ["a meter that does not exist", { quotas: [{ meter: "gold", limit: 1 }] }, "/quotas/0/meter"],
    [
      "a meter twice",
      {
        quotas: [
          { meter: "requests", limit: 1 },
          { meter: "requests", limit: 2 },
        ],
      },
      "/quotas",
    ],
    ["a negative quota", { quotas: [{ meter: "requests", limit: -1 }] }, "/quotas/0/limit"],
    [
      "a window of a month",
      { rateLimits: [{ ...RATE, windowSeconds: 2_678_400 }] },
      "/rateLimits/0/windowSeconds",
    ],
    ["a name twice", { rateLimits: [RATE, RATE] }, "/rateLimits"],
    [
      "six of them",
      { rateLimits: Array.from({ length: 6 }, (_, at) => ({ ...RATE, name: `r${String(at)}` })) },
      "/rateLimits",
    ],
  ])("cannot be %s", async (_what, limits, pointer) => {
    const { tenantId, path } = await createLimitedKey({});
    const create = { name: "Key", ...limits };
    for (const reply of [
      await app.call(serviceKey, "POST", `/v1/tenants/${tenantId}/keys`, create),
      await app.call(serviceKey, "PATCH", path, limits),
    ]) {
      expect(reply).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
      expect(reply.json.errors[0].pointer).toBe(pointer);
    }
  });

  it("cannot be changed without keys:write, nor from another tenant", async () => {
    const limited = await createLimitedKey({ rateLimits: [RATE] });
    const reader = await app.mintKey(limited.tenantId, ["keys:read"]);
    const stranger = await app.mintKey(await app.mintTenant("Other"), ["keys:write"]);
    const open = { rateLimits: [] };
    expect((await app.call(reader, "PATCH", limited.path, open)).json.code).toBe(
      "INSUFFICIENT_SCOPE",
    );
    expect((await app.call(stranger, "PATCH", limited.path, open)).json.code).toBe(
      "RESOURCE_NOT_FOUND",
    );
  });

  it("leave no drift between the ledger and the balances of keys", async () => {
    await pollUntil("everything is committed", async () => {
      const { drift } = await reconcile(app.services, OPERATOR_CONTEXT);
      return drift === 0;
    });
    const [row] = await database.sql<{ balances: number }[]>`
      select count(*)::int as balances from usage_of_keys where used > 0`;
    expect(row?.balances).toBeGreaterThan(3);
  });
});
