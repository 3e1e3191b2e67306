import { type FaultProxy, startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GivenUp } from "./catch-up.ts";
import { createTurnpike, type Turnpike, type TurnpikeOptions } from "./create-turnpike.ts";
import { TurnpikeRequestError, TurnpikeUnavailableError } from "./errors.ts";
import { refuse, VALID_REPLY } from "./fake-turnpike.fixture.ts";

let database: TestDatabase;
let app: TestApp;
let operator: string;
let serviceKey: string;
/** Between the client and Turnpike: fails when a test says so. */
let proxy: FaultProxy;
let serverPort: number;
let deadPort: number;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(["tenants:write", "catalog:write", "keys:write"]);
  serviceKey = await app.mintServiceKey(["keys:verify"]);
  serverPort = Number(new URL(app.url).port);
  const catalog = {
    meters: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
    plans: [
      {
        planId: "one-an-hour",
        name: "One",
        rateLimits: [{ name: "burst", limit: 1, windowSeconds: 3_600 }],
      },
    ],
  };
  expect((await app.call(operator, "PUT", "/v1/catalog", catalog)).status).toBe(200);
  deadPort = await findFreePort();
  proxy = await startFaultProxy(serverPort);
});
afterAll(async () => {
  await proxy.close();
  await app.close();
  await database.close();
});
beforeEach(() => {
  proxy.targetPort = serverPort;
  proxy.faults = {};
  proxy.resetAll();
});

/** A client that gives up after one retry, and whose clock can be put forward. */
function makeClient(options: Partial<TurnpikeOptions> = {}) {
  const sent: string[] = [];
  const givenUp: GivenUp[] = [];
  let aheadMs = 0;
  const turnpike: Turnpike = createTurnpike({
    url: proxy.url,
    serviceKey,
    timeoutMs: 60_000,
    deadlineMs: 120_000,
    retriesMax: 1,
    onGivenUp: (call) => givenUp.push(call),
    ...options,
    runtime: {
      nowMs: () => performance.now() + aheadMs,
      fetch: (url, init) => {
        sent.push(new Headers(init.headers).get("idempotency-key") ?? "");
        return fetch(url, init);
      },
      ...options.runtime,
    },
  });
  const putForward = (ms: number): void => {
    aheadMs += ms;
  };
  return { turnpike, sent, givenUp, putForward };
}

let customers = 0;
async function makeCustomer() {
  customers += 1;
  const tenantId = await app.mintTenant(`Client ${String(customers)}`);
  const made = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, { name: "Key" });
  const keyId = String(made.json.keyId);
  return {
    tenantId,
    keyId,
    key: String(made.json.key),
    async revoke() {
      const path = `/v1/tenants/${tenantId}/keys/${keyId}/revoke`;
      expect((await app.call(operator, "POST", path)).status).toBe(200);
    },
    async usage() {
      const [row] = await database.sql<{ calls: number; units: number }[]>`
        select coalesce(sum(calls), 0)::int as calls, coalesce(sum(quantity), 0)::int as units
        from ledger_entries where tenant_id = ${tenantId}`;
      return row;
    },
  };
}

function takeAway(): void {
  proxy.targetPort = deadPort;
  proxy.resetAll();
}
function fallSilent(): void {
  proxy.faults = { halfOpen: true };
  proxy.resetAll();
}
function bringBack(): void {
  proxy.targetPort = serverPort;
  proxy.faults = {};
}

describe("with Turnpike there", () => {
  it("verifies and meters in one call, and takes nothing for a cost of 0", async () => {
    const { turnpike } = makeClient();
    const { key, keyId, tenantId, usage } = await makeCustomer();
    expect(await turnpike.verify({ key, cost: 0 })).toMatchObject({
      valid: true,
      source: "server",
    });
    expect(await turnpike.verify({ key, cost: 4 })).toMatchObject({
      valid: true,
      code: "VALID",
      keyId,
      tenantId,
      source: "server",
    });
    await pollUntil("it is committed", async () => (await usage())?.calls === 1);
    expect(await usage()).toEqual({ calls: 1, units: 4 });
  });

  it("answers all that the type of a verdict says is always there", async () => {
    const { turnpike } = makeClient();
    const { key, tenantId } = await makeCustomer();
    const plan = { planId: "one-an-hour" };
    const changed = await app.call(operator, "PATCH", `/v1/tenants/${tenantId}`, plan);
    expect(changed.status).toBe(200);
    const ask = async (text: string) => {
      const { source: _, ...reply } = await turnpike.verify({ key: text });
      return reply;
    };
    expect(Object.keys(await ask(key)).sort()).toEqual(Object.keys(VALID_REPLY).sort());
    const limited = { ...VALID_REPLY, ...refuse("RATE_LIMITED"), retryAfterSeconds: 1 };
    expect(Object.keys(await ask(key)).sort()).toEqual(Object.keys(limited).sort());
    for (const code of ["MISSING_KEY", "INVALID_KEY"] as const) {
      const refused = await ask(code === "MISSING_KEY" ? "" : "tp_live_nobodys");
      expect(refused).toEqual({
        ...refuse(code),
        detail: expect.any(String),
        requestId: expect.any(String),
      });
    }
  });

  it("refuses a revoked key as soon as the server does, as long as nothing is cached", async () => {
    const { turnpike } = makeClient();
    const { key, revoke } = await makeCustomer();
    expect((await turnpike.verify({ key })).valid).toBe(true);
    await revoke();
    await pollUntil("it is refused", async () => !(await turnpike.verify({ key, cost: 0 })).valid);
    expect(await turnpike.verify({ key })).toMatchObject({ valid: false, code: "REVOKED" });
  });

  it("answers a check from memory no longer than it may, and never a call that costs something", async () => {
    const { turnpike, putForward } = makeClient({ cache: { checksMs: 60_000, deadKeysMs: 0 } });
    const { key, revoke } = await makeCustomer();
    await turnpike.verify({ key, cost: 0 });
    await revoke();
    await pollUntil("a call is refused", async () => !(await turnpike.verify({ key })).valid);
    expect(await turnpike.verify({ key, cost: 0 })).toMatchObject({ valid: true, source: "cache" });
    putForward(60_000);
    expect(await turnpike.verify({ key, cost: 0 })).toMatchObject({
      code: "REVOKED",
      source: "server",
    });
  });

  it("asks about a dead key once while its verdict holds", async () => {
    const { turnpike, sent, putForward } = makeClient({
      url: app.url,
      cache: { deadKeysMs: 1_000 },
    });
    const ask = () => turnpike.verify({ key: "tp_live_nobodys" });
    expect(await ask()).toMatchObject({ code: "INVALID_KEY", source: "server" });
    expect(await ask()).toMatchObject({ code: "INVALID_KEY", source: "cache" });
    expect(sent).toHaveLength(1);
    putForward(1_000);
    expect(await ask()).toMatchObject({ code: "INVALID_KEY", source: "server" });
  });

  it("takes a key that a route of the other environment does not know for no dead one", async () => {
    const { turnpike, sent } = makeClient();
    const { key } = await makeCustomer();
    const inTest = () => turnpike.verify({ key, environment: "test" });
    expect(await inTest()).toMatchObject({ code: "INVALID_KEY", source: "server" });
    expect(await inTest()).toMatchObject({ code: "INVALID_KEY", source: "cache" });
    expect(await turnpike.verify({ key, environment: "live" })).toMatchObject({ valid: true });
    expect(await turnpike.verify({ key })).toMatchObject({ valid: true });
    expect(sent).toHaveLength(3);
  });

  it.each(["tp_svc_wrong", ""])(
    "rejects the service key %j, on a route that allows anything",
    async (wrong) => {
      const { key } = await makeCustomer();
      const { turnpike } = makeClient({ serviceKey: wrong });
      const refused = turnpike.verify({ key }, { onUnavailable: "allow" });
      await expect(refused).rejects.toBeInstanceOf(TurnpikeRequestError);
    },
  );

  it.each([
    "<html>Welcome</html>",
    '{"valid":true}',
    '{"valid":true,"code":"REVOKED"}',
    '{"valid":true,"code":"VALID","requestId":"req_1"}',
    "null",
  ])("takes no %s for a verdict", async (text) => {
    const { turnpike } = makeClient({ runtime: { fetch: async () => new Response(text) } });
    await expect(turnpike.verify({ key: "k" })).rejects.toBeInstanceOf(TurnpikeUnavailableError);
  });
});

describe("with Turnpike away", () => {
  it("denies by default, also when it is silent", async () => {
    const { turnpike } = makeClient({ timeoutMs: 150, deadlineMs: 400 });
    const { key } = await makeCustomer();
    for (const fail of [takeAway, fallSilent]) {
      bringBack();
      fail();
      await expect(turnpike.verify({ key })).rejects.toBeInstanceOf(TurnpikeUnavailableError);
    }
  });

  it("lets exactly as many calls of known keys through as it may, and meters each once afterwards", async () => {
    const { turnpike, givenUp } = makeClient({ exposure: { callsMax: 3 } });
    const { key, tenantId, usage } = await makeCustomer();
    const stranger = await makeCustomer();
    await turnpike.verify({ key });
    takeAway();
    const settled = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        turnpike.verify({ key, cost: 2 }, { onUnavailable: "allow" }),
      ),
    );
    const passed = settled.filter((each) => each.status === "fulfilled");
    expect(passed.map((each) => each.value)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ valid: true, source: "outage", tenantId, limits: [] }),
      ),
    );
    expect(turnpike.unverifiedCalls()).toBe(3);
    for (const unknown of [{ key: stranger.key }, { key, scopes: "maps:write" }]) {
      const refused = turnpike.verify(unknown, { onUnavailable: "allow" });
      await expect(refused).rejects.toBeInstanceOf(TurnpikeUnavailableError);
    }
    bringBack();
    await pollUntil("all are caught up", () => turnpike.unverifiedCalls() === 0);
    await pollUntil("all are committed", async () => (await usage())?.calls === 4);
    expect(await usage()).toEqual({ calls: 4, units: 7 });
    expect(givenUp).toEqual([]);
    expect(await turnpike.verify({ key })).toMatchObject({ valid: true, source: "server" });
  });

  it("lets no call through once the time is over, even within the number of calls", async () => {
    const { turnpike, putForward } = makeClient({ exposure: { secondsMax: 10 } });
    const { key } = await makeCustomer();
    const ask = () => turnpike.verify({ key, cost: 0 }, { onUnavailable: "allow" });
    await ask();
    takeAway();
    expect(await ask()).toMatchObject({ source: "outage" });
    putForward(10_000);
    await expect(ask()).rejects.toBeInstanceOf(TurnpikeUnavailableError);
  });

  it("lets a key that it saw die through no more", async () => {
    const { turnpike, putForward } = makeClient();
    const { key, revoke } = await makeCustomer();
    await turnpike.verify({ key });
    await revoke();
    await pollUntil("it is refused", async () => !(await turnpike.verify({ key })).valid);
    takeAway();
    putForward(60_000);
    const refused = turnpike.verify({ key }, { onUnavailable: "allow" });
    await expect(refused).rejects.toBeInstanceOf(TurnpikeUnavailableError);
  });

  it("lets no tenant's rate limit hold up what the others have to catch up", async () => {
    const { turnpike } = makeClient();
    const limited = await makeCustomer();
    const other = await makeCustomer();
    const path = `/v1/tenants/${limited.tenantId}`;
    const changed = await app.call(operator, "PATCH", path, { planId: "one-an-hour" });
    expect(changed.status).toBe(200);
    await turnpike.verify({ key: other.key });
    await turnpike.verify({ key: limited.key });
    await pollUntil("its limit is reached", async () => {
      return (await turnpike.verify({ key: limited.key })).code === "RATE_LIMITED";
    });
    takeAway();
    await turnpike.verify({ key: limited.key }, { onUnavailable: "allow" });
    await turnpike.verify({ key: other.key }, { onUnavailable: "allow" });
    bringBack();
    await pollUntil("the other's is caught up", async () => (await other.usage())?.units === 2);
    await pollUntil("one call waits", () => turnpike.unverifiedCalls() === 1);
    await turnpike.close({ timeoutMs: 0 });
  });

  it("says which calls could not be metered: of a key that was revoked meanwhile", async () => {
    const { turnpike, givenUp } = makeClient();
    const { key, revoke } = await makeCustomer();
    await turnpike.verify({ key });
    takeAway();
    await turnpike.verify({ key }, { onUnavailable: "allow" });
    await revoke();
    const other = makeClient({ url: app.url });
    await pollUntil("it is revoked", async () => !(await other.turnpike.verify({ key })).valid);
    bringBack();
    await pollUntil("it is caught up", () => turnpike.unverifiedCalls() === 0);
    expect(givenUp).toEqual([{ request: { key }, reason: "refused", code: "REVOKED" }]);
  });

  it("says which calls could not be metered: those that wait when the client is closed", async () => {
    const { turnpike, givenUp } = makeClient();
    const { key } = await makeCustomer();
    await turnpike.verify({ key });
    takeAway();
    await turnpike.verify({ key }, { onUnavailable: "allow" });
    await turnpike.close({ timeoutMs: 50 });
    expect(givenUp).toEqual([{ request: { key }, reason: "closed", code: "" }]);
    expect(turnpike.unverifiedCalls()).toBe(0);
  });

  it("meters a call once whose answers were lost, again and again", async () => {
    const { turnpike, givenUp } = makeClient();
    const { key, usage } = await makeCustomer();
    await turnpike.verify({ key, cost: 0 });
    // Questions pass, and each connection breaks with the first bytes of the answer.
    proxy.resetAll();
    proxy.faults = { resetAfterBytes: 900 };
    expect(await turnpike.verify({ key, cost: 5 }, { onUnavailable: "allow" })).toMatchObject({
      source: "outage",
    });
    await pollUntil(
      "it is metered although the answer was lost",
      async () => (await usage())?.calls === 1,
    );
    expect(turnpike.unverifiedCalls()).toBe(1);
    bringBack();
    await pollUntil("it is caught up", () => turnpike.unverifiedCalls() === 0);
    await turnpike.verify({ key });
    await pollUntil("a later call is committed", async () => ((await usage())?.calls ?? 0) > 1);
    expect(await usage()).toEqual({ calls: 2, units: 6 });
    expect(givenUp).toEqual([]);
  });

  it("asks once for what may have been taken, unless it is to be metered exactly once", async () => {
    for (const [exactlyOnce, attempts] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const { turnpike, sent } = makeClient({ url: proxy.url, retriesMax: 1 });
      const { key, usage } = await makeCustomer();
      bringBack();
      proxy.resetAll();
      proxy.faults = { resetAfterBytes: 900 };
      await expect(turnpike.verify({ key }, { exactlyOnce })).rejects.toBeInstanceOf(
        TurnpikeUnavailableError,
      );
      expect(sent).toHaveLength(attempts);
      await pollUntil("it is committed", async () => (await usage())?.calls === 1);
    }
  });

  it("retries when the call was certainly not taken: nothing listened", async () => {
    const { turnpike, sent } = makeClient({ url: `http://127.0.0.1:${String(deadPort)}` });
    await expect(turnpike.verify({ key: "k" })).rejects.toBeInstanceOf(TurnpikeUnavailableError);
    expect(sent).toEqual(["", ""]);
  });

  it("asks again under the same idempotency key, for retries and for what is caught up", async () => {
    const { turnpike, sent } = makeClient();
    const { key } = await makeCustomer();
    await turnpike.verify({ key });
    takeAway();
    await turnpike.verify({ key }, { onUnavailable: "allow" });
    bringBack();
    await pollUntil("it is caught up", () => turnpike.unverifiedCalls() === 0);
    const keyed = sent.filter((each) => each !== "");
    expect(keyed.length).toBeGreaterThanOrEqual(2);
    expect(new Set(keyed).size).toBe(1);
  });
});
