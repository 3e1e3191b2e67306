import { verifyTokenResponse } from "@turnpike/contract/auth";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type FaultProxy, startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CellDirectory, openCellDirectory } from "#modules/cells/index.ts";
import { createPostgresFileStore } from "#modules/files/index.ts";
import { memberKeys } from "#modules/keys/index.ts";
import { type MoveStep, moveTenant } from "#modules/moves/index.ts";
import { removeMember } from "#modules/tenants/index.ts";
import { PERSON_RESOURCES } from "./person-resources.ts";

const SECRET = "the secret that all cells of this test share";
type Name = "east" | "west";
type Cell = { app: TestApp; database: TestDatabase; directory: CellDirectory };

let shared: TestDatabase;
let proxy: FaultProxy;
let cells: Record<Name, Cell>;
let asia: CellDirectory;

const consoleOf = (cell: string) => `https://${cell}.example.com`;

function openDirectoryOf(cell: string): CellDirectory {
  return openCellDirectory({ target: shared.target, secret: SECRET, cell });
}

async function startCell(name: Name): Promise<Cell> {
  const database = await createTestDatabase();
  await database.sql`
    insert into nodes (node_id, name, version, fingerprint, started_at, seen_at)
    values ('nod_1', ${name}, '0', ${database.sql.json({ secret: "equal" })}, now(), now())`;
  const { user, password, database: directoryName } = shared.target;
  const app = await startTestApp(database, {
    consoleUrl: consoleOf(name),
    configText: `cell: { name: ${name}, address: "http://127.0.0.1:3001" }\nbilling: { invoicePrefix: ${name.toUpperCase()} }`,
    env: {
      TURNPIKE_DIRECTORY_URL: `postgres://${user}:${password}@127.0.0.1:${String(proxy.port)}/${directoryName}`,
      TURNPIKE_CELLS_SECRET: SECRET,
    },
  });
  return { app, database, directory: openDirectoryOf(name) };
}

beforeAll(async () => {
  shared = await createTestDatabase();
  proxy = await startFaultProxy(`${shared.target.host}/.s.PGSQL.${String(shared.target.port)}`);
  // One after the other: each hears of those before it at its start.
  asia = openDirectoryOf("asia");
  await asia.announce({
    ...{ address: "http://127.0.0.1:3001", consoleUrl: consoleOf("asia") },
    ...{ gatewayUrl: "http://gateway.test", identity: "of asia" },
  });
  const west = await startCell("west");
  cells = { west, east: await startCell("east") };
});
afterAll(async () => {
  const all = Object.values(cells);
  await Promise.all(all.map(({ app }) => app.close()));
  await Promise.all([asia, ...all.map(({ directory }) => directory)].map((each) => each.close()));
  await proxy.close();
  await Promise.all([shared, ...all.map(({ database }) => database)].map((each) => each.close()));
});

async function move(
  tenantId: TenantId,
  { from, to }: { from: Name; to: Name },
  onStep?: (step: MoveStep) => Promise<void>,
): Promise<void> {
  const [here, there] = [cells[from].app.services, cells[to].app.services];
  await moveTenant(
    {
      ...{ here, there, directory: cells[from].directory, otherCell: to, onStep },
      stores: { from: createPostgresFileStore(here), to: createPostgresFileStore(there) },
      ...{ secretNames: ["secret"], timeoutMs: 60_000, report: () => undefined },
    },
    OPERATOR_CONTEXT,
    tenantId,
  );
  await Promise.all(Object.values(cells).map(({ app }) => app.hearChanges()));
}

/** What the east answers a person who signs in. */
async function signIn(token: string) {
  const reply = await fetch(`${cells.east.app.url}/auth/verify`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return verifyTokenResponse.parse(await reply.json());
}

/** What the east answers a person who asks for a tenant, and for something of it. */
async function ask(token: string, tenantId: TenantId) {
  const { app } = cells.east;
  const [tenant, keys] = [
    await app.call(token, "GET", `/v1/tenants/${tenantId}`),
    await app.call(token, "GET", `/v1/tenants/${tenantId}/keys`),
  ];
  expect(keys.json.code).toBe(tenant.json.code);
  return tenant;
}

describe("a tenant that left for another cell", () => {
  it("is said to be there to those who were its members then, and does not exist for anyone else", async () => {
    const { app } = cells.east;
    const tenantId = await app.mintTenant("Mover");
    const member = await app.mintMember(tenantId, "viewer");
    const former = await app.mintMember(tenantId, "viewer");
    const stranger = await app.mintMember(await app.mintTenant("Other"), "owner");
    await removeMember({ ...app.services, memberKeys }, OPERATOR_CONTEXT, {
      tenantId,
      userId: former.userId,
    });
    expect((await signIn(member.token)).movedTenants).toBeUndefined();
    const moved = { tenantId, name: "Mover", slug: "mover", cell: "west" };

    await move(tenantId, { from: "east", to: "west" }, async (step) => {
      if (step !== "parked") {
        return;
      }
      await app.hearChanges();
      const onItsWay = await ask(member.token, tenantId);
      expect(onItsWay.json).toMatchObject({
        code: "TENANT_ELSEWHERE",
        detail: "This tenant is on its way to another cell, west. Try again in a moment.",
      });
      expect((await signIn(member.token)).movedTenants).toEqual([
        { ...moved, consoleUrl: consoleOf("west"), isMoving: true },
      ]);
    });

    const told = await ask(member.token, tenantId);
    expect(told.status, told.text).toBe(409);
    expect(told.json).toMatchObject({
      ...{ code: "TENANT_ELSEWHERE", cell: "west", consoleUrl: consoleOf("west") },
      detail: "This tenant lives in another cell, west: ask at https://west.example.com.",
    });
    const { tenants, movedTenants } = await signIn(member.token);
    expect(tenants).toEqual([]);
    expect(movedTenants).toEqual([{ ...moved, consoleUrl: consoleOf("west"), isMoving: false }]);

    for (const { token } of [former, stranger]) {
      const hidden = await ask(token, tenantId);
      expect([hidden.status, hidden.json.code]).toEqual([404, "RESOURCE_NOT_FOUND"]);
      expect(hidden.text).not.toContain("west");
      expect((await signIn(token)).movedTenants).toBeUndefined();
    }
  });

  it("is named where it is by now: it moved on, or was deleted there", async () => {
    const { app } = cells.east;
    const tenantId = await app.mintTenant("Nomad");
    const { token } = await app.mintMember(tenantId, "owner");
    await move(tenantId, { from: "east", to: "west" });
    const place = await asia.findTenant(tenantId);
    await asia.changeTenant({
      tenantId,
      cell: "asia",
      state: "here",
      version: place?.version ?? 0,
    });
    expect((await ask(token, tenantId)).json).toMatchObject({ cell: "asia" });
    expect((await signIn(token)).movedTenants).toMatchObject([
      { cell: "asia", consoleUrl: consoleOf("asia") },
    ]);
    await asia.dropTenant(tenantId);
    expect((await ask(token, tenantId)).status).toBe(404);
    expect((await signIn(token)).movedTenants).toBeUndefined();
  });

  it("is named where it went while the directory is away", async () => {
    const { app } = cells.east;
    const tenantId = await app.mintTenant("Cut off");
    const { token } = await app.mintMember(tenantId, "owner");
    await move(tenantId, { from: "east", to: "west" });
    const port = proxy.targetPort;
    proxy.targetPort = 1;
    proxy.resetAll();
    try {
      expect((await ask(token, tenantId)).json).toMatchObject({ cell: "west" });
      expect((await signIn(token)).movedTenants).toMatchObject([
        { cell: "west", consoleUrl: consoleOf("west"), isMoving: false },
      ]);
    } finally {
      proxy.targetPort = port;
    }
    const entries = app.services.cellEntries;
    await pollUntil("the directory answers again", async () => {
      const entered = await entries?.admitTenant(tenantId).catch((error: unknown) => error);
      return entered === undefined;
    });
  });

  it("is here again when it comes back, and nothing is left of where it was", async () => {
    const { app, database } = cells.east;
    const tenantId = await app.mintTenant("Homesick");
    const { token } = await app.mintMember(tenantId, "owner");
    await move(tenantId, { from: "east", to: "west" });
    await move(tenantId, { from: "west", to: "east" });
    const { tenants, movedTenants } = await signIn(token);
    expect([tenants.map(({ slug }) => slug), movedTenants]).toEqual([["homesick"], undefined]);
    expect((await ask(token, tenantId)).status).toBe(200);
    expect(
      await database.sql`select 1 from moved_members where tenant_id = ${tenantId}`,
    ).toHaveLength(0);
  });

  it("is in the export of an account, and forgotten with it", async () => {
    const { app } = cells.east;
    const tenantId = await app.mintTenant("Kept");
    const { token, userId } = await app.mintMember(tenantId, "owner");
    await move(tenantId, { from: "east", to: "west" });
    const { transact } = app.services;
    const moves =
      PERSON_RESOURCES.find(({ kind }) => kind === "movedTenants") ?? expect.fail("not listed");
    // The person is in no tenant by now.
    const person = { userId, tenantIds: [] };
    const listed = await transact.asOperator((tx) => moves.list(tx, { ...person, limit: 10 }));
    expect(listed).toMatchObject([{ tenantId, name: "Kept", cell: "west" }]);
    await transact.asOperator(async (tx) => await moves.forget?.(tx, person));
    expect((await ask(token, tenantId)).status).toBe(404);
    expect((await signIn(token)).movedTenants).toBeUndefined();
  });
});
