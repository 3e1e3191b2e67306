import { verifyKeyResponse } from "@turnpike/contract/keys";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { changePlan } from "#modules/entitlements/index.ts";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;

const plan = (planId: string, pricePerMonth: string, terms: object) => ({
  planId,
  name: planId.toUpperCase(),
  description: "",
  currency: "EUR",
  pricePerMonth,
  visibility: "public" as const,
  rateLimits: [],
  quotas: [],
  ...terms,
});
const tokens = (limit: number) => ({ meter: "tokens", limit, kind: "hard" as const });

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  serviceKey = await app.mintServiceKey(["keys:verify", "keys:write", "keys:read"]);
  await applyCatalog(app.services, OPERATOR_CONTEXT, {
    meters: [{ meterId: "tokens", name: "Tokens", unit: "token", aggregation: "sum" }],
    plans: [
      plan("small", "5", {
        quotas: [tokens(100)],
        rateLimits: [{ name: "burst", limit: 3, windowSeconds: 3_600 }],
        scopes: ["maps:read"],
      }),
      plan("large", "50.5", {
        quotas: [tokens(10_000)],
        rateLimits: [{ name: "burst", limit: 300, windowSeconds: 3_600 }],
        scopes: ["maps:read", "maps:write"],
      }),
      plan("huge", "500", { scopes: ["maps:read", "maps:write", "tiles:read"] }),
      plan("secret", "1", { visibility: "private", quotas: [] }),
    ],
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

async function moveTo(tenantId: TenantId, planId: string): Promise<void> {
  await changePlan(app.services, OPERATOR_CONTEXT, { tenantId, planId });
}

async function createCustomer(planId: string, attributes: object = {}) {
  const tenantId = await app.mintTenant("Acme");
  await moveTo(tenantId, planId);
  const body = { name: "Key", metadata: { team: "a" }, ...attributes };
  const made = await app.call(serviceKey, "POST", `/v1/tenants/${tenantId}/keys`, body);
  expect(made.status).toBe(201);
  const { keyId, key }: { keyId: string; key: string } = made.json;
  return { tenantId, keyId, key, path: `/v1/tenants/${tenantId}/keys/${keyId}` };
}

async function verify(body: object) {
  const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", body);
  expect(reply.status).toBe(200);
  return verifyKeyResponse.parse(reply.json);
}

describe("scopes of the operator's API", () => {
  it("are asked with AND and OR, and what is missing is named", async () => {
    const { key } = await createCustomer("large", { scopes: ["maps:read", "keys:read"] });
    expect(await verify({ key, scopes: "maps:read" })).toMatchObject({ code: "VALID" });
    expect(await verify({ key, scopes: "maps:write OR (maps:read AND keys:read)" })).toMatchObject({
      code: "VALID",
      scopes: ["maps:read", "keys:read"],
    });
    const refused = await verify({ key, scopes: "maps:read AND maps:write", cost: 1 });
    expect(refused).toMatchObject({
      valid: false,
      code: "INSUFFICIENT_SCOPE",
      missingScopes: ["maps:write"],
      // The plan allows it already: it is the tenant who must give it to the key.
      offer: null,
    });
    const other = await verify({ key, scopes: "tiles:read" });
    expect(other.offer).toEqual({ planId: "huge", name: "HUGE", url: "http://console.test/plans" });
  });

  it("refuse a query that is none, saying where", async () => {
    const { key } = await createCustomer("large");
    for (const scopes of ["maps:read maps:write", "(", "", "x".repeat(501)]) {
      const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", { key, scopes });
      expect(reply).toMatchObject({
        status: 400,
        json: { code: "INVALID_REQUEST", errors: [{ pointer: "/scopes" }] },
      });
    }
  });

  it("reach the upstream, and end with the plan that allowed them, within a second", async () => {
    const { key, tenantId } = await createCustomer("large", { scopes: ["maps:write"] });
    const scopesSeen = async () => {
      const reply = await fetch(`${app.gatewayUrl}/x`, {
        headers: { "x-api-key": key, "x-turnpike-scopes": "forged:all" },
      });
      await reply.text();
      return app.upstream.requests.at(-1)?.header("x-turnpike-scopes");
    };
    expect(await scopesSeen()).toBe("maps:write");
    await moveTo(tenantId, "small");
    await pollUntil(
      "the scope is gone",
      async () =>
        (await verify({ key, scopes: "maps:write", cost: 0 })).code === "INSUFFICIENT_SCOPE",
      1_000,
    );
    expect(await scopesSeen()).toBe("-");
  });

  it("are given only where the plan allows them, and by keys only if they carry them", async () => {
    const { tenantId, path } = await createCustomer("small", { scopes: ["maps:read"] });
    const keys = `/v1/tenants/${tenantId}/keys`;
    const refused = await app.call(serviceKey, "POST", keys, {
      name: "Key",
      scopes: ["maps:read", "maps:write", "keys:verify"],
    });
    expect(refused).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
    const beyond = await app.call(serviceKey, "PATCH", path, {
      scopes: ["maps:read", "maps:write"],
    });
    expect(beyond.json).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/scopes/1", message: "The plan SMALL does not allow maps:write." }],
    });
    const program = await app.mintKey(tenantId, ["keys:write"]);
    const raised = await app.call(program, "POST", keys, { name: "Key", scopes: ["maps:read"] });
    expect(raised.json.code).toBe("INSUFFICIENT_SCOPE");
    const rolled = await app.call(program, "POST", `${path}/roll`, { graceSeconds: 0 });
    expect(rolled.json.code).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("POST /v1/keys/verify", () => {
  it("tells everything about key, plan and limits", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { key, keyId, tenantId } = await createCustomer("small", { expiresAt });
    expect(await verify({ key, meter: "tokens", cost: 40 })).toMatchObject({
      valid: true,
      keyId,
      keyName: "Key",
      tenantId,
      planId: "small",
      planVersion: 1,
      environment: "live",
      metadata: { team: "a" },
      expiresAt,
      limits: [
        { name: "burst", kind: "rate_limit", scope: "tenant", limit: 3, remaining: 2 },
        { name: "tokens", kind: "quota", scope: "tenant", limit: 100, remaining: 60 },
      ],
    });
  });

  it("refuses with every limit as it stands, when to come back and the plan that has more", async () => {
    const { key } = await createCustomer("small");
    await verify({ key, meter: "tokens", cost: 90 });
    const large = { planId: "large", name: "LARGE", url: "http://console.test/plans" };
    const quota = await verify({ key, meter: "tokens", cost: 11 });
    expect(quota).toMatchObject({
      code: "QUOTA_EXCEEDED",
      offer: large,
      limits: [
        { name: "burst", remaining: 2 },
        { name: "tokens", remaining: 10 },
      ],
    });
    expect(quota.retryAfterSeconds).toBeGreaterThan(0);
    await verify({ key });
    await verify({ key });
    const rate = await verify({ key, meter: "tokens", cost: 1 });
    expect(rate).toMatchObject({ code: "RATE_LIMITED", offer: large });
    expect(rate.limits?.map((limit) => limit.remaining)).toEqual([0, 10]);
  });

  it("offers nothing where no plan helps: a limit that the tenant gave its key, a dead key", async () => {
    const limited = await createCustomer("small", { quotas: [{ meter: "requests", limit: 1 }] });
    expect(await verify({ key: limited.key, cost: 2 })).toMatchObject({
      code: "QUOTA_EXCEEDED",
      offer: null,
    });
    await app.call(serviceKey, "POST", `${limited.path}/revoke`);
    await pollUntil(
      "the key is revoked",
      async () => (await verify({ key: limited.key, cost: 0 })).code === "REVOKED",
      1_000,
    );
    expect(await verify({ key: limited.key })).toMatchObject({ code: "REVOKED", offer: null });
  });

  it.each([
    // The plan allows one of the two already: the key only has to be given it.
    ["maps:write OR maps:read", null],
    ["gold:x OR tiles:read", { planId: "huge" }],
    ["gold:x AND tiles:read", null],
    ["tiles:read", { planId: "huge" }],
  ])("offers the plan under which a key may be given what is asked: %s", async (scopes, offer) => {
    const { key } = await createCustomer("small");
    const refused = await verify({ key, scopes });
    expect(refused).toMatchObject({ code: "INSUFFICIENT_SCOPE", offer });
  });

  it("offers a plan only when this very call would pass under it", async () => {
    const { key } = await createCustomer("small", { scopes: ["maps:read"] });
    const beyond = await verify({ key, meter: "tokens", cost: 20_000 });
    expect(beyond).toMatchObject({
      code: "QUOTA_EXCEEDED",
      detail: "The call takes 20000, and the quota of 100 tokens in this period has 100 left.",
      offer: { planId: "huge" },
    });
    // No period has room for it.
    expect(beyond).not.toHaveProperty("retryAfterSeconds");
    const scoped = { key, meter: "tokens", cost: 101, scopes: "maps:read" };
    expect((await verify(scoped)).offer).toMatchObject({ planId: "large" });
    const own = { quotas: [{ meter: "tokens", limit: 10 }] };
    const limited = await createCustomer("small", own);
    // The plan refuses first, and under another plan the key's own quota would.
    const both = await verify({ key: limited.key, meter: "tokens", cost: 101 });
    expect(both).toMatchObject({ code: "QUOTA_EXCEEDED", offer: null });
  });

  it("tells every limit of a known key, refused for any reason", async () => {
    const limits = [
      { name: "burst", remaining: 3 },
      { name: "tokens", scope: "tenant", limit: 100, remaining: 100 },
      { name: "tokens", scope: "key", limit: 10, remaining: 10 },
    ];
    const { key, path } = await createCustomer("small", {
      quotas: [{ meter: "tokens", limit: 10 }],
    });
    const call = { key, meter: "tokens" };
    // A busy machine may be too slow for one answer, which then comes without the quotas.
    const expectVerdict = (body: object) => expect.poll(() => verify(body));
    const scoped = { ...call, scopes: "maps:read" };
    await expectVerdict(scoped).toMatchObject({ code: "INSUFFICIENT_SCOPE", limits });
    await app.call(serviceKey, "POST", `${path}/revoke`);
    await pollUntil(
      "the key is revoked",
      async () => (await verify({ key, cost: 0 })).code === "REVOKED",
      1_000,
    );
    await expectVerdict(call).toMatchObject({ code: "REVOKED", limits });
    const fast = await createCustomer("small");
    await Promise.all([1, 2, 3].map(() => verify({ key: fast.key })));
    // Nothing of this meter was ever asked for.
    await expectVerdict({ key: fast.key, meter: "tokens" }).toMatchObject({
      code: "RATE_LIMITED",
      limits: [
        { name: "burst", remaining: 0 },
        { name: "tokens", remaining: 100 },
      ],
    });
  });

  it("meters what is asked, under the route of its resource, and refuses a meter that does not exist", async () => {
    const { key, tenantId } = await createCustomer("huge");
    await verify({ key, meter: "tokens", cost: 7, resource: "/maps/42?x=1" });
    const rows = await pollUntil("the usage is committed", async () => {
      const found = await database.sql<{ meter_id: string; route: string; quantity: number }[]>`
        select meter_id, route, quantity::int as quantity from usage_by_minute where tenant_id = ${tenantId}`;
      return found.length > 0 && found;
    });
    expect([...rows]).toEqual([{ meter_id: "tokens", route: "/maps/{id}", quantity: 7 }]);
    for (const [body, pointer] of [
      [{ key, meter: "gold" }, "/meter"],
      [{ key, resource: "maps" }, "/resource"],
      [{ key, cost: 1.5 }, "/cost"],
    ] as const) {
      const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", body);
      expect(reply).toMatchObject({
        status: 400,
        json: { code: "INVALID_REQUEST", errors: [{ pointer }] },
      });
    }
  });

  it("takes a meter that was made a moment ago", async () => {
    const { key } = await createCustomer("huge");
    await applyCatalog(app.services, OPERATOR_CONTEXT, {
      meters: [{ meterId: "bytes", name: "Bytes", unit: "byte", aggregation: "sum" }],
      plans: [],
    });
    await pollUntil(
      "the meter is known",
      async () => {
        const body = { key, meter: "bytes", cost: 0 };
        return (await app.call(serviceKey, "POST", "/v1/keys/verify", body)).status === 200;
      },
      1_000,
    );
  });

  it("gives its verdict on anything that a caller sent as a key", async () => {
    expect(await verify({ key: "" })).toMatchObject({
      valid: false,
      code: "MISSING_KEY",
      offer: null,
    });
    for (const key of [
      "x",
      "x".repeat(257),
      "x".repeat(16_384),
      "tp_live_",
      "\u0000",
      "\ud800",
      "é",
    ]) {
      expect(await verify({ key })).toMatchObject({
        valid: false,
        code: "INVALID_KEY",
        offer: null,
      });
    }
  });

  it("takes a key of another environment for an unknown one", async () => {
    const { key } = await createCustomer("huge", { environment: "test" });
    expect(await verify({ key, environment: "test" })).toMatchObject({ valid: true });
    const other = await verify({ key, environment: "live" });
    expect(other).toEqual({
      valid: false,
      code: "INVALID_KEY",
      detail: "This API key is not known.",
      requestId: other.requestId,
      offer: null,
    });
  });

  it("needs keys:verify over the installation: neither another scope nor a tenant's key will do", async () => {
    const { key, tenantId } = await createCustomer("huge");
    const reader = await app.mintServiceKey(["keys:read"]);
    const ofTenant = await app.mintKey(tenantId, ["keys:read", "keys:write"]);
    for (const credential of [reader, ofTenant]) {
      const reply = await app.call(credential, "POST", "/v1/keys/verify", { key });
      expect(reply).toMatchObject({ status: 403, json: { code: "INSUFFICIENT_SCOPE" } });
    }
  });
});
