import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTurnpike, type Turnpike } from "./create-turnpike.ts";
import type { RoutePolicy } from "./guard-call.ts";
import { turnpikeNext } from "./next.ts";

let database: TestDatabase;
let app: TestApp;
let operator: string;
let turnpike: Turnpike;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey([
    "keys:verify",
    "keys:write",
    "tenants:write",
    "catalog:write",
  ]);
  const rateLimits = [{ name: "burst", limit: 1, windowSeconds: 3_600 }];
  const quotas = [{ meter: "requests", limit: 1, kind: "hard" }];
  const catalog = {
    meters: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
    plans: [
      { planId: "rate", name: "One an hour", scopes: ["maps:read"], rateLimits },
      { planId: "quota", name: "One a month", scopes: ["maps:read"], quotas },
    ],
  };
  expect((await app.call(operator, "PUT", "/v1/catalog", catalog)).status).toBe(200);
  turnpike = createTurnpike({
    url: app.url,
    serviceKey: operator,
    timeoutMs: 60_000,
    deadlineMs: 120_000,
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

async function makeCustomer(planId: string): Promise<{ tenantId: string; key: string }> {
  const tenantId = await app.mintTenant(`Customer of ${planId}`);
  await app.call(operator, "PATCH", `/v1/tenants/${tenantId}`, { planId });
  const path = `/v1/tenants/${tenantId}/keys`;
  const made = await app.call(operator, "POST", path, { name: "Key", scopes: ["maps:read"] });
  expect(made.status).toBe(201);
  await app.hearChanges();
  return { tenantId, key: String(made.json.key) };
}

/** Calls a handler behind two guards, of which the outer one takes a unit. */
async function callGuarded(key: string, policy: RoutePolicy<Request>) {
  const inner = turnpikeNext(turnpike, () => Response.json({ code: "PASSED" }), policy);
  const request = new Request("http://api.test/v1", { headers: { "x-api-key": key } });
  const response = await turnpikeNext(turnpike, inner)(request, {});
  const { code } = (await response.json()) as { code: string };
  return { status: response.status, code };
}

describe("two guards on one call", () => {
  it.each([
    ["rate", "RATE_LIMITED"],
    ["quota", "QUOTA_EXCEEDED"],
  ])("let the last call of a %s pass, and refuse the next one by %s", async (planId, code) => {
    const { key, tenantId } = await makeCustomer(planId);
    const policy = { scopes: "maps:read" };
    expect(await callGuarded(key, policy)).toEqual({ status: 200, code: "PASSED" });
    expect(await callGuarded(key, policy)).toEqual({ status: 429, code });
    const units = await pollUntil("the call is committed", async () => {
      const [row] = await database.sql<{ units: number }[]>`
        select coalesce(sum(quantity), 0)::int as units
        from ledger_entries where tenant_id = ${tenantId}`;
      return row !== undefined && row.units > 0 && row.units;
    });
    expect(units).toBe(1);
  });

  it("refuse what the key may not do with the last call of a limit too", async () => {
    const { key } = await makeCustomer("rate");
    const policy = { scopes: "maps:write" };
    expect(await callGuarded(key, policy)).toEqual({ status: 403, code: "INSUFFICIENT_SCOPE" });
  });
});
