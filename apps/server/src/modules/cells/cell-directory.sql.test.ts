import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import {
  type CellDirectory,
  CellTakenError,
  DirectorySecretError,
  openCellDirectory,
} from "./cell-directory.ts";

const SECRET = "the secret that all cells of this test share";
const OWN = {
  address: "http://127.0.0.1:3001",
  consoleUrl: "https://eu.example.com",
  gatewayUrl: "https://api.eu.example.com",
  identity: "the secret of the nodes of one cell",
};

let database: TestDatabase;
const opened: CellDirectory[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((directory) => directory.close()));
});
afterAll(() => database.close());

function open(cell: string, input: { secret?: string; url?: string } = {}): CellDirectory {
  const { secret = SECRET, url = databaseUrlOf(database) } = input;
  const directory = openCellDirectory({ target: { url }, secret, cell });
  opened.push(directory);
  return directory;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const newTenant = (): TenantId => newUuidId("tenant");
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

describe("the directory of cells", () => {
  it("makes its schema once, however many nodes reach it at once", async () => {
    const nodes = Array.from({ length: 12 }, (_, index) => open(index % 2 === 0 ? "eu" : "us"));
    await Promise.all(
      nodes.map((node) => node.announce({ ...OWN, identity: `${OWN.identity} ${node.cell}` })),
    );
    const cells = await open("eu").listCells();
    expect(cells.map(({ name }) => name)).toEqual(["eu", "us"]);
    expect(cells[0]).toMatchObject({ address: OWN.address, gatewayUrl: OWN.gatewayUrl });
  });

  it("refuses a cell with another secret, which would find no key", async () => {
    await open("eu").announce({ ...OWN, identity: `${OWN.identity} eu` });
    await expect(
      open("eu", { secret: "another secret that is long enough" }).listCells(),
    ).rejects.toBeInstanceOf(DirectorySecretError);
  });

  it("refuses another cell with the name of one that runs", async () => {
    await open("asia").announce(OWN);
    await open("asia").announce({ ...OWN, address: "http://127.0.0.1:3002" });
    await expect(
      open("asia").announce({ ...OWN, identity: "the secret of another cell's nodes" }),
    ).rejects.toBeInstanceOf(CellTakenError);
  });

  it("gives no address that a cell did not enter itself", async () => {
    const directory = open("africa");
    await directory.announce({ ...OWN, identity: `${OWN.identity} africa` });
    const tenantId = newTenant();
    const hash = hashOf(`of africa ${tenantId}`);
    await directory.admitKeys(tenantId, [hash]);
    await database.sql`
      update turnpike_directory.cells set address = 'https://attacker.example.com' where name = 'africa'`;
    expect((await open("us").listCells()).map(({ name }) => name)).not.toContain("africa");
    expect((await open("us").findPlaces([hash])).get(hash)).toMatchObject({ address: null });
    await directory.announce({ ...OWN, identity: `${OWN.identity} africa` });
    expect((await open("us").findPlaces([hash])).get(hash)).toMatchObject({ address: OWN.address });
  });

  it("knows where the tenant of a key lives, by its hash", async () => {
    const tenantId = newTenant();
    const [known, unknown] = [hashOf(`known ${tenantId}`), hashOf(`unknown ${tenantId}`)];
    expect(await open("eu").admitKeys(tenantId, [known])).toEqual(new Set());
    const places = await open("us").findPlaces([known, unknown]);
    expect([...places]).toEqual([
      [known, { tenantId, cell: "eu", state: "here", version: 1, address: OWN.address }],
    ]);
  });

  it("holds nothing that a key or its hash could be recognised by", async () => {
    const tenantId = newTenant();
    const hash = hashOf(`secret ${tenantId}`);
    await open("eu").admitKeys(tenantId, [hash]);
    const [row] = await database.sql<{ lookup: string }[]>`
      select encode(lookup, 'hex') as lookup from turnpike_directory.keys where tenant_id = ${tenantId}`;
    expect(row?.lookup).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.lookup).not.toBe(hash);
  });

  it("keeps a key with the tenant that has it, and says so to another", async () => {
    const [first, second] = [newTenant(), newTenant()];
    const hash = hashOf(`one key ${first}`);
    await open("eu").admitKeys(first, [hash]);
    expect(await open("eu").admitKeys(first, [hash])).toEqual(new Set());
    expect(await open("us").admitKeys(second, [hash, hashOf(`own ${second}`)])).toEqual(
      new Set([hash]),
    );
    expect((await open("us").findPlaces([hash])).get(hash)?.tenantId).toBe(first);
  });

  it("changes where a tenant lives only from the version that the caller saw", async () => {
    const directory = open("eu");
    const tenantId = newTenant();
    await directory.admitTenant(tenantId);
    const place = { tenantId, cell: "eu", state: "moving", version: 1 } as const;
    const changes = await Promise.all(
      [directory, open("eu")].map((each) => each.changeTenant(place)),
    );
    expect(changes.filter((change) => change !== undefined)).toEqual([{ ...place, version: 2 }]);
    expect(await directory.changeTenant(place)).toBeUndefined();
    expect(
      await directory.changeTenant({ tenantId, cell: "us", state: "here", version: 2 }),
    ).toEqual({
      tenantId,
      cell: "us",
      state: "here",
      version: 3,
    });
    expect(await open("us").findTenant(tenantId)).toMatchObject({ cell: "us", version: 3 });
  });

  it("tells of moves, and of nothing else", async () => {
    const directory = open("eu");
    const [moved, still] = [newTenant(), newTenant()];
    await directory.admitTenant(moved);
    await directory.admitTenant(still);
    await directory.changeTenant({ tenantId: moved, cell: "us", state: "here", version: 1 });
    const { moves } = await directory.readNews(60);
    const ids = moves.map(({ tenantId }) => tenantId);
    expect(ids).toContain(moved);
    expect(ids).not.toContain(still);
  });

  it("removes keys, and a tenant with its keys, of the cell that has it alone", async () => {
    const directory = open("eu");
    const tenantId = newTenant();
    const hashes = [hashOf(`a ${tenantId}`), hashOf(`b ${tenantId}`)];
    await directory.admitKeys(tenantId, hashes);
    await directory.dropKeys(newTenant(), hashes);
    await directory.dropKeys(tenantId, hashes.slice(0, 1));
    expect([...(await directory.findPlaces(hashes)).keys()]).toEqual(hashes.slice(1));
    expect(await open("us").dropTenant(tenantId)).toBe(false);
    expect(await directory.dropTenant(tenantId)).toBe(true);
    expect(await directory.findPlaces(hashes)).toEqual(new Map());
    expect(await directory.findTenant(tenantId)).toBeUndefined();
  });

  it("makes its schema anew where it is gone", async () => {
    const directory = open("eu");
    await directory.listCells();
    await database.sql`drop schema turnpike_directory cascade`;
    expect(await codeOf(directory.listCells())).toBe("DIRECTORY_UNAVAILABLE");
    expect(await open("eu").listCells()).toEqual([]);
  });

  it("fails with a code that says so while it is away, and tries again once a second", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const clock = createFakeClock();
    const target = { url: `postgres://user@127.0.0.1:${String(port)}/none` };
    const directory = openCellDirectory({ target, secret: SECRET, cell: "eu" }, clock);
    opened.push(directory);
    expect(await codeOf(directory.admitTenant(newTenant()))).toBe("DIRECTORY_UNAVAILABLE");
    const tried = connections;
    expect(tried).toBeGreaterThan(0);
    expect(await codeOf(directory.findPlaces([hashOf("any")]))).toBe("DIRECTORY_UNAVAILABLE");
    expect(connections).toBe(tried);
    clock.advance(1_000);
    expect(await codeOf(directory.findPlaces([hashOf("any")]))).toBe("DIRECTORY_UNAVAILABLE");
    expect(connections).toBeGreaterThan(tried);
    server.close();
  });
});
