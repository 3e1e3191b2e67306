import { createHash } from "node:crypto";
import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  hasProxy,
  type ProxyName,
  type ProxyProcess,
  startExampleProxy,
} from "@turnpike/testkit/proxy-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let folder: TempFolder;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
  app = await startTestApp(database, { configText: "trustedProxies: [127.0.0.1]\n" });
  operator = await app.mintServiceKey(["tenants:write", "catalog:write", "keys:write"]);
  const catalog = {
    meters: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
    plans: [
      { planId: "none", name: "None", quotas: [{ meter: "requests", limit: 0, kind: "hard" }] },
      {
        planId: "one-a-minute",
        name: "One",
        rateLimits: [{ name: "burst", limit: 1, windowSeconds: 60 }],
      },
    ],
  };
  expect((await app.call(operator, "PUT", "/v1/catalog", catalog)).status).toBe(200);
});
afterAll(async () => {
  await app.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

async function callsOf(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
  return row?.calls ?? 0;
}

async function change(tenantId: TenantId, input: object): Promise<void> {
  expect((await app.call(operator, "PATCH", `/v1/tenants/${tenantId}`, input)).status).toBe(200);
}

async function changeKey(
  tenantId: TenantId,
  keyId: string,
  change: object | "revoke",
): Promise<void> {
  const base = `/v1/tenants/${tenantId}/keys/${keyId}`;
  const reply =
    change === "revoke"
      ? await app.call(operator, "POST", `${base}/revoke`)
      : await app.call(operator, "PATCH", base, change);
  expect(reply.status).toBe(200);
}

for (const name of ["nginx", "caddy"] as const satisfies readonly ProxyName[]) {
  describe.skipIf(!hasProxy(name))(`behind ${name}, as examples/${name} sets it up`, () => {
    let proxy: ProxyProcess;
    beforeAll(async () => {
      proxy = await startExampleProxy(name, {
        folder: join(folder.path, name),
        turnpikePort: Number(new URL(app.url).port),
        upstreamPort: app.upstream.port,
      });
    });
    afterAll(() => proxy.stop());

    async function makeCaller(): Promise<{ tenantId: TenantId; key: string; keyId: string }> {
      const tenantId = await app.mintTenant(`Behind ${name}`);
      const reply = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, { name: "k" });
      expect(reply.status).toBe(201);
      return { tenantId, key: String(reply.json.key), keyId: String(reply.json.keyId) };
    }

    /** Asks until the answer has the code: a change is heard within a second. */
    async function denialWith(code: string, headers: Record<string, string>) {
      return await pollUntil(`the proxy answers ${code}`, async () => {
        const response = await fetch(`${proxy.url}/v1/maps`, { headers });
        const text = await response.text();
        return text.includes(`"code":"${code}"`) ? { response, json: JSON.parse(text) } : undefined;
      });
    }

    it("forwards an allowed call with identity, without the key, and counts it once", async () => {
      const { tenantId, key, keyId } = await makeCaller();
      const before = app.upstream.requests.length;
      const response = await fetch(`${proxy.url}/v1/maps?q=a%20b`, {
        method: "POST",
        headers: {
          "x-api-key": key,
          "x-turnpike-tenant": "forged",
          "x-turnpike-scopes": "everything",
          "x-forwarded-uri": "/forged",
        },
        body: "hello",
      });
      expect(response.status).toBe(200);
      const [seen] = app.upstream.requests.slice(before);
      expect(seen).toMatchObject({ method: "POST", target: "/v1/maps?q=a%20b" });
      expect(seen?.body.toString()).toBe("hello");
      expect(seen?.header("x-turnpike-tenant")).toBe(tenantId);
      expect(seen?.header("x-turnpike-key")).toBe(keyId);
      expect(seen?.header("x-turnpike-scopes")).toBe("-");
      expect(seen?.rawHeaders.join("\n")).not.toContain(key);
      expect(seen?.rawHeaders.filter((text) => text === "forged")).toEqual([]);
      await pollUntil("the call is committed", async () => (await callsOf(tenantId)) === 1);
      const [route] = await database.sql<{ route: string; method: string }[]>`
        select route, method from usage_rollups where tenant_id = ${tenantId}`;
      expect(route).toEqual({ route: "/v1/maps", method: "POST" });
    });

    it("takes a key in Authorization, and hands on an Authorization that holds none", async () => {
      const { tenantId, key } = await makeCaller();
      const imported = `acme_${tenantId}`;
      const rows = [{ hash: createHash("sha256").update(imported).digest("hex"), name: "old" }];
      await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys/import`, { rows });
      for (const [headers, expected] of [
        [{ authorization: `Bearer ${key}` }, undefined],
        [{ authorization: "Basic dTpw", "x-api-key": key }, "Basic dTpw"],
        [{ authorization: `bearer ${imported}`, "x-api-key": "" }, undefined],
        [{ authorization: "Bearer api's own", "x-api-key": imported }, "Bearer api's own"],
        [{ authorization: `Bearer ${key}`, "x-api-key": imported }, undefined],
      ] as const) {
        const before = app.upstream.requests.length;
        const response = await fetch(`${proxy.url}/v1/maps`, { headers });
        expect(response.status).toBe(200);
        const seen = app.upstream.requests[before];
        expect(seen?.header("authorization") || undefined).toBe(expected);
      }
    });

    it("answers 401 with the reason, for no key, a wrong one and each way that a key dies", async () => {
      const missing = await denialWith("MISSING_KEY", {});
      expect(missing.response.status).toBe(401);
      expect((await denialWith("NOT_FOUND", { "x-api-key": "nobody's" })).response.status).toBe(
        401,
      );
      const disabled = await makeCaller();
      await changeKey(disabled.tenantId, disabled.keyId, { disabled: true });
      const answer = await denialWith("DISABLED", { "x-api-key": disabled.key });
      expect(answer.response.status).toBe(401);
      expect(answer.response.headers.get("content-type")).toBe("application/problem+json");
      const expiring = await makeCaller();
      const expiresAt = new Date(Date.now() + 500).toISOString();
      await changeKey(expiring.tenantId, expiring.keyId, { expiresAt });
      expect((await denialWith("EXPIRED", { "x-api-key": expiring.key })).response.status).toBe(
        401,
      );
      const revoked = await makeCaller();
      await changeKey(revoked.tenantId, revoked.keyId, "revoke");
      expect((await denialWith("REVOKED", { "x-api-key": revoked.key })).response.status).toBe(401);
    });

    it("answers 403 for a suspended tenant or a foreign network and 429 for a used up limit, with Retry-After and CORS", async () => {
      const bound = await makeCaller();
      await changeKey(bound.tenantId, bound.keyId, { allowedNetworks: ["192.0.2.0/24"] });
      const elsewhere = await denialWith("FORBIDDEN_NETWORK", {
        "x-api-key": bound.key,
        "x-forwarded-for": "192.0.2.1",
      });
      expect(elsewhere.response.status).toBe(403);
      const suspended = await makeCaller();
      await change(suspended.tenantId, { suspended: true });
      const forbidden = await denialWith("TENANT_SUSPENDED", { "x-api-key": suspended.key });
      expect(forbidden.response.status).toBe(403);
      for (const [planId, code] of [
        ["none", "QUOTA_EXCEEDED"],
        ["one-a-minute", "RATE_LIMITED"],
      ] as const) {
        const { tenantId, key } = await makeCaller();
        await change(tenantId, { planId });
        const { response, json } = await denialWith(code, { "x-api-key": key });
        expect(response.status).toBe(429);
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(json).toMatchObject({ code, limit: { remaining: 0 } });
      }
    });

    it("lets a preflight pass to the API, which knows its own origins", async () => {
      const before = app.upstream.requests.length;
      const response = await fetch(`${proxy.url}/v1/maps`, {
        method: "OPTIONS",
        headers: { origin: "https://app.example.com", "access-control-request-method": "POST" },
      });
      expect(response.status).toBe(200);
      expect(app.upstream.requests[before]?.header("x-turnpike-tenant") ?? "-").toBe("-");
    });

    it("counts a denied call once, although nginx asks twice for its answer", async () => {
      const { tenantId, key, keyId } = await makeCaller();
      await changeKey(tenantId, keyId, { disabled: true });
      await denialWith("DISABLED", { "x-api-key": key });
      const settled = await pollUntil("usage is committed", async () => {
        const calls = await callsOf(tenantId);
        return calls > 0 ? calls : undefined;
      });
      await fetch(`${proxy.url}/v1/maps`, { headers: { "x-api-key": key } });
      await pollUntil("the next is", async () => (await callsOf(tenantId)) > settled);
      expect(await callsOf(tenantId)).toBe(settled + 1);
    });
  });
}
