import type { ServerResponse } from "node:http";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resumeTenant, stopMovingTenant } from "#modules/cells/index.ts";

let database: TestDatabase;
let shared: TestDatabase;
let app: TestApp;
const held: ServerResponse[] = [];

beforeAll(async () => {
  [database, shared] = [await createTestDatabase(), await createTestDatabase()];
  app = await startTestApp(database, {
    configText: "cell: { name: eu, address: http://127.0.0.1:3001 }",
    env: {
      TURNPIKE_DIRECTORY_URL: databaseUrlOf(shared),
      TURNPIKE_CELLS_SECRET: "the secret that all cells of this test share",
    },
    upstream: {
      onRequest: (req, res) => {
        if (req.url !== "/held") {
          return false;
        }
        held.push(res);
        return true;
      },
    },
  });
});
afterAll(async () => {
  await app.close();
  await Promise.all([database, shared].map((each) => each.close()));
});

const call = (key: string, path = "/") =>
  fetch(`${app.gatewayUrl}${path}`, { headers: { "x-api-key": key } });

async function readLedger(tenantId: TenantId) {
  const [entries] = await database.sql<{ calls: number; rows: number }[]>`
    select coalesce(sum(quantity), 0)::int as calls, count(*)::int as rows
    from ledger_entries where tenant_id = ${tenantId}`;
  const [leases] = await database.sql<{ leases: number }[]>`
    select count(*)::int as leases from leases where tenant_id = ${tenantId}`;
  return { ...entries, ...leases };
}

/** Long enough for a busy machine; only ends what hangs. */
const IN_TIME_MS = 60_000;

describe("a tenant that moves", () => {
  it("is refused until it has moved, and leaves nothing behind in a process that has stopped serving it", async () => {
    const tenantId = await app.mintTenant("Mover");
    const key = await app.mintKey(tenantId, []);
    expect((await call(key)).status).toBe(200);
    const waiting = await stopMovingTenant(app.services, { tenantId, timeoutMs: IN_TIME_MS });
    expect(waiting).toEqual([]);
    const before = await readLedger(tenantId);
    expect(before).toMatchObject({ calls: 1, leases: 0 });

    const refused = await call(key);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ code: "TENANT_MOVING" });
    const serviceKey = await app.mintServiceKey(["keys:verify"]);
    const verdict = await app.call(serviceKey, "POST", "/v1/keys/verify", { key });
    expect([verdict.status, verdict.json.code]).toEqual([503, "TENANT_MOVING"]);
    // Stopped once more, so that everything recorded until now is in the ledger.
    await resumeTenant(app.services, tenantId);
    await stopMovingTenant(app.services, { tenantId, timeoutMs: IN_TIME_MS });
    expect(await readLedger(tenantId)).toEqual(before);

    expect(await resumeTenant(app.services, tenantId)).toBe(true);
    await pollUntil("its calls pass again", async () => (await call(key)).status === 200);
    expect(await resumeTenant(app.services, tenantId)).toBe(false);
  });

  it("finishes the calls under way first, and other tenants notice nothing", async () => {
    const [tenantId, other] = [await app.mintTenant("Busy"), await app.mintTenant("Other")];
    const [key, otherKey] = [await app.mintKey(tenantId, []), await app.mintKey(other, [])];
    const underWay = call(key, "/held");
    await pollUntil("the upstream has the call", () => held.length === 1);
    const waiting = await stopMovingTenant(app.services, { tenantId, timeoutMs: 0 });
    expect(waiting.map(({ processId }) => processId)).toHaveLength(1);
    expect((await call(otherKey)).status).toBe(200);
    held.pop()?.end("done");
    expect(await (await underWay).text()).toBe("done");
    expect(await stopMovingTenant(app.services, { tenantId, timeoutMs: IN_TIME_MS })).toEqual([]);
    expect(await readLedger(tenantId)).toMatchObject({ calls: 1, leases: 0 });
  });
});
