import { verifyKeyResponse } from "@turnpike/contract/keys";
import { lock as lockShape } from "@turnpike/contract/locks";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { reconcile } from "#modules/metering/index.ts";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  serviceKey = await app.mintServiceKey(["keys:verify", "keys:write", "tenants:write"]);
  await applyCatalog(app.services, OPERATOR_CONTEXT, {
    meters: [{ meterId: "tokens", name: "Tokens", unit: "token", aggregation: "sum" }],
    plans: [
      {
        planId: "small",
        name: "Small",
        description: "",
        currency: "EUR",
        pricePerMonth: "5",
        visibility: "public",
        rateLimits: [{ name: "burst", limit: 100, windowSeconds: 3_600 }],
        quotas: [{ meter: "tokens", limit: 1_000, kind: "hard" }],
      },
      ...[
        { planId: "open", quotas: [] },
        { planId: "tight", quotas: [{ meter: "tokens", limit: 100, kind: "hard" as const }] },
      ].map((plan) => ({
        ...plan,
        name: plan.planId,
        description: "",
        currency: "EUR",
        pricePerMonth: "5",
        visibility: "public" as const,
        rateLimits: [],
      })),
    ],
  });
});
afterAll(async () => {
  expect(await reconcile(app.services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
  await app.close();
  await database.close();
});

let customers = 0;
async function createCustomer(attributes: object = {}) {
  customers += 1;
  const tenantId = await app.mintTenant(`Acme ${String(customers)}`);
  const path = `/v1/tenants/${tenantId}`;
  const moved = await app.call(serviceKey, "PATCH", path, { planId: "small" });
  expect(moved.status).toBe(200);
  const body = { name: "Key", ...attributes };
  const made = await app.call(serviceKey, "POST", `${path}/keys`, body);
  const { keyId, key }: { keyId: string; key: string } = made.json;
  await app.hearChanges();
  return { tenantId, path, keyId, key };
}

async function verify(body: object) {
  const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", { meter: "tokens", ...body });
  expect(reply.status, reply.text).toBe(200);
  return verifyKeyResponse.parse(reply.json);
}

async function reserve(key: string, cost: number, lock: object = {}): Promise<string> {
  const verdict = await verify({ key, cost, lock });
  expect(verdict).toMatchObject({ valid: true, lock: { reserved: cost } });
  return verdict.lock?.lockId ?? expect.fail("no lock");
}

const end = (lockId: string, how: "settle" | "release", body: object = {}) =>
  app.call(serviceKey, "POST", `/v1/locks/${lockId}/${how}`, body);

async function getLock(lockId: string) {
  const reply = await app.call(serviceKey, "GET", `/v1/locks/${lockId}`);
  expect(reply.status).toBe(200);
  return lockShape.parse(reply.json);
}

/** What is left of every quota, looked at without taking any. */
async function remaining(key: string) {
  const { limits = [] } = await verify({ key, cost: 0 });
  return limits.filter((limit) => limit.kind === "quota").map((limit) => limit.remaining);
}

/** A view that was read while units went back is made good by the next look. */
async function expectRemaining(key: string, units: readonly number[]): Promise<void> {
  await pollUntil(`${units.join(" and ")} units remain`, async () => {
    return (await remaining(key)).join() === units.join();
  });
}

async function used(tenantId: TenantId) {
  const [row] = await database.sql<{ used: number; calls: number }[]>`
    select coalesce(sum(quantity), 0)::float8 as used, count(*)::int as calls
    from ledger_entries where tenant_id = ${tenantId} and outcome = 'VALID'`;
  return row;
}

/** Lets the time of a lock pass, everywhere it is written down. */
async function letLapse(lockId: string) {
  await database.sql`
    with past as (
      update locks set expires_at = now() - interval '1 second' where lock_id = ${lockId} returning *
    )
    update leases l set expires_at = past.expires_at from past
    where l.tenant_id = past.tenant_id and l.lease_id in (past.lease_id, past.key_lease_id)`;
}

describe("a verification with a lock", () => {
  it("reserves its cost, and meters what it came to when it is settled", async () => {
    const { key, tenantId, keyId } = await createCustomer();
    const lockId = await reserve(key, 400);
    await expectRemaining(key, [600]);
    expect(await used(tenantId)).toEqual({ used: 0, calls: 0 });
    const settled = await end(lockId, "settle", { cost: 150 });
    expect(settled).toMatchObject({
      status: 200,
      json: {
        lockId,
        state: "settled",
        tenantId,
        keyId,
        meter: "tokens",
        reserved: 400,
        cost: 150,
      },
    });
    expect(await used(tenantId)).toEqual({ used: 150, calls: 1 });
    await expectRemaining(key, [850]);
  });

  it("gives everything back when it is released, and meters nothing", async () => {
    const { key, tenantId } = await createCustomer();
    const lockId = await reserve(key, 1_000);
    expect(await verify({ key, cost: 1 })).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await end(lockId, "release")).toMatchObject({
      status: 200,
      json: { state: "released" },
    });
    await reserve(key, 1_000);
    expect(await used(tenantId)).toEqual({ used: 0, calls: 0 });
  });

  it("ends once: the same again is answered alike, another end is refused", async () => {
    const { key, tenantId } = await createCustomer();
    const settledId = await reserve(key, 10);
    const settled = await end(settledId, "settle", { cost: 4 });
    expect((await end(settledId, "settle", { cost: 4 })).text).toBe(settled.text);
    const ended = { status: 409, json: { code: "LOCK_ENDED", state: "settled", cost: 4 } };
    expect(await end(settledId, "settle", { cost: 5 })).toMatchObject(ended);
    expect(await end(settledId, "release")).toMatchObject(ended);
    const releasedId = await reserve(key, 10);
    const released = await end(releasedId, "release");
    expect((await end(releasedId, "release")).text).toBe(released.text);
    expect(await end(releasedId, "settle", { cost: 0 })).toMatchObject({
      status: 409,
      json: { code: "LOCK_ENDED", state: "released", cost: null },
    });
    expect(await used(tenantId)).toEqual({ used: 4, calls: 1 });
    await expectRemaining(key, [996]);
  });

  it("is settled by one of 64 at once, also when each says something else", async () => {
    const { key, tenantId } = await createCustomer();
    const lockId = await reserve(key, 500);
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, at) => end(lockId, "settle", { cost: 1 + (at % 8) })),
    );
    const { cost } = await getLock(lockId);
    for (const [at, reply] of replies.entries()) {
      expect(reply.status).toBe(1 + (at % 8) === cost ? 200 : 409);
    }
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(8);
    expect(await used(tenantId)).toEqual({ used: cost, calls: 1 });
  });

  it("settled with a cost of 0 is a call that cost nothing", async () => {
    const { key, tenantId } = await createCustomer();
    const lockId = await reserve(key, 10);
    expect(await end(lockId, "settle", { cost: 0 })).toMatchObject({ status: 200 });
    expect(await used(tenantId)).toEqual({ used: 0, calls: 1 });
    await expectRemaining(key, [1_000]);
  });

  it("takes more than it reserved where there is room, to the last unit, and otherwise stays as it is", async () => {
    const { key, tenantId } = await createCustomer();
    const lockId = await reserve(key, 300);
    await verify({ key, cost: 200 });
    const refused = await end(lockId, "settle", { cost: 801 });
    expect(refused).toMatchObject({
      status: 409,
      json: { code: "LOCK_EXCEEDED", reserved: 300, costMax: 800 },
    });
    expect(await getLock(lockId)).toMatchObject({ state: "open", cost: null });
    expect(await end(lockId, "settle", { cost: 800 })).toMatchObject({ status: 200 });
    expect(await used(tenantId)).toEqual({ used: 1_000, calls: 2 });
    expect(await verify({ key, cost: 1 })).toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  it("holds units of the key's own quota too, both or neither", async () => {
    const quotas = [{ meter: "tokens", limit: 100 }];
    const { key, path } = await createCustomer({ quotas });
    const other = await app.call(serviceKey, "POST", `${path}/keys`, { name: "Other" });
    await app.hearChanges();
    const lockId = await reserve(key, 60);
    expect(await verify({ key, cost: 50, lock: {} })).toMatchObject({ code: "QUOTA_EXCEEDED" });
    await expectRemaining(key, [940, 40]);
    await expectRemaining(other.json.key, [940]);
    expect(await end(lockId, "settle", { cost: 101 })).toMatchObject({
      status: 409,
      json: { code: "LOCK_EXCEEDED", costMax: 100 },
    });
    expect(await end(lockId, "settle", { cost: 70 })).toMatchObject({ status: 200 });
    await expectRemaining(key, [930, 30]);
  });

  it("works where no hard limit is, to meter afterwards", async () => {
    const { key } = await createCustomer();
    const requests = await verify({ key, meter: "requests", cost: 3, lock: {} });
    const settled = await end(requests.lock?.lockId ?? "", "settle", { cost: 900_000 });
    expect(settled).toMatchObject({ status: 200, json: { meter: "requests", cost: 900_000 } });
  });

  it.each([
    ["released", "release", {}, 99],
    ["settled", "settle", { cost: 40 }, 59],
  ] as const)(
    "gives back nothing that it did not hold: made without a hard limit and %s under one",
    async (_what, how, body, left) => {
      const { key, path } = await createCustomer();
      await app.call(serviceKey, "PATCH", path, { planId: "open" });
      await app.hearChanges();
      const lockId = await reserve(key, 1_000);
      await app.call(serviceKey, "PATCH", path, { planId: "tight" });
      await app.hearChanges();
      expect(await verify({ key, cost: 1 })).toMatchObject({ valid: true });
      expect((await end(lockId, how, body)).status).toBe(200);
      // At once: what the database says later would set it right.
      expect(await remaining(key)).toEqual([left]);
    },
  );

  it("says when to come back as a call without a lock: never, for more than a whole period has", async () => {
    const { key } = await createCustomer();
    expect(await verify({ key, cost: 1_000 })).toMatchObject({ valid: true });
    for (const [cost, isWorthWaiting] of [
      [4_000, false],
      [1_000, true],
    ] as const) {
      for (const lock of [undefined, {}]) {
        const { code, retryAfterSeconds } = await verify({ key, cost, lock });
        expect(code).toBe("QUOTA_EXCEEDED");
        expect(retryAfterSeconds !== undefined).toBe(isWorthWaiting);
      }
    }
  });

  it("is settled although the key was revoked and its tenant suspended: the work was done", async () => {
    const { key, path, keyId, tenantId } = await createCustomer();
    const lockId = await reserve(key, 10);
    await app.call(serviceKey, "POST", `${path}/keys/${keyId}/revoke`, {});
    await app.call(serviceKey, "PATCH", path, { suspended: true });
    await expect.poll(() => verify({ key, cost: 0 })).toMatchObject({ valid: false });
    expect(await verify({ key, lock: {} })).toMatchObject({ valid: false });
    expect(await end(lockId, "settle", { cost: 12 })).toMatchObject({ status: 200 });
    expect(await used(tenantId)).toEqual({ used: 12, calls: 1 });
  });

  it("counts as one call in rate limits, and not at all when it is refused", async () => {
    const { key } = await createCustomer();
    const burst = async () =>
      (await verify({ key, cost: 0 })).limits?.find((limit) => limit.name === "burst")?.remaining;
    await reserve(key, 900);
    expect(await burst()).toBe(99);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const refused = await verify({ key, cost: 500, lock: {} });
      expect(refused).toMatchObject({ valid: false, code: "QUOTA_EXCEEDED" });
      expect(refused.lock).toBeUndefined();
    }
    expect(await burst()).toBe(99);
  });

  it("takes its route from the resource it names, like every call", async () => {
    const { key, tenantId } = await createCustomer();
    const verdict = await verify({ key, cost: 1, resource: "/v1/chat?stream=1", lock: {} });
    await end(verdict.lock?.lockId ?? "", "settle", { cost: 1 });
    const rows =
      await database.sql`select route from usage_by_minute where tenant_id = ${tenantId}`;
    expect(rows).toEqual([{ route: "/v1/chat" }]);
  });

  it("has one lock for one Idempotency-Key", async () => {
    const { key } = await createCustomer();
    const send = async () => {
      const reply = await fetch(`${app.url}/v1/keys/verify`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${serviceKey}`,
          "content-type": "application/json",
          "idempotency-key": `lock ${key}`,
        },
        body: JSON.stringify({ key, meter: "tokens", cost: 100, lock: {} }),
      });
      return await reply.text();
    };
    expect(await send()).toBe(await send());
    await expectRemaining(key, [900]);
  });
});

/** A process that learned that nothing is left asks again after a second. */
async function reserveOnceFree(key: string) {
  await pollUntil("all is there again", async () => {
    const verdict = await verify({ key, cost: 1_000, lock: {} });
    return verdict.valid;
  });
}

describe("the time of a lock", () => {
  it("ends by itself: all goes back, and it can be neither settled nor released", async () => {
    const { key, tenantId } = await createCustomer();
    const lockId = await reserve(key, 1_000);
    await letLapse(lockId);
    expect(await getLock(lockId)).toMatchObject({ state: "lapsed", cost: null });
    const lapsed = { status: 410, json: { code: "LOCK_LAPSED" } };
    expect(await end(lockId, "settle", { cost: 1 })).toMatchObject(lapsed);
    expect(await end(lockId, "release")).toMatchObject(lapsed);
    expect(await used(tenantId)).toEqual({ used: 0, calls: 0 });
    await reserveOnceFree(key);
  });

  it("is over for good once its units went to others", async () => {
    const { key } = await createCustomer();
    const lockId = await reserve(key, 1_000);
    await letLapse(lockId);
    await reserveOnceFree(key);
    // As if the clock of the database went back.
    await database.sql`update locks set expires_at = now() + interval '1 hour' where lock_id = ${lockId}`;
    expect(await end(lockId, "settle", { cost: 1 })).toMatchObject({ status: 410 });
    expect(await end(lockId, "release")).toMatchObject({ status: 410 });
    await database.sql`update locks set expires_at = now() - interval '1 hour' where lock_id = ${lockId}`;
  });

  it.each([
    { ttlSeconds: 0 },
    { ttlSeconds: 86_401 },
    { ttlSeconds: 1.5 },
    { seconds: 1 },
    true,
    null,
  ])("is one second to one day: %j is refused", async (lock) => {
    const { key } = await createCustomer();
    const body = { key, meter: "tokens", lock };
    const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", body);
    expect(reply).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
    await expectRemaining(key, [1_000]);
  });
});

describe("who asks", () => {
  it("cannot reserve nothing", async () => {
    const { key } = await createCustomer();
    const body = { key, meter: "tokens", cost: 0, lock: {} };
    expect(await app.call(serviceKey, "POST", "/v1/keys/verify", body)).toMatchObject({
      status: 400,
      json: { code: "INVALID_REQUEST", errors: [{ pointer: "/cost" }] },
    });
  });

  it("may be any program of the operator with keys:verify, and no other", async () => {
    const { key, tenantId } = await createCustomer();
    const lockId = await reserve(key, 10);
    const ofTenant = await app.mintKey(tenantId, ["keys:read", "keys:write"]);
    const reader = await app.mintServiceKey(["keys:read", "keys:write"]);
    const { token } = await app.mintMember(tenantId, "owner");
    for (const credential of [ofTenant, reader, token]) {
      for (const [method, path, body] of [
        ["GET", "", undefined],
        ["POST", "/settle", { cost: 1 }],
        ["POST", "/release", {}],
      ] as const) {
        const reply = await app.call(credential, method, `/v1/locks/${lockId}${path}`, body);
        expect(reply).toMatchObject({ status: 403, json: { code: "INSUFFICIENT_SCOPE" } });
      }
    }
    const another = await app.mintServiceKey(["keys:verify"]);
    const path = `/v1/locks/${lockId}/settle`;
    expect(await app.call(another, "POST", path, { cost: 1 })).toMatchObject({ status: 200 });
  });

  it("gets 404 for a lock that does not exist", async () => {
    const none = { status: 404, json: { code: "RESOURCE_NOT_FOUND" } };
    const lockId = `lck_${"0".repeat(32)}`;
    expect(await end(lockId, "settle", { cost: 1 })).toMatchObject(none);
    expect(await end(lockId, "release")).toMatchObject(none);
    expect(await app.call(serviceKey, "GET", `/v1/locks/${lockId}`)).toMatchObject(none);
    expect((await end("lck_1", "release")).status).toBe(400);
  });

  it.each([-1, 1.5, 1_000_001, "1", null])("cannot settle a cost of %j", async (cost) => {
    const { key } = await createCustomer();
    const lockId = await reserve(key, 10);
    expect((await end(lockId, "settle", { cost })).status).toBe(400);
    expect(await getLock(lockId)).toMatchObject({ state: "open" });
  });

  it("is refused a lock beyond ten thousand of one tenant, and that takes nothing", async () => {
    const { key, tenantId, keyId } = await createCustomer();
    const lockId = await reserve(key, 10);
    await database.sql`
      insert into locks (tenant_id, lock_id, key_id, origin_key_id, meter_id, environment, period_start, period_end,
        reserved, state, created_by, created_at, expires_at)
      select ${tenantId}, 'lck_many_' || n, ${keyId}, ${keyId}, 'tokens', 'live', now(), now(), 1, 'open', 'test', now(),
        now() + interval '1 hour'
      from generate_series(1, 9999) as n`;
    const before = await verify({ key, cost: 0 });
    const refused = await verify({ key, cost: 1, lock: {} });
    expect(refused).toMatchObject({ valid: false, code: "TOO_MANY_LOCKS", tenantId, offer: null });
    expect((await verify({ key, cost: 0 })).limits?.map((limit) => limit.remaining)).toEqual(
      before.limits?.map((limit) => limit.remaining),
    );
    await end(lockId, "release");
    await reserve(key, 1);
    expect(await verify({ key, cost: 1, lock: {} })).toMatchObject({ code: "TOO_MANY_LOCKS" });
    // A lock past its time is not open, even before that is recorded.
    await letLapse("lck_many_1");
    await reserve(key, 1);
    await database.sql`delete from locks where lock_id like 'lck_many_%'`;
  });
});

describe("the limits of a tenant", () => {
  it("say what open locks reserve", async () => {
    const { key, path } = await createCustomer();
    const reader = await app.mintServiceKey(["usage:read"]);
    const tokens = async () => {
      const { json } = await app.call(reader, "GET", `${path}/limits`);
      return json.quotas.find(
        (quota: { meter: string; environment: string }) => quota.environment === "live",
      );
    };
    const lockId = await reserve(key, 300);
    expect(await tokens()).toMatchObject({ used: "0", locked: "300", remaining: "700" });
    await letLapse(lockId);
    expect(await tokens()).toMatchObject({ used: "0", locked: "0", remaining: "1000" });
    const context = contextOf({ type: "operator", id: "test" });
    await reserve(key, 20);
    const { locked } = await reconcile(app.services, context);
    expect(Number(locked)).toBeGreaterThanOrEqual(20);
  });
});
