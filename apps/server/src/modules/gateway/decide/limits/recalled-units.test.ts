import { verifyKeyResponse } from "@turnpike/contract/keys";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { reconcile } from "#modules/metering/index.ts";

const LIMIT = 100;

let database: TestDatabase;
/** Two processes on one database: each holds slices of the same quotas. */
let apps: [TestApp, TestApp];
let serviceKey: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const first = await startTestApp(database);
  apps = [first, await startTestApp(database)];
  serviceKey = await first.mintServiceKey(["keys:verify", "keys:write", "tenants:write"]);
  await applyCatalog(first.services, OPERATOR_CONTEXT, {
    meters: [],
    plans: [
      {
        planId: "hundred",
        name: "Hundred",
        description: "",
        currency: "EUR",
        pricePerMonth: "5",
        visibility: "public",
        rateLimits: [],
        quotas: [{ meter: "requests", limit: LIMIT, kind: "hard" }],
      },
    ],
  });
});
afterAll(async () => {
  for (const app of apps) {
    await app.close();
  }
  await database.close();
});

async function mintKey(): Promise<string> {
  const [app] = apps;
  const tenantId = await app.mintTenant("Acme");
  const path = `/v1/tenants/${tenantId}`;
  expect((await app.call(serviceKey, "PATCH", path, { planId: "hundred" })).status).toBe(200);
  return (await app.call(serviceKey, "POST", `${path}/keys`, { name: "Key" })).json.key;
}

async function verify(app: TestApp, key: string, cost = 1) {
  const { json } = await app.call(serviceKey, "POST", "/v1/keys/verify", { key, cost });
  return verifyKeyResponse.parse(json);
}

/** Retries while the answer says to come back in a second: when others are slow to return units, it takes several tries. */
async function verifyPatiently(app: TestApp, key: string, cost = 1) {
  return await pollUntil("an answer for good", async () => {
    const answer = await verify(app, key, cost);
    return answer.retryAfterSeconds === 1 ? undefined : answer;
  });
}

describe("units of a quota that another process holds", () => {
  it("are given to who has a call for them: the last unit is admitted, and not one more", async () => {
    const [idle, busy] = apps;
    const key = await mintKey();
    expect(await verifyPatiently(idle, key)).toMatchObject({ valid: true });
    for (let call = 1; call < LIMIT; call += 1) {
      expect(await verifyPatiently(busy, key), `call ${String(call)}`).toMatchObject({
        valid: true,
      });
    }
    for (const app of apps) {
      expect(await verifyPatiently(app, key)).toMatchObject({
        valid: false,
        code: "QUOTA_EXCEEDED",
      });
    }
    expect(await reconcile(idle.services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
  });

  it("move back and forth between processes, in any amount", async () => {
    const key = await mintKey();
    let admitted = 0;
    for (let turn = 0; admitted + 5 <= LIMIT; turn += 1) {
      const app = apps[turn % 2 === 0 ? 0 : 1];
      expect(await verifyPatiently(app, key, 5), `after ${String(admitted)}`).toMatchObject({
        valid: true,
      });
      admitted += 5;
    }
    expect(admitted).toBe(LIMIT);
    expect(await verifyPatiently(apps[0], key)).toMatchObject({
      valid: false,
      code: "QUOTA_EXCEEDED",
    });
  });

  it("are there for a lock that is settled beyond what it reserved", async () => {
    const [idle, busy] = apps;
    const key = await mintKey();
    expect(await verifyPatiently(idle, key)).toMatchObject({ valid: true });
    const locked = await busy.call(serviceKey, "POST", "/v1/keys/verify", {
      key,
      cost: 10,
      lock: {},
    });
    const { lockId } = locked.json.lock;
    const settle = (cost: number) =>
      busy.call(serviceKey, "POST", `/v1/locks/${lockId}/settle`, { cost });
    expect(await settle(LIMIT)).toMatchObject({ status: 409, json: { code: "LOCK_EXCEEDED" } });
    // Where the other is slow to give back, it takes more than one try.
    await pollUntil("room", async () => (await settle(LIMIT - 1)).status === 200);
    expect(await verifyPatiently(busy, key)).toMatchObject({ code: "QUOTA_EXCEEDED" });
  });
});
