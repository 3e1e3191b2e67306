import { SCOPES } from "@turnpike/domain/access/scopes";
import { type ClickHouseServer, startClickHouse } from "@turnpike/testkit/clickhouse-server";
import { PeerUnavailableError } from "@turnpike/testkit/install-peer";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyUsage } from "#modules/analytics/index.ts";
import { rollUpUsage } from "#modules/metering/index.ts";
import { openClickHouse } from "#platform/clickhouse.ts";

const server: ClickHouseServer | undefined = await startClickHouse().catch((error: unknown) => {
  if (error instanceof PeerUnavailableError) {
    return undefined;
  }
  throw error;
});

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  const { url, user, password } = server?.settings ?? {
    url: "http://127.0.0.1:9",
    user: "x",
    password: "x",
  };
  app = await startTestApp(database, {
    configText: `clickhouse: { url: "${url}", user: ${user} }\n`,
    env: { TURNPIKE_CLICKHOUSE_PASSWORD: password },
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
  await server?.[Symbol.asyncDispose]();
});

const partOf = async () =>
  (await app.call(undefined, "GET", "/health/ready")).json.parts.clickhouse;

describe.skipIf(server === undefined)("an installation whose ClickHouse is away", () => {
  it("shows nothing over all tenants, says so, and does everything else as before", async () => {
    const service = await app.mintServiceKey(SCOPES);
    const tenantId = await app.mintTenant("Acme");
    const key = await app.mintKey(tenantId, ["usage:read"]);
    await app.hearChanges();
    const verify = async () =>
      (await app.call(service, "POST", "/v1/keys/verify", { key })).json.valid;
    const requestsOf = async (path: string) =>
      (await app.call(service, "GET", path)).json.totals?.requests;
    const [all, own] = [
      "/v1/usage?measures=requests",
      `/v1/tenants/${tenantId}/usage?measures=requests`,
    ];

    expect(await verify()).toBe(true);
    await pollUntil("it is counted", async () => (await requestsOf(all)) === 1);
    await rollUpUsage(app.services, "minutes");
    await rollUpUsage(app.services, "hours");
    const clickhouse = openClickHouse(
      server?.settings ?? { url: "", database: "", user: "", password: "", timeoutMs: 1 },
    );
    expect(await copyUsage({ ...app.services, clickhouse })).toBeGreaterThan(0);
    expect(await requestsOf(all)).toBe(1);
    expect((await partOf())?.status).toBe("ok");

    await server?.kill();
    for (const path of [all, "/v1/usage.csv?measures=requests"]) {
      const { status, json, headers } = await app.call(service, "GET", path);
      expect(status).toBe(503);
      expect(json).toMatchObject({ code: "CLICKHOUSE_UNAVAILABLE" });
      expect(headers.get("retry-after")).toBe("10");
    }
    await pollUntil("the health says so", async () => (await partOf())?.status === "degraded");
    expect(await verify()).toBe(true);
    await pollUntil("the tenant sees it", async () => (await requestsOf(own)) === 2);
    // A tenant's own key asks about its tenant by the same path.
    expect((await app.call(key, "GET", all)).json.totals.requests).toBe(2);

    await server?.start();
    expect(await requestsOf(all)).toBe(2);
    await clickhouse.close();
  });
});
