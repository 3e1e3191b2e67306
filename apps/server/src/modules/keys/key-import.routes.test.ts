import { hash } from "node:crypto";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
let service: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  service = await app.mintServiceKey(["keys:write", "keys:verify"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const rowOf = (key: string, more: object = {}) => ({
  hash: hash("sha256", key, "hex"),
  name: "Imported",
  ...more,
});

describe("POST /v1/tenants/{tenantId}/keys/import", () => {
  it("makes keys of any form work on every process, even those just refused as unknown", async () => {
    const tenantId = await app.mintTenant("Importer");
    const key = "sk-old.system:4b1e0f0f-canary";
    const verify = () => app.call(service, "POST", "/v1/keys/verify", { key });
    const viaGateway = () =>
      fetch(`${app.gatewayUrl}/hello`, { headers: { authorization: `Bearer ${key}` } });
    expect((await verify()).json).toMatchObject({ valid: false, code: "INVALID_KEY" });
    expect((await viaGateway()).status).toBe(401);
    expect((await app.call(key, "GET", `/v1/tenants/${tenantId}`)).status).toBe(401);

    const rows = [rowOf(key, { scopes: ["tenants:read"], metadata: { team: "maps" } })];
    const path = `/v1/tenants/${tenantId}/keys/import`;
    const reply = await app.call(service, "POST", path, { rows });
    // The service key lacks tenants:read, so it cannot give it.
    expect(reply.json).toMatchObject({ imported: 0, refused: 1 });
    const operator = await app.mintServiceKey(["keys:write", "tenants:read"]);
    const done = await app.call(operator, "POST", path, { rows });
    expect(done).toMatchObject({ status: 200, json: { imported: 1, refused: 0 } });

    await pollUntil("the key works", async () => (await verify()).json.valid === true);
    expect((await verify()).json).toMatchObject({ tenantId, metadata: { team: "maps" } });
    const passed = await viaGateway();
    expect(passed.status).toBe(200);
    expect((await app.call(key, "GET", `/v1/tenants/${tenantId}`)).json.tenantId).toBe(tenantId);

    const log = app.logged();
    expect(log).not.toContain(key);
    expect(log).not.toContain(hash("sha256", key, "hex"));
  });

  it("refuses an empty request and one with too many rows", async () => {
    const tenantId = await app.mintTenant("Bounds");
    const path = `/v1/tenants/${tenantId}/keys/import`;
    for (const count of [0, 1_001]) {
      const rows = Array.from({ length: count }, () => ({}));
      const reply = await app.call(service, "POST", path, { rows });
      expect(reply).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
    }
  });

  it("imports a thousand rows in one call", async () => {
    const tenantId = await app.mintTenant("Many");
    const rows = Array.from({ length: 1_000 }, (_, index) => rowOf(`many-${String(index)}`));
    const path = `/v1/tenants/${tenantId}/keys/import`;
    expect((await app.call(service, "POST", path, { rows })).json.imported).toBe(1_000);
    expect((await app.call(service, "POST", path, { rows })).json.existing).toBe(1_000);
  });
});
