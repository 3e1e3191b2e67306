import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, type Sql } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createCommandLine } from "@turnpike/testkit/command-line";
import { type FaultProxy, startFaultProxy } from "@turnpike/testkit/fault-proxy";
import { makeProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf, SHARED_SECRETS } from "@turnpike/testkit/product-process";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { act, recordUsage } from "#modules/billing/testing/billing.fixture.ts";
import { tenantPlans } from "#modules/entitlements/index.ts";
import { createKey } from "#modules/keys/index.ts";
import { cancelMove, type MoveDeps, type MoveStep, moveTenant } from "#modules/moves/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { type CellName, TwoTestCells } from "./move-tenant.fixture.ts";
import { readChecksums } from "./one-of-everything.fixture.ts";

let cells: TwoTestCells;
beforeAll(async () => {
  cells = await TwoTestCells.make();
  await cells.makeCatalogs();
}, 300_000);
afterAll(() => cells.close());

const other = (cell: CellName): CellName => (cell === "east" ? "west" : "east");
/** Where a move leaves traces, or numbers rows anew. */
const CHANGED: readonly string[] = [
  ...["audit_entries", "changes", "documents", "ledger_entries", "moved_members"],
  ...["moved_numbers", "recent_usage", "tenant_moves"],
];

/** A tenant with a key, a plan, an invoice and usage. */
async function makeTenant(cell: CellName, name: string): Promise<TenantId> {
  const services = cells.servicesOf(cell);
  const { tenantId } = await createTenant({ ...services, plans: tenantPlans }, OPERATOR_CONTEXT, {
    name,
  });
  await createKey(services, OPERATOR_CONTEXT, {
    ...{ tenantId, name: "Key", environment: "live", scopes: [], metadata: {} },
  });
  await act(cells.toBilling(cell), { tenantId }, { do: "subscribe", planId: "metered" });
  await recordUsage(cells.toBilling(cell), { tenantId, at: new Date(), quantity: 250 });
  return tenantId;
}

const sumsOf = (cell: CellName, tenantId: TenantId) => cells.sumsOf(cell, tenantId, CHANGED);

async function isIn(cell: CellName, tenantId: TenantId): Promise<boolean> {
  const rows = await cells.databaseOf(cell)
    .sql`select 1 from tenants where tenant_id = ${tenantId}`;
  return rows.length > 0;
}

const move = (from: CellName, tenantId: TenantId, more?: Partial<MoveDeps>) =>
  moveTenant(cells.toMove(from, other(from), more), OPERATOR_CONTEXT, tenantId);

/** The tenant is in one cell at most, and nothing of it was counted twice or lost. */
async function expectWhole(tenantId: TenantId, why: string): Promise<void> {
  const places = [await isIn("east", tenantId), await isIn("west", tenantId)];
  expect(places.filter(Boolean).length, why).toBeLessThanOrEqual(1);
  expect(await cells.findDrift(), why).toEqual([]);
}

/** The same command ends the move, and the other cell has what there was. */
async function expectEnds(
  from: CellName,
  { tenantId, before, why }: { tenantId: TenantId; before: [string, string][]; why: string },
): Promise<void> {
  await move(from, tenantId);
  expect(await isIn(from, tenantId), why).toBe(false);
  expect(await sumsOf(other(from), tenantId), why).toEqual(before);
  expect(await cells.findDrift(), why).toEqual([]);
  const left = await cells.databaseOf(from).sql`select 1 from parked_rows`;
  expect(left, why).toHaveLength(0);
}

const proxyTo = ({ target }: TestDatabase) =>
  startFaultProxy(`${target.host}/.s.PGSQL.${String(target.port)}`);
const through = ({ target }: TestDatabase, { port }: FaultProxy) => ({
  ...{ ...target, host: "127.0.0.1", port },
});

describe("a move whose other cell fails", { timeout: 300_000 }, () => {
  it("goes on where it was after a connection to one of the cells broke anywhere", async () => {
    const below = createBelow(28);
    const tenantId = await makeTenant("east", "Interrupted");
    let cell: CellName = "east";
    let broken = 0;
    for (let round = 0; round < (IS_SOAK ? 60 : 4); round += 1) {
      const side = round % 2 === 0 ? "there" : "here";
      const database = cells.databaseOf(side === "here" ? cell : other(cell));
      const proxy = await proxyTo(database);
      const sql: Sql = connect(through(database, proxy), {
        ...{ connectionsMax: 4, applicationName: "move", statementTimeoutMs: 30_000 },
      });
      const bytes = 2_000 + below(150_000);
      const why = `round ${String(round)}: ${side} after ${String(bytes)} bytes`;
      proxy.faults = { resetAfterBytes: bytes };
      const before = await sumsOf(cell, tenantId);
      const ended = await move(cell, tenantId, { [side]: createLiveServices({ sql }) }).catch(
        (error: unknown) => error,
      );
      await sql.end({ timeout: 1 });
      await proxy.close();
      await expectWhole(tenantId, why);
      if (ended instanceof Error) {
        broken += 1;
        const whose = side === "here" ? "this cell" : "the other cell";
        expect(ended, why).toMatchObject({
          code: "DATABASE_UNAVAILABLE",
          message: expect.stringMatching(
            new RegExp(`^The database of ${whose} cannot be reached: .*Run the same command again`),
          ),
        });
        await expectEnds(cell, { tenantId, before, why });
      }
      cell = other(cell);
    }
    expect(broken).toBeGreaterThan(0);
  });

  it("adds nothing while the other cell's disk is full, and can be ended or taken back", async () => {
    const tenantId = await makeTenant("east", "Full");
    const before = await sumsOf("east", tenantId);
    const { sql } = cells.databaseOf("west");
    await sql`
      create function refuse_as_full() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`;
    // The first, and two in the middle of the tables that are taken in.
    for (const table of ["tenants", "ledger_entries", "invoice_lines"]) {
      await sql`create trigger refuse_as_full before insert on ${sql(table)} execute function refuse_as_full()`;
      await expect(move("east", tenantId), table).rejects.toMatchObject({
        code: "DATABASE_UNAVAILABLE",
        message: expect.stringMatching(
          /^The database of the other cell has no room: .*No space left/,
        ),
      });
      expect([await isIn("east", tenantId), await isIn("west", tenantId)]).toEqual([false, false]);
      await expectWhole(tenantId, table);
      await sql`drop trigger refuse_as_full on ${sql(table)}`;
    }
    await cancelMove(cells.toMove("east", "west"), OPERATOR_CONTEXT, tenantId);
    expect(await sumsOf("east", tenantId)).toEqual(before);
    await expectEnds("east", { tenantId, before, why: "after it was taken back" });
  });
});

describe("a move without the directory", { timeout: 300_000 }, () => {
  let proxy: FaultProxy;
  beforeAll(async () => {
    proxy = await proxyTo(cells.shared);
  });
  afterAll(() => proxy.close());

  /** Moves, and loses the directory after a step; `begin`: before anything. */
  async function moveWithout(cell: CellName, tenantId: TenantId, lostAfter: MoveStep | "begin") {
    const lose = () => {
      proxy.targetPort = 1;
      proxy.resetAll();
    };
    const directory = cells.openDirectoryOf(cell, through(cells.shared, proxy));
    const there = proxy.targetPort;
    try {
      if (lostAfter === "begin") {
        lose();
      }
      return await move(cell, tenantId, {
        directory,
        onStep: async (step) => {
          if (step === lostAfter) {
            lose();
          }
        },
      }).catch((error: unknown) => error);
    } finally {
      proxy.targetPort = there;
      await directory.close();
    }
  }

  it("does not begin, and changes nothing", async () => {
    const tenantId = await makeTenant("east", "Waiting");
    const before = await readChecksums(cells.databaseOf("east"), tenantId);
    expect(await moveWithout("east", tenantId, "begin")).toMatchObject({
      code: "DIRECTORY_UNAVAILABLE",
    });
    expect(await readChecksums(cells.databaseOf("east"), tenantId)).toEqual(before);
    expect(await cells.directoryOf("east").findTenant(tenantId)).toMatchObject({
      ...{ cell: "east", state: "here", version: 1 },
    });
  });

  it("stops where it is after any step, and goes on once it is back", async () => {
    const tenantId = await makeTenant("east", "Directed");
    let cell: CellName = "east";
    const steps: readonly MoveStep[] = ["checked", "stopped", "parked", "copied", "taken-in"];
    for (const step of steps) {
      const before = await sumsOf(cell, tenantId);
      expect(await moveWithout(cell, tenantId, step), step).toMatchObject({
        code: "DIRECTORY_UNAVAILABLE",
        message: "The directory of cells cannot be reached. Try again in a moment.",
      });
      await expectWhole(tenantId, step);
      const place = await cells.directoryOf(cell).findTenant(tenantId);
      expect(place?.cell, step).toBe(cell);
      await expectEnds(cell, { tenantId, before, why: step });
      cell = other(cell);
      expect(await cells.directoryOf(cell).findTenant(tenantId), step).toMatchObject({
        ...{ cell, state: "here" },
      });
    }
    for (const step of ["directed", "cleared", "done"] as const) {
      expect(await moveWithout(cell, tenantId, step), step).toMatchObject({ tenantId });
      cell = other(cell);
      expect(await isIn(cell, tenantId), step).toBe(true);
    }
  });
});

describe("turnpike tenants move, to a cell with another schema", { timeout: 120_000 }, () => {
  it("is refused in a sentence, and changes nothing", async () => {
    const tenantId = await makeTenant("east", "Schema");
    const before = await readChecksums(cells.databaseOf("east"), tenantId);
    await using folder = await makeTempFolder();
    await using home = await makeProductHome({
      ...SHARED_SECRETS,
      DATABASE_URL: databaseUrlOf(cells.databaseOf("east")),
      TURNPIKE_DIRECTORY_URL: databaseUrlOf(cells.shared),
      TURNPIKE_CELLS_SECRET: "the secret that all cells of this test share",
    });
    const configPath = join(folder.path, "turnpike.yaml");
    await writeFile(configPath, 'cell: { name: east, address: "http://127.0.0.1:3001" }\n');
    await writeFile(join(folder.path, "west.address"), databaseUrlOf(cells.databaseOf("west")));
    const turnpike = createCommandLine({
      env: { ...home.environment, TURNPIKE_CONFIG: configPath },
      workingFolder: folder.path,
    });
    const { sql } = cells.databaseOf("west");
    const [last] = await sql<{ name: string }[]>`
      delete from turnpike_migrations where name = (select max(name) from turnpike_migrations) returning *`;
    const older = await turnpike("tenants", "move", tenantId, "--to", "west.address");
    await sql`insert into turnpike_migrations ${sql(last ?? expect.fail("no migration"))}`;
    await sql`
      insert into turnpike_migrations select (jsonb_populate_record(m, '{"name": "9999_later"}')).*
      from turnpike_migrations m limit 1`;
    const newer = await turnpike("tenants", "move", tenantId, "--to", "west.address");
    await sql`delete from turnpike_migrations where name = '9999_later'`;
    for (const [refused, what] of [
      [older, /^turnpike: The other cell cannot be used\. The database is of an older version/],
      [newer, /^turnpike: The other cell cannot be used\. The database was migrated by a newer/],
    ] as const) {
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(what);
      expect(refused.stderr).toContain("Bring both cells to one version of Turnpike");
    }
    expect(await readChecksums(cells.databaseOf("east"), tenantId)).toEqual(before);
  });
});
