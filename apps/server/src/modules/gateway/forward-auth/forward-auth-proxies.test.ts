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
import { openRawConnection, sendRaw } from "@turnpike/testkit/raw-http";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

/** As many as a key may have, each as long as it may be: 13 kB. */
const MANY_SCOPES = Array.from({ length: 100 }, (_, at) =>
  [`noun${String(at)}`, "a", "b", "c"].map((word) => word.padEnd(32, "x")).join(":"),
);

let database: TestDatabase;
let folder: TempFolder;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
  app = await startTestApp(database, {
    configText: "trustedProxies: [127.0.0.1]\n",
    upstream: {
      onRequest: (_req, res) => {
        res.setHeader("RateLimit", '"own";r=1;t=1');
        return false;
      },
    },
  });
  // An API that would upgrade to anything that it is asked for.
  app.upstream.server.on(
    "upgrade",
    ({ headers: { upgrade, "x-turnpike-tenant": tenant } }, socket) => {
      const seen = `${String(upgrade)} ${String(tenant)}`;
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${String(upgrade)}\r\nConnection: Upgrade\r\nX-Seen: ${seen}\r\n\r\n`,
      );
      socket.pipe(socket).on("error", () => undefined);
    },
  );
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
      { planId: "many-scopes", name: "Many", scopes: MANY_SCOPES },
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

    /** Sends a call as written, with what `fetch` would not send. */
    function sendCall(lines: readonly string[], target = "/v1/maps") {
      const head = [`GET ${target} HTTP/1.1`, "Host: api.example.com", ...lines];
      const bytes = Buffer.from(`${head.join("\r\n")}\r\n\r\n`);
      return sendRaw({ port: Number(new URL(proxy.url).port), bytes });
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
        select route, method from usage_by_minute where tenant_id = ${tenantId}`;
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
      expect((await denialWith("INVALID_KEY", { "x-api-key": "unknown" })).response.status).toBe(
        401,
      );
      const disabled = await makeCaller();
      await changeKey(disabled.tenantId, disabled.keyId, { disabled: true });
      const answer = await denialWith("DISABLED", { "x-api-key": disabled.key });
      expect(answer.response.status).toBe(401);
      expect(answer.response.headers.get("content-type")).toBe("application/problem+json");
      const expiring = await makeCaller();
      const expiresAt = new Date(Date.now() + 5_000).toISOString();
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

    it("lets no caller take Turnpike's headers off by naming them in Connection", async () => {
      const { tenantId, key } = await makeCaller();
      for (const connection of [
        ["Connection: close, X-Turnpike-Tenant, x-turnpike-scopes"],
        ["Connection: close", "Connection: x-turnpike-tenant"],
      ]) {
        const before = app.upstream.requests.length;
        const { status } = await sendCall([`X-Api-Key: ${key}`, ...connection]);
        const tenants = app.upstream.requests
          .slice(before)
          .map((seen) => seen.header("x-turnpike-tenant"));
        // nginx sends a Connection of its own.
        expect([status, tenants]).toEqual(name === "nginx" ? [200, [tenantId]] : [400, []]);
      }
    });

    it("hands on no other X-Turnpike-* header of a caller", async () => {
      const { key } = await makeCaller();
      const before = app.upstream.requests.length;
      const headers = { "x-api-key": key, "x-turnpike-admin": "forged" };
      const response = await fetch(`${proxy.url}/v1/maps`, { headers });
      expect(response.status).toBe(name === "nginx" ? 400 : 200);
      for (const seen of app.upstream.requests.slice(before)) {
        expect(seen.header("x-turnpike-admin")).toBeUndefined();
      }
    });

    it("hands on as many scopes as a key may have", async () => {
      const tenantId = await app.mintTenant("Many scopes");
      await change(tenantId, { planId: "many-scopes" });
      const made = await pollUntil("the plan is in force", async () => {
        const body = { name: "k", scopes: MANY_SCOPES };
        const reply = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, body);
        return reply.status === 201 ? reply : undefined;
      });
      await pollUntil("its scopes are in effect", async () => {
        const headers = { "x-api-key": String(made.json.key) };
        expect((await fetch(`${proxy.url}/v1/maps`, { headers })).status).toBe(200);
        return app.upstream.requests.at(-1)?.header("x-turnpike-scopes") === MANY_SCOPES.join(" ");
      });
    });

    it("tells the API where a call comes from, not what the caller says of it", async () => {
      const { key } = await makeCaller();
      const before = app.upstream.requests.length;
      await sendCall([
        `X-Api-Key: ${key}`,
        "X-Forwarded-For: 192.0.2.1",
        "X-Forwarded-Host: forged.example.com",
        "X-Forwarded-Proto: https",
        "X-Real-IP: 192.0.2.1",
        "Forwarded: for=192.0.2.1;proto=https",
      ]);
      const [seen] = app.upstream.requests.slice(before);
      expect(seen?.header("x-forwarded-for")).toBe("127.0.0.1");
      expect(seen?.header("x-forwarded-host")).toBe("api.example.com");
      expect(seen?.header("x-forwarded-proto")).toBe("http");
      expect(seen?.rawHeaders.join("\n")).not.toMatch(/192\.0\.2\.1|https|forged/);
    });

    it("answers 400 with the reason for a call that can be read in two ways", async () => {
      const { key } = await makeCaller();
      const twice = await sendCall([`X-Api-Key: ${key}`, "X-Api-Key: other"]);
      expect(twice.status).toBe(400);
      expect(JSON.parse(twice.body.toString())).toMatchObject({ code: "MALFORMED_REQUEST" });
      // Caddy encodes a path before it asks.
      for (const target of name === "nginx" ? ["/caf\u00e9", "/a\\b", "/a#b"] : []) {
        const answer = await sendCall([`X-Api-Key: ${key}`], target);
        expect([target, answer.status]).toEqual([target, 400]);
        expect(JSON.parse(answer.body.toString())).toMatchObject({ code: "MALFORMED_REQUEST" });
      }
    });

    it("says on an allowed call what is left, in place of what the API says", async () => {
      const { key } = await makeCaller();
      const headers = { "x-api-key": key };
      const gateway = await fetch(`${app.gatewayUrl}/v1/maps`, { headers });
      const response = await fetch(`${proxy.url}/v1/maps`, { headers });
      const policy = String(response.headers.get("ratelimit-policy"));
      expect(policy).toContain('"requests";q=50000;w=');
      // Calls at once are counted where the end of a call is seen, which is only behind the gateway.
      expect(gateway.headers.get("ratelimit-policy")).toBe(
        `${policy}, "concurrency";q=20;qu="concurrent-requests"`,
      );
      expect(response.headers.get("ratelimit")).toMatch(/"requests";r=499\d\d;t=\d+$/);
    });

    it("joins a WebSocket, with identity, and upgrades to nothing else", async () => {
      const { tenantId, key } = await makeCaller();
      const connection = await openRawConnection(Number(new URL(proxy.url).port));
      connection.write(
        `GET /socket HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n`,
      );
      const accepted = await connection.readResponse();
      expect(accepted.status).toBe(101);
      expect(accepted.headers.get("x-seen")).toEqual([`websocket ${tenantId}`]);
      connection.write("hello");
      expect(await connection.readUntil("hello")).toBe("hello");
      connection.destroy();
      for (const upgrade of [
        ["Upgrade: h2c"],
        ["Upgrade: h2c, websocket"],
        ["Upgrade: h2c", "Upgrade: x"],
      ]) {
        const before = app.upstream.requests.length;
        const answer = await sendCall([`X-Api-Key: ${key}`, "Connection: Upgrade", ...upgrade]);
        expect(answer.status).toBe(200);
        expect(app.upstream.requests[before]?.header("upgrade")).toBeUndefined();
      }
    });
  });
}

describe.skipIf(!hasProxy("nginx"))("examples/nginx for large bodies", () => {
  const inLocation = (config: string) =>
    config
      .replace(/client_max_body_size 100m;/, "")
      .replace("location / {", "location / { client_max_body_size 4m;");

  it.each([
    ["as it is", "server", undefined],
    ["with the bound in the location of the calls", "location", inLocation],
  ])("takes bodies of more than nginx's own megabyte, %s", async (_, place, edit) => {
    const proxy = await startExampleProxy("nginx", {
      folder: join(folder.path, `large-${place}`),
      turnpikePort: Number(new URL(app.url).port),
      upstreamPort: app.upstream.port,
      ...(edit === undefined ? {} : { edit }),
    });
    onTestFinished(() => proxy.stop());
    const key = await app.mintKey(await app.mintTenant("Large"), []);
    const body = Buffer.alloc(2_000_000);
    const send = (headers: Record<string, string>) =>
      fetch(`${proxy.url}/v1/maps`, { method: "POST", headers, body });
    expect((await send({ "x-api-key": key })).status).toBe(200);
    expect(app.upstream.requests.at(-1)?.body.length).toBe(body.length);
    expect((await send({})).status).toBe(401);
  });
});
