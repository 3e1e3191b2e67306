import type { TenantId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function upload(app: TestApp, key: string, tenantId: TenantId, bytes: number) {
  const reply = await fetch(`${app.url}/v1/tenants/${tenantId}/files?name=a.txt`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "text/plain" },
    body: "x".repeat(bytes),
  });
  const { code } = (await reply.json()) as { code?: string };
  return { status: reply.status, code };
}

describe("the quotas of a tenant", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(database, {
      configText:
        "storage: { tenantFilesMegabytes: 1, tenantDocumentsMegabytes: 1, tenantChangesPerDay: 12, reserveMegabytes: 0 }",
    });
  });
  afterAll(() => app.close());

  async function openTenant() {
    const tenantId = await app.mintTenant("Full");
    const scopes = [
      "documents:write",
      "files:write",
      "keys:write",
      "keys:read",
      "proposals:write",
    ] as const;
    return { tenantId, key: await app.mintKey(tenantId, scopes) };
  }

  it("refuse a file that does not fit, also of several at once, and take one that does", async () => {
    const { tenantId, key } = await openTenant();
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => upload(app, key, tenantId, 400_000)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.code).toBe("STORAGE_QUOTA_REACHED");
    expect((await upload(app, key, tenantId, 100_000)).status).toBe(201);
  });

  it("refuse documents beyond their bytes, until some are deleted", async () => {
    const { tenantId, key } = await openTenant();
    const path = (index: number) => `/v1/tenants/${tenantId}/documents/big/d${String(index)}`;
    // Random, because the database compresses what it stores.
    const body = () => ({
      text: Array.from({ length: 6_000 }, () => Math.random().toString(36).slice(2, 10)).join(""),
    });
    const statuses: number[] = [];
    for (let index = 0; statuses.at(-1) !== 409 && index < 60; index += 1) {
      statuses.push((await app.call(key, "PUT", path(index), { body: body() })).status);
    }
    expect(statuses.slice(0, -1).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(409);
    expect(statuses.length).toBeGreaterThan(20);
    expect((await app.call(key, "DELETE", path(0))).status).toBe(204);
    expect((await app.call(key, "DELETE", path(1))).status).toBe(204);
    expect((await app.call(key, "PUT", path(99), { body: {} })).status).toBe(200);
  });

  it("end its changes for the day, but never those that take something away, nor another tenant's", async () => {
    const { tenantId, key } = await openTenant();
    const create = (path: string, credential: string) =>
      app.call(credential, "POST", path, { name: "More" });
    const keys: string[] = [];
    let refused: string | undefined;
    for (let count = 0; refused === undefined && count < 30; count += 1) {
      const reply = await create(`/v1/tenants/${tenantId}/keys`, key);
      if (reply.status === 201) {
        keys.push(reply.json.keyId);
      } else {
        refused = reply.json.code;
      }
    }
    expect(refused).toBe("STORAGE_QUOTA_REACHED");
    expect(keys.length).toBeGreaterThan(5);
    // An agent stores as much as a program that calls the API.
    const proposed = await fetch(`${app.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "propose_spend_cap", arguments: { amount: "1.00", reason: "More" } },
      }),
    });
    expect(await proposed.text()).toContain("(STORAGE_QUOTA_REACHED)");
    const revoked = await app.call(
      key,
      "POST",
      `/v1/tenants/${tenantId}/keys/${keys[0] ?? ""}/revoke`,
      {},
    );
    expect(revoked.status).toBe(200);
    const path = `/v1/tenants/${tenantId}/keys/${keys[1] ?? ""}`;
    const renames: number[] = [];
    for (let count = 0; renames.at(-1) !== 409 && count < 40; count += 1) {
      renames.push((await app.call(key, "PATCH", path, { name: `Name ${String(count)}` })).status);
    }
    // Changes that may take something away go on for as many again.
    expect(renames.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(renames.at(-1)).toBe(409);
    expect((await app.call(key, "POST", `${path}/revoke`, {})).status).toBe(200);
    const other = await openTenant();
    expect((await create(`/v1/tenants/${other.tenantId}/keys`, other.key)).status).toBe(201);
    // A stranger hears that it does not exist, not that it is full.
    expect((await create(`/v1/tenants/${tenantId}/keys`, other.key)).status).toBe(404);
  });
});

describe("a disk at its reserve", () => {
  it("takes nothing more for tenants, shows in health, and goes on to verify, meter and revoke", async () => {
    const app = await startTestApp(database, {
      configText: "storage: { reserveMegabytes: 900000000 }",
    });
    try {
      const tenantId = await app.mintTenant("Late");
      const key = await app.mintKey(tenantId, ["documents:write", "files:write", "keys:write"]);
      const path = `/v1/tenants/${tenantId}/documents/notes/one`;
      await expect
        .poll(async () => (await app.call(undefined, "GET", "/health/ready")).json)
        .toMatchObject({ status: "degraded", parts: { storage: { status: "degraded" } } });
      const written = await app.call(key, "PUT", path, { body: {} });
      expect(written).toMatchObject({ status: 507, json: { code: "STORAGE_FULL" } });
      expect(await upload(app, key, tenantId, 10)).toEqual({
        status: 507,
        code: "STORAGE_FULL",
      });
      const service = await app.mintServiceKey(["keys:verify"]);
      const verified = await app.call(service, "POST", "/v1/keys/verify", { key });
      expect(verified.json.valid).toBe(true);
      const called = await fetch(app.gatewayUrl, { headers: { authorization: `Bearer ${key}` } });
      expect(called.status).toBe(200);
      await called.body?.cancel();
    } finally {
      await app.close();
    }
  });
});

describe("a change of many keys", () => {
  it("takes as much from the budget of its sender as it names keys", async () => {
    const app = await startTestApp(database, { configText: "api: { writesPerMinute: 20 }" });
    try {
      const tenantId = await app.mintTenant("Many");
      const key = await app.mintKey(tenantId, ["keys:write"]);
      const keyIds = Array.from({ length: 500 }, () => newUuidId("key"));
      const change = { action: "disable" };
      const path = `/v1/tenants/${tenantId}/keys/bulk`;
      const first = await app.call(key, "POST", path, { keyIds, change });
      expect(first).toMatchObject({ status: 200, json: { refused: 500 } });
      const next = await app.call(key, "POST", path, { keyIds: keyIds.slice(0, 1), change });
      expect(next).toMatchObject({ status: 429, json: { code: "TOO_MANY_WRITES" } });
    } finally {
      await app.close();
    }
  });
});
