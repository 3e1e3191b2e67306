import { createHash } from "node:crypto";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, hashKey } from "#modules/keys/index.ts";
import { newUuidId } from "#platform/new-id.ts";
import { type CellDirectory, openCellDirectory } from "./cell-directory.ts";
import { compareDirectory } from "./compare-directory.ts";

const SECRET = "the secret that all cells of this test share";

let shared: TestDatabase;
let database: TestDatabase;
/** Of a cell that did not know the directory yet. */
let services: TestServices;
let directory: CellDirectory;

beforeAll(async () => {
  [shared, database] = [await createTestDatabase(), await createTestDatabase()];
  services = createTestServices(database);
  const target = { url: databaseUrlOf(shared) };
  directory = openCellDirectory({ target, secret: SECRET, cell: "eu" });
  await directory.announce({
    address: "http://127.0.0.1:3001",
    consoleUrl: "https://eu.example.com",
    gatewayUrl: "https://api.eu.example.com",
    identity: "the secret of the nodes of one cell",
  });
});
afterAll(async () => {
  await directory.close();
  await Promise.all([shared, database].map((each) => each.close()));
});

const compare = (signal = new AbortController().signal) =>
  compareDirectory({ ...services, directory }, { signal });

/** As after an hour. */
async function comparesAgain(): Promise<void> {
  await shared.sql`
    update turnpike_directory.cells set compared_at = now() - interval '2 hours' where name = 'eu'`;
  await shared.sql`update turnpike_directory.keys set created_at = now() - interval '2 hours'`;
  await shared.sql`update turnpike_directory.tenants set created_at = now() - interval '2 hours'`;
}

async function makeTenant(): Promise<{ tenantId: TenantId; hash: string }> {
  const { tenantId } = await createTestTenant(services);
  const { key } = await createKey(services, OPERATOR_CONTEXT, {
    tenantId,
    name: "Key",
    environment: "live",
    scopes: [],
    metadata: {},
  });
  return { tenantId, hash: hashKey(key) };
}

describe("compareDirectory", () => {
  it("enters the tenants and keys of an installation that joins, and looks again after an hour", async () => {
    const made = [await makeTenant(), await makeTenant()];
    expect(await compare()).toBeGreaterThanOrEqual(made.length);
    const places = await directory.findPlaces(made.map(({ hash }) => hash));
    for (const { tenantId, hash } of made) {
      expect(places.get(hash)).toMatchObject({ tenantId, cell: "eu", state: "here", version: 1 });
    }
    const later = await makeTenant();
    expect(await compare()).toBe(0);
    await comparesAgain();
    expect(await compare()).toBeGreaterThan(0);
    expect((await directory.findPlaces([later.hash])).size).toBe(1);
  });

  it("removes what the cell does not have, but nothing that may be about to be made", async () => {
    const kept = await makeTenant();
    const dead = createHash("sha256").update("never made").digest("hex");
    const gone = newUuidId("tenant");
    await directory.admitKeys(kept.tenantId, [dead]);
    await directory.admitTenant(gone);
    await shared.sql`update turnpike_directory.cells set compared_at = null`;
    await compare();
    expect((await directory.findPlaces([dead])).size).toBe(1);
    expect(await directory.findTenant(gone)).toBeDefined();
    await comparesAgain();
    await compare();
    expect((await directory.findPlaces([dead])).size).toBe(0);
    expect(await directory.findTenant(gone)).toBeUndefined();
    expect((await directory.findPlaces([kept.hash])).size).toBe(1);
  });

  it("takes a tenant back from an older copy of the directory, and leaves a newer entry alone", async () => {
    const { tenantId } = await makeTenant();
    await database.sql`update tenants set place_version = 5 where tenant_id = ${tenantId}`;
    await directory.admitTenant(tenantId);
    await shared.sql`
      update turnpike_directory.tenants set cell = 'us', version = 3 where tenant_id = ${tenantId}`;
    await comparesAgain();
    await compare();
    expect(await directory.findTenant(tenantId)).toMatchObject({ cell: "eu", version: 5 });
    await directory.changeTenant({ tenantId, cell: "us", state: "here", version: 5 });
    await comparesAgain();
    await compare();
    expect(await directory.findTenant(tenantId)).toMatchObject({ cell: "us", version: 6 });
  });

  it("goes on where it was stopped", async () => {
    const { hash } = await makeTenant();
    await comparesAgain();
    const stopping = new AbortController();
    stopping.abort();
    expect(await compare(stopping.signal)).toBe(0);
    await shared.sql`update turnpike_directory.cells set compared_to = 'directory:'`;
    await compare();
    // The first half was taken for done.
    expect((await directory.findPlaces([hash])).size).toBe(0);
    await comparesAgain();
    await compare();
    expect((await directory.findPlaces([hash])).size).toBe(1);
  });
});
