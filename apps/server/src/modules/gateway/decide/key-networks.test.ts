import { KEY_NETWORKS_MAX } from "@turnpike/contract/keys";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database, { configText: "trustedProxies: [127.0.0.1]" });
  serviceKey = await app.mintServiceKey(["keys:verify", "keys:write", "keys:read"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

type BoundKey = { tenantId: TenantId; keyId: string; key: string; allowedNetworks: string[] };

async function createBoundKey(allowedNetworks: string[]): Promise<BoundKey> {
  const tenantId = await app.mintTenant("Acme");
  const path = `/v1/tenants/${tenantId}/keys`;
  const made = await app.call(serviceKey, "POST", path, { name: "Key", allowedNetworks });
  expect(made.status).toBe(201);
  return made.json as BoundKey;
}

async function throughGateway(key: string, forwardedFor: string): Promise<string> {
  const reply = await fetch(`${app.gatewayUrl}/x`, {
    headers: { "x-api-key": key, "x-forwarded-for": forwardedFor },
  });
  const text = await reply.text();
  return reply.status === 200 ? "VALID" : (JSON.parse(text) as { code: string }).code;
}

async function throughForwardAuth(key: string, forwardedFor: string): Promise<string> {
  const reply = await fetch(`${app.url}/v1/authorize/caddy`, {
    headers: {
      "x-api-key": key,
      "x-forwarded-for": forwardedFor,
      "x-forwarded-method": "GET",
      "x-forwarded-uri": "/x",
    },
  });
  const text = await reply.text();
  return reply.status === 200 ? "VALID" : (JSON.parse(text) as { code: string }).code;
}

async function throughVerify(key: string, address: string): Promise<string> {
  const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", { key, address });
  expect(reply.status).toBe(200);
  return reply.json.code;
}

describe("a key that is bound to networks", () => {
  it.each([
    ["the gateway", throughGateway],
    ["forward auth", throughForwardAuth],
    ["verification", throughVerify],
  ])("passes %s from inside its networks and nowhere else", async (_way, call) => {
    const { key } = await createBoundKey(["203.0.113.0/24", "2001:DB8::/32"]);
    expect(await call(key, "203.0.113.77")).toBe("VALID");
    expect(await call(key, "::ffff:203.0.113.77")).toBe("VALID");
    expect(await call(key, "2001:db8:1::1")).toBe("VALID");
    expect(await call(key, "203.0.114.77")).toBe("FORBIDDEN_NETWORK");
    expect(await call(key, "2001:db9::1")).toBe("FORBIDDEN_NETWORK");
  });

  it("is not fooled by what stands left of the first address that no trusted proxy wrote", async () => {
    const { key } = await createBoundKey(["203.0.113.0/24"]);
    expect(await throughGateway(key, "203.0.113.77, 198.51.100.9")).toBe("FORBIDDEN_NETWORK");
    expect(await throughGateway(key, "198.51.100.9, 203.0.113.77")).toBe("VALID");
    expect(await throughForwardAuth(key, "203.0.113.77, 198.51.100.9")).toBe("FORBIDDEN_NETWORK");
  });

  it("manages its tenant from inside its networks and nowhere else: a stolen one frees itself of nothing", async () => {
    const tenantId = await app.mintTenant("Acme");
    const path = `/v1/tenants/${tenantId}/keys`;
    const made = await app.call(serviceKey, "POST", path, {
      name: "Key",
      scopes: ["keys:read"],
      allowedNetworks: ["203.0.113.0/24"],
    });
    expect(made.status).toBe(201);
    const listFrom = async (forwardedFor: string) => {
      const reply = await fetch(`${app.url}${path}`, {
        headers: { authorization: `Bearer ${made.json.key}`, "x-forwarded-for": forwardedFor },
      });
      return { status: reply.status, json: await reply.json() };
    };
    expect(await listFrom("203.0.113.7")).toMatchObject({ status: 200 });
    const refused = { status: 403, json: { code: "FORBIDDEN_NETWORK" } };
    expect(await listFrom("198.51.100.9")).toMatchObject(refused);
    expect(await listFrom("203.0.113.7, 198.51.100.9")).toMatchObject(refused);
  });

  it("is refused by a verification that does not say where the call came from", async () => {
    const { key } = await createBoundKey(["203.0.113.0/24"]);
    const silent = await app.call(serviceKey, "POST", "/v1/keys/verify", { key });
    expect(silent.json).toMatchObject({ valid: false, code: "FORBIDDEN_NETWORK" });
    expect(silent.json.detail).toContain("address");
    const wrong = { key, address: "203.0.113.1:443" };
    expect((await app.call(serviceKey, "POST", "/v1/keys/verify", wrong)).json).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/address" }],
    });
  });

  it("follows a change of its networks within a second, on a running process", async () => {
    const { tenantId, keyId, key } = await createBoundKey(["203.0.113.0/24"]);
    expect(await throughVerify(key, "198.51.100.1")).toBe("FORBIDDEN_NETWORK");
    const path = `/v1/tenants/${tenantId}/keys/${keyId}`;
    const changed = await app.call(serviceKey, "PATCH", path, {
      allowedNetworks: ["198.51.100.1"],
    });
    expect(changed.json.allowedNetworks).toEqual(["198.51.100.1/32"]);
    await pollUntil(
      "the new networks are in force",
      async () => (await throughVerify(key, "198.51.100.1")) === "VALID",
      1_000,
    );
    expect(await throughVerify(key, "203.0.113.1")).toBe("FORBIDDEN_NETWORK");
    await app.call(serviceKey, "PATCH", path, { allowedNetworks: [] });
    await pollUntil(
      "the key is free",
      async () => (await throughVerify(key, "203.0.113.1")) === "VALID",
      1_000,
    );
  });

  it("keeps its networks when it is rolled, and when something else of it changes", async () => {
    const made = await createBoundKey(["10.1.2.3/8", "10.0.0.0/8", "192.0.2.7"]);
    expect(made.allowedNetworks).toEqual(["10.0.0.0/8", "192.0.2.7/32"]);
    const path = `/v1/tenants/${made.tenantId}/keys/${made.keyId}`;
    const renamed = await app.call(serviceKey, "PATCH", path, { name: "Other" });
    expect(renamed.json.allowedNetworks).toEqual(made.allowedNetworks);
    const rolled = await app.call(serviceKey, "POST", `${path}/roll`, { graceSeconds: 0 });
    expect(rolled.json.allowedNetworks).toEqual(made.allowedNetworks);
    expect(await throughVerify(rolled.json.key, "198.51.100.1")).toBe("FORBIDDEN_NETWORK");
  });

  it("cannot be made with what is no network, nor with more than are compared", async () => {
    const tenantId = await app.mintTenant("Acme");
    const path = `/v1/tenants/${tenantId}/keys`;
    const wrong = { name: "Key", allowedNetworks: ["10.0.0.0/8", "office", "10.0.0.0/33"] };
    const refused = await app.call(serviceKey, "POST", path, wrong);
    expect(refused).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
    expect(refused.json.errors.map((error: { pointer: string }) => error.pointer)).toEqual([
      "/allowedNetworks/1",
      "/allowedNetworks/2",
    ]);
    const many = Array.from({ length: KEY_NETWORKS_MAX + 1 }, (_, at) => `10.0.0.${String(at)}`);
    const tooMany = await app.call(serviceKey, "POST", path, { name: "K", allowedNetworks: many });
    expect(tooMany.json).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/allowedNetworks" }],
    });
  });

  it("cannot be changed without keys:write, nor from another tenant", async () => {
    const made = await createBoundKey(["10.0.0.0/8"]);
    const reader = await app.mintKey(made.tenantId, ["keys:read"]);
    const stranger = await app.mintKey(await app.mintTenant("Other"), ["keys:write"]);
    const path = `/v1/tenants/${made.tenantId}/keys/${made.keyId}`;
    const open = { allowedNetworks: [] };
    expect((await app.call(reader, "PATCH", path, open)).json.code).toBe("INSUFFICIENT_SCOPE");
    expect((await app.call(stranger, "PATCH", path, open)).json.code).toBe("RESOURCE_NOT_FOUND");
  });
});
