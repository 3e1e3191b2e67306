import type { TenantId } from "@turnpike/domain/ids/ids";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, hashKey, importKeys, rollKey } from "#modules/keys/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { type CellDirectory, openCellDirectory } from "./cell-directory.ts";

const SECRET = "the secret that all cells of this test share";

type Cell = { database: TestDatabase; services: TestServices; directory: CellDirectory };

let shared: TestDatabase;
let databases: TestDatabase[];
let eu: Cell;
let us: Cell;

/** Nothing listens there. */
const AWAY = { url: "postgres://user@127.0.0.1:1/none" };

async function makeCell(name: string): Promise<Cell> {
  const database = await createTestDatabase();
  databases.push(database);
  const target = { url: databaseUrlOf(shared) };
  const directory = openCellDirectory({ target, secret: SECRET, cell: name });
  return {
    database,
    directory,
    services: { ...createTestServices(database), cellEntries: directory },
  };
}

beforeAll(async () => {
  databases = [];
  shared = await createTestDatabase();
  [eu, us] = [await makeCell("eu"), await makeCell("us")];
});
afterAll(async () => {
  await Promise.all([eu, us].map(({ directory }) => directory.close()));
  await Promise.all([shared, ...databases].map((database) => database.close()));
});

const create = (services: TestServices, tenantId: TenantId) =>
  createKey(services, OPERATOR_CONTEXT, {
    tenantId,
    name: "Key",
    environment: "live",
    scopes: [],
    metadata: {},
  });

const rowOf = (text: string) => ({ hash: hashKey(text), name: text });

describe("what is made in a cell", () => {
  it("is in the directory: a tenant, its keys, and those that replace them", async () => {
    const { tenantId } = await createTestTenant(eu.services);
    expect(await us.directory.findTenant(tenantId)).toMatchObject({ cell: "eu", state: "here" });
    const made = await create(eu.services, tenantId);
    const rolled = await rollKey(eu.services, OPERATOR_CONTEXT, {
      tenantId,
      keyId: made.keyId,
      graceSeconds: 60,
    });
    await importKeys(eu.services, OPERATOR_CONTEXT, {
      tenantId,
      dryRun: false,
      rows: [rowOf(`imported ${tenantId}`)],
    });
    const hashes = [made.key, rolled.key, `imported ${tenantId}`].map(hashKey);
    const places = await us.directory.findPlaces(hashes);
    expect([...places.keys()].sort()).toEqual(hashes.sort());
    expect(new Set([...places.values()].map((place) => place.tenantId))).toEqual(
      new Set([tenantId]),
    );
  });

  it("refuses to import a key that a tenant of another cell has, as if it were not valid", async () => {
    const ours = await createTestTenant(eu.services);
    const theirs = await createTestTenant(us.services);
    const text = `shared ${ours.tenantId}`;
    await importKeys(eu.services, OPERATOR_CONTEXT, {
      tenantId: ours.tenantId,
      dryRun: false,
      rows: [rowOf(text)],
    });
    const answer = await importKeys(us.services, OPERATOR_CONTEXT, {
      tenantId: theirs.tenantId,
      dryRun: false,
      rows: [rowOf(text), rowOf(`own ${theirs.tenantId}`)],
    });
    expect(answer.items.map(({ status }) => status)).toEqual(["refused", "imported"]);
  });

  it("enters nothing for a dry run", async () => {
    const { tenantId } = await createTestTenant(eu.services);
    const text = `rehearsed ${tenantId}`;
    const dry = { tenantId, dryRun: true, rows: [rowOf(text)] };
    expect((await importKeys(eu.services, OPERATOR_CONTEXT, dry)).imported).toBe(1);
    expect(await us.directory.findPlaces([hashKey(text)])).toEqual(new Map());
  });

  it("is not made while the directory is away", async () => {
    const { tenantId } = await createTestTenant(eu.services);
    const directory = openCellDirectory({ target: AWAY, secret: SECRET, cell: "eu" });
    const cutOff = { ...eu.services, cellEntries: directory };
    const count = async () => {
      const [row] = await eu.database.sql`
        select (select count(*) from tenants) as tenants, (select count(*) from api_keys) as keys`;
      return row;
    };
    const before = await count();
    const refusals = [
      await refusalOf(create(cutOff, tenantId)),
      await refusalOf(createTenant(cutOff, OPERATOR_CONTEXT, { name: "Late" })),
      await refusalOf(
        importKeys(cutOff, OPERATOR_CONTEXT, {
          tenantId,
          dryRun: false,
          rows: [rowOf(`late ${tenantId}`)],
        }),
      ),
    ];
    expect(refusals.map(({ code }) => code)).toEqual(Array(3).fill("DIRECTORY_UNAVAILABLE"));
    expect(await count()).toEqual(before);
    await directory.close();
  });
});
