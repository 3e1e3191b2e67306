import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database, {
    // Groups are filled for so long that an answer which waits for nothing comes first.
    configText:
      "metering: { durability: cluster, groupIntervalMs: 500 }\ntrustedProxies: [127.0.0.1]\n",
  });
  serviceKey = await app.mintServiceKey(["keys:verify"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const doors: Record<string, (key: string) => Promise<number>> = {
  "the gateway": async (key) =>
    (await fetch(`${app.gatewayUrl}/x`, { headers: { "x-api-key": key } })).status,
  "a verification": async (key) =>
    (await app.call(serviceKey, "POST", "/v1/keys/verify", { key })).status,
  "forward auth": async (key) => {
    const headers = { "x-forwarded-method": "GET", "x-forwarded-uri": "/x", "x-api-key": key };
    return (await fetch(`${app.url}/v1/authorize/caddy`, { headers })).status;
  },
};

describe("metering.durability: cluster", () => {
  it.each(Object.keys(doors))("has a call in the ledger when %s answers", async (door) => {
    const tenantId = await app.mintTenant("Acme");
    const key = await app.mintKey(tenantId, []);
    expect(await doors[door]?.(key)).toBe(200);
    const [row] = await database.sql`
      select sum(calls)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
    expect(row).toEqual({ calls: 1 });
  });
});
