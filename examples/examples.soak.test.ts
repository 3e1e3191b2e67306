import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Customer,
  type ExamplesWorld,
  openExamplesWorld,
  type RunningExample,
} from "./examples-world.fixture.ts";

let world: ExamplesWorld;

beforeAll(async () => {
  world = await openExamplesWorld();
});
afterAll(async () => {
  await world.close();
});

const makeCustomer = (key: object = {}) => world.makeCustomer(key);
const usageOf = (customer: Customer) => world.usageOf(customer);
const startExample = (name: string) => world.startExample(name);
const verify = (...args: Parameters<ExamplesWorld["verify"]>) => world.verify(...args);

async function changeTenant({ tenantId }: Customer, input: object): Promise<void> {
  const path = `/v1/tenants/${tenantId}`;
  expect((await world.app.call(world.operator, "PATCH", path, input)).status).toBe(200);
}

async function changeKey({ tenantId, keyId }: Customer, input: object): Promise<void> {
  const path = `/v1/tenants/${tenantId}/keys/${keyId}`;
  expect((await world.app.call(world.operator, "PATCH", path, input)).status).toBe(200);
}

async function revoke({ tenantId, keyId }: Customer): Promise<void> {
  const path = `/v1/tenants/${tenantId}/keys/${keyId}/revoke`;
  expect((await world.app.call(world.operator, "POST", path)).status).toBe(200);
}

for (const name of ["express", "fastify", "hono", "next"]) {
  describe(`examples/${name}`, () => {
    let example: RunningExample;
    beforeAll(async () => {
      example = await startExample(name);
    });
    afterAll(async () => {
      example.program.kill("SIGTERM");
      await example.program.ended;
    });

    async function call(
      headers: Record<string, string>,
      { method = "GET", path = "/v1/whoami" } = {},
    ) {
      const response = await fetch(`${example.url}${path}`, { method, headers });
      const text = await response.text();
      return { response, text, json: text === "" ? undefined : JSON.parse(text) };
    }

    /** Asks until the answer has the code: a change is heard within a second. */
    async function denialWith(code: string, headers: Record<string, string>) {
      return await pollUntil(`${name} answers ${code}`, async () => {
        const answer = await call(headers);
        return answer.json?.code === code ? answer : undefined;
      });
    }

    it("lets an allowed call in, says who calls, hides the key, and meters it once", async () => {
      const customer = await makeCustomer({ metadata: { team: "maps" } });
      const { response, json, text } = await call({
        "x-api-key": customer.key,
        "x-turnpike-tenant": "forged",
        x_turnpike_scopes: "forged",
        "x-other": "kept",
      });
      expect(response.status).toBe(200);
      expect(json.caller).toEqual({
        tenant: customer.tenantId,
        key: customer.keyId,
        plan: expect.any(String),
        environment: "live",
        scopes: [],
        metadata: { team: "maps" },
        isVerified: true,
      });
      expect(text).not.toContain(customer.key);
      expect(text).not.toContain("forged");
      expect(json.headers["x-other"]).toBe("kept");
      await pollUntil("the call is committed", async () => (await usageOf(customer)).calls === 1);
      expect(await usageOf(customer)).toEqual({ calls: 1, units: 1 });
    });

    it("takes a key in Authorization, and leaves an Authorization that holds none", async () => {
      const { key } = await makeCustomer();
      const asBearer = await call({ authorization: `Bearer ${key}` });
      expect(asBearer.response.status).toBe(200);
      expect(asBearer.json.headers.authorization).toBeUndefined();
      const beside = await call({ authorization: "Basic dTpw", "x-api-key": key });
      expect(beside.json.headers.authorization).toBe("Basic dTpw");
    });

    it("answers 401 for no key, a wrong one, one far too long, and each way that a key dies", async () => {
      expect((await denialWith("MISSING_KEY", {})).response.status).toBe(401);
      for (const wrong of ["nobodys", "k".repeat(5_000)]) {
        const { response } = await denialWith("INVALID_KEY", { "x-api-key": wrong });
        expect(response.status).toBe(401);
      }
      const disabled = await makeCustomer();
      await changeKey(disabled, { disabled: true });
      expect((await denialWith("DISABLED", { "x-api-key": disabled.key })).response.status).toBe(
        401,
      );
      const revoked = await makeCustomer();
      expect((await call({ "x-api-key": revoked.key })).response.status).toBe(200);
      await revoke(revoked);
      expect((await denialWith("REVOKED", { "x-api-key": revoked.key })).response.status).toBe(401);
      const expiring = await makeCustomer({
        expiresAt: new Date(Date.now() + 1_500).toISOString(),
      });
      expect((await denialWith("EXPIRED", { "x-api-key": expiring.key })).response.status).toBe(
        401,
      );
    });

    it("answers 403 for a suspended tenant, and for a key of another network", async () => {
      const suspended = await makeCustomer();
      await changeTenant(suspended, { suspended: true });
      const { response } = await denialWith("TENANT_SUSPENDED", { "x-api-key": suspended.key });
      expect(response.status).toBe(403);
      const elsewhere = await makeCustomer({ allowedNetworks: ["192.0.2.0/24"] });
      const denied = await denialWith("FORBIDDEN_NETWORK", { "x-api-key": elsewhere.key });
      expect(denied.response.status).toBe(403);
    });

    // Next knows no addresses: a key that is bound to networks is refused there.
    const knowsCallers = name !== "next";
    const ownNetwork = knowsCallers
      ? "lets a key of this network in"
      : "refuses a key that is bound to networks, as route handlers get no address";
    it(ownNetwork, async () => {
      const { key } = await makeCustomer({ allowedNetworks: ["127.0.0.0/8"] });
      expect((await call({ "x-api-key": key })).response.status).toBe(knowsCallers ? 200 : 403);
    });

    it("takes what a route costs of a key with its scope, and answers 403 without it", async () => {
      const tiles = { path: "/v1/tiles?count=7" };
      const allowed = await makeCustomer();
      await changeTenant(allowed, { planId: "all" });
      await pollUntil("the plan is known", async () => {
        const input = { scopes: ["tiles:read"] };
        const path = `/v1/tenants/${allowed.tenantId}/keys/${allowed.keyId}`;
        return (await world.app.call(world.operator, "PATCH", path, input)).status === 200;
      });
      await pollUntil("the scope is known", async () => {
        const input = { key: allowed.key, cost: 0, scopes: "tiles:read" };
        return (
          (await world.app.call(world.serviceKey, "POST", "/v1/keys/verify", input)).json.valid ===
          true
        );
      });
      const answer = await call({ "x-api-key": allowed.key }, tiles);
      expect([answer.response.status, answer.json]).toEqual([200, { tiles: 7 }]);
      await pollUntil("it is committed", async () => (await usageOf(allowed)).calls === 1);
      expect(await usageOf(allowed)).toEqual({ calls: 1, units: 7 });
      const [route] = await world.database.sql<{ route: string }[]>`
        select route from usage_by_minute where tenant_id = ${allowed.tenantId}`;
      expect(route?.route).toBe("/v1/tiles");
      const { key } = await makeCustomer();
      const denied = await call({ "x-api-key": key }, tiles);
      expect(denied.response.status).toBe(403);
      expect(denied.json).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
        missingScopes: ["tiles:read"],
      });
    });

    it("answers 429 as the gateway does: problem document, Retry-After, RateLimit fields, CORS", async () => {
      for (const [planId, code, limit] of [
        ["none", "QUOTA_EXCEEDED", "requests"],
        ["two-a-minute", "RATE_LIMITED", "burst"],
      ] as const) {
        const customer = await makeCustomer();
        await changeTenant(customer, { planId });
        const { response, json } = await denialWith(code, { "x-api-key": customer.key });
        const { headers } = response;
        expect(response.status).toBe(429);
        expect(headers.get("content-type")).toBe("application/problem+json");
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        expect(headers.get("ratelimit")).toMatch(new RegExp(`^"${limit}";r=0;t=\\d+$`));
        expect(headers.get("ratelimit-policy")).toMatch(new RegExp(`^"${limit}";q=\\d`));
        expect(headers.get("access-control-allow-origin")).toBe("*");
        expect(headers.get("access-control-expose-headers")).toContain("Retry-After");
        const gateway = await fetch(`${world.app.gatewayUrl}/v1/maps`, {
          headers: { "x-api-key": customer.key },
        });
        const theirs = (await gateway.json()) as Record<string, unknown>;
        const { requestId, resetAt, type, upgradeUrl, ...ours } = json;
        expect(theirs).toMatchObject(ours);
        expect(Object.keys(json).sort()).toEqual(Object.keys(theirs).sort());
        expect(String(type).split("/").at(-1)).toBe(String(theirs["type"]).split("/").at(-1));
        expect(String(upgradeUrl)).toMatch(/\/plans$/);
        expect(Date.parse(resetAt)).toBeGreaterThan(Date.now());
        expect(requestId).not.toBe("");
      }
    });

    it("meters a denied call as one that takes nothing", async () => {
      const customer = await makeCustomer();
      await changeKey(customer, { disabled: true });
      await denialWith("DISABLED", { "x-api-key": customer.key });
      await pollUntil("it is committed", async () => (await usageOf(customer)).calls > 0);
      const before = await usageOf(customer);
      await call({ "x-api-key": customer.key });
      await pollUntil("the next is", async () => (await usageOf(customer)).calls > before.calls);
      expect(await usageOf(customer)).toEqual({ calls: before.calls + 1, units: before.units });
    });

    it("lets a preflight pass without a key", async () => {
      const { response } = await call(
        { origin: "https://app.example.com", "access-control-request-method": "POST" },
        { method: "OPTIONS" },
      );
      expect(response.status).toBeLessThan(300);
    });

    // The others leave CORS to middleware of the program.
    if (name === "next") {
      it("lets a page of any origin send JSON and read the answer", async () => {
        const origin = "https://app.example.com";
        const { response: preflight } = await call(
          {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type,x-api-key",
          },
          { method: "OPTIONS" },
        );
        const allowed = String(preflight.headers.get("access-control-allow-headers")).split(", ");
        expect(allowed).toEqual(expect.arrayContaining(["content-type", "x-api-key"]));
        const { key } = await makeCustomer();
        for (const method of ["GET", "POST"]) {
          const { response } = await call({ origin, "x-api-key": key }, { method });
          expect(response.status).toBe(200);
          expect(response.headers.get("access-control-allow-origin")).toBe("*");
        }
      });
    }

    it("asks for a key on a guarded route that is called with OPTIONS alone", async () => {
      // In Next OPTIONS is a handler of its own.
      const { response } = await call({}, { method: name === "next" ? "GET" : "OPTIONS" });
      expect(response.status).toBe(401);
    });
  });
}

describe("examples/curl", () => {
  it("ends with 0 for a valid key and meters it once, and with 1 for one that is not", async () => {
    const customer = await makeCustomer();
    expect(await verify(customer.key, { cost: 0 })).toMatchObject({
      code: 0,
      json: { valid: true },
    });
    expect(await verify(customer.key, { cost: 3 })).toMatchObject({
      code: 0,
      json: { code: "VALID", tenantId: customer.tenantId },
    });
    await pollUntil("it is committed", async () => (await usageOf(customer)).calls > 0);
    expect(await usageOf(customer)).toEqual({ calls: 1, units: 3 });
    expect(await verify("nobodys")).toMatchObject({ code: 1, json: { code: "INVALID_KEY" } });
  });

  it("ends with 1 for a key that is not valid, also when its own metadata says otherwise", async () => {
    const customer = await makeCustomer({ metadata: { valid: true } });
    await revoke(customer);
    const refused = await pollUntil("the key is known as revoked", async () => {
      const answer = await verify(customer.key, { cost: 0 });
      return answer.json?.code === "REVOKED" ? answer : undefined;
    });
    expect(refused).toMatchObject({ code: 1, json: { valid: false, metadata: { valid: true } } });
  });

  it("takes a key that was made elsewhere and imported by its hash", async () => {
    const { tenantId } = await makeCustomer();
    const key = `acme:${tenantId}/a+b~c.d-e==`;
    const rows = [{ hash: createHash("sha256").update(key).digest("hex"), name: "old" }];
    const path = `/v1/tenants/${tenantId}/keys/import`;
    expect((await world.app.call(world.operator, "POST", path, { rows })).status).toBe(200);
    expect(await verify(key, { cost: 0 })).toMatchObject({ code: 0, json: { valid: true } });
  });

  it.each([
    [301, ""],
    [302, '{"message":"Sign in"}'],
    [200, "<html>Sign in</html>"],
    [200, '{"message":"Back soon"}'],
  ])(
    "ends with 2 when something else answers in Turnpike's place, by %i and %j",
    async (status, body) => {
      const server = createServer((_request, response) => {
        response.writeHead(status, status === 200 ? {} : { location: "/login" }).end(body);
      });
      await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
      const { port } = server.address() as AddressInfo;
      try {
        const answer = await verify("anything", { url: `http://127.0.0.1:${String(port)}` });
        expect(answer.code).toBe(2);
      } finally {
        server.close();
      }
    },
  );

  it("ends with 2 without a verdict, and sends nothing that is no key", async () => {
    expect(await verify('","cost":0,"key":"')).toEqual({ code: 2, json: undefined });
    expect(await verify("anything", { serviceKey: "tp_svc_wrong" })).toEqual({
      code: 2,
      json: undefined,
    });
  });
});
