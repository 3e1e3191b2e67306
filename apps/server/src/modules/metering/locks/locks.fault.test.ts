import { join } from "node:path";
import { verifyKeyResponse } from "@turnpike/contract/keys";
import { lock as lockShape } from "@turnpike/contract/locks";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  databaseUrlOf,
  type ProductProcess,
  startProduct,
} from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { createServiceKey } from "#modules/keys/index.ts";
import { reconcile } from "../ledger/reconcile.ts";

let folder: TempFolder;
let database: TestDatabase;
let product: ProductProcess;
let url: string;
let serviceKey: string;

async function start(): Promise<void> {
  product = startProduct({
    cwd: folder.path,
    env: {
      DATABASE_URL: databaseUrlOf(database),
      TURNPIKE_DATA_DIR: join(folder.path, "data"),
      TURNPIKE_LOG_LEVEL: "error",
    },
  });
  url = (await product.ready).console;
}

async function kill(): Promise<void> {
  product.kill("SIGKILL");
  await product.ended;
}

async function send(method: string, path: string, body?: object) {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, json: (await reply.json()) as Record<string, unknown> };
}

const verify = async (body: object) => {
  const reply = await send("POST", "/v1/keys/verify", { meter: "tokens", ...body });
  return verifyKeyResponse.parse(reply.json);
};

beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  await start();
  const services = createLiveServices(database);
  await applyCatalog(services, OPERATOR_CONTEXT, {
    meters: [{ meterId: "tokens", name: "Tokens", unit: "token", aggregation: "sum" }],
    plans: [
      {
        planId: "capped",
        name: "Capped",
        description: "",
        currency: "EUR",
        pricePerMonth: "5",
        visibility: "public",
        rateLimits: [],
        quotas: [{ meter: "tokens", limit: 1_000, kind: "hard" }],
      },
    ],
  });
  const made = await createServiceKey(services, OPERATOR_CONTEXT, {
    name: "Test",
    scopes: ["keys:verify", "keys:write", "tenants:write"],
  });
  serviceKey = made.key;
});
afterAll(async () => {
  product.kill("SIGTERM");
  await product.ended;
  await database.close();
  await folder[Symbol.asyncDispose]();
});

describe("guarantee: a lock outlives the process that made it", () => {
  it("is settled once after a kill -9, and a kill during a settlement leaves all of it or nothing", async () => {
    const tenant = await send("POST", "/v1/tenants", { name: "Acme" });
    const tenantId = String(tenant.json["tenantId"]);
    await send("PATCH", `/v1/tenants/${tenantId}`, { planId: "capped" });
    const made = await send("POST", `/v1/tenants/${tenantId}/keys`, { name: "Key" });
    const key = String(made.json["key"]);
    const locks: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      const { lock } = await verify({ key, cost: 100, lock: {} });
      locks.push(lock?.lockId ?? expect.fail("no lock"));
    }

    // No process holds the reserved units in memory.
    await kill();
    await start();
    const [first = "", ...others] = locks;
    expect(await send("POST", `/v1/locks/${first}/settle`, { cost: 60 })).toMatchObject({
      status: 200,
      json: { state: "settled", cost: 60 },
    });

    // Killed with all settlements under way, so it is unknown which succeeded.
    const underWay = others.map((lockId, at) =>
      send("POST", `/v1/locks/${lockId}/settle`, { cost: 10 + at }).catch(() => undefined),
    );
    await Promise.race(underWay);
    await kill();
    const answers = await Promise.all(underWay);
    await start();
    const before = await Promise.all(
      others.map(async (lockId) =>
        lockShape.parse((await send("GET", `/v1/locks/${lockId}`)).json),
      ),
    );
    for (const [at, { state, cost }] of before.entries()) {
      expect(state).toBe(cost === null ? "open" : "settled");
      if (answers[at]?.status === 200) {
        expect(cost).toBe(10 + at);
      }
    }
    // A client would try again.
    for (const [at, lockId] of others.entries()) {
      const again = await send("POST", `/v1/locks/${lockId}/settle`, { cost: 10 + at });
      expect(again).toMatchObject({ status: 200, json: { cost: 10 + at } });
    }
    const used = 60 + others.reduce((sum, _lockId, at) => sum + 10 + at, 0);
    const [row] = await database.sql<{ used: number; locked: number }[]>`
      select (select sum(quantity) from ledger_entries)::float8 as used,
        (select count(*) from leases where state = 'locked')::int as locked`;
    expect(row).toEqual({ used, locked: 0 });
    const { drift } = await reconcile(createLiveServices(database), OPERATOR_CONTEXT);
    expect(drift).toBe(0);
    // Only the leases of killed processes are stranded, and never more is granted than is left.
    const [forfeited] = await database.sql<{ units: number }[]>`
      select coalesce(sum(remaining), 0)::float8 as units from leases where state = 'forfeited'`;
    const left = 1_000 - used - (forfeited?.units ?? 0);
    expect(left).toBeGreaterThan(500);
    expect((await verify({ key, cost: left + 1, lock: {} })).valid).toBe(false);
    await pollUntil("everything left is granted", async () => {
      return (await verify({ key, cost: left, lock: {} })).valid;
    });
  });
});
