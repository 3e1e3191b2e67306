import { join } from "node:path";
import { type CommandLine, createCommandLine } from "@turnpike/testkit/command-line";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMetering } from "#modules/metering/index.ts";
import { openDataFolder } from "#platform/data-folder.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact } from "#platform/transact.ts";

const STOP_MS = 1;

let database: TestDatabase;
let services: TestServices;
let home: ProductHome;
let dead: TempFolder;
let turnpike: CommandLine;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  home = await makeProductHome({ DATABASE_URL: databaseUrlOf(database) });
  dead = await makeTempFolder();
  turnpike = createCommandLine({ env: home.environment, workingFolder: home.dataFolder });
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await dead[Symbol.asyncDispose]();
  await database.close();
});

/** Leaves calls in the journal of a node that cannot reach the database any more and is never heard of again. */
async function die(calls: number): Promise<void> {
  let isCutOff = false;
  const { transaction } = database.sql;
  const transact = createTransact({
    transaction: async (work, options) => {
      if (isCutOff) {
        throw Object.assign(new Error("cut off"), { code: "ECONNRESET" });
      }
      return await transaction(work, options);
    },
  });
  const metering = await startMetering(
    { ...services, newId: newUuidId, transact, folder: dead.path, nodeName: "web-2:3000" },
    { groupIntervalMs: 1, durability: "strict" },
  );
  isCutOff = true;
  for (let call = 0; call < calls; call += 1) {
    metering.recorder.record({
      tenantId: newUuidId("tenant"),
      keyId: newUuidId("key"),
      environment: "live",
      meterId: "requests",
      outcome: "VALID",
      status: 200,
      method: "GET",
      route: "/",
      occurredAtMs: services.clock.now().getTime(),
      periodStartMs: Date.UTC(2026, 0, 1),
      periodEndMs: Date.UTC(2099, 0, 1),
      quantity: 1,
      leaseId: undefined,
    });
  }
  await metering.recorder.whenJournaled();
  expect(metering.recorder.health.callsWaiting).toBe(calls);
  await metering.stop(STOP_MS);
  // What its last heartbeat said, and the silence since.
  await database.sql`
    update processes set calls_waiting = ${calls}, heartbeat_at = now() - interval '2 minutes'
    where process_id = ${metering.processId}`;
}

async function countCalls(): Promise<number> {
  const [row] = await database.sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from ledger_entries`;
  return row?.calls ?? 0;
}

async function seeNodes(): Promise<string> {
  const { stdout } = await turnpike("doctor", "--json");
  const { checks } = JSON.parse(stdout) as { checks: { id: string; seen: string }[] };
  return checks.find(({ id }) => id === "nodes")?.seen ?? "";
}

async function recover(folder = dead.path) {
  const { code, stdout, stderr } = await turnpike("journal", "recover", folder, "--json");
  return { code, stderr, result: stdout === "" ? undefined : JSON.parse(stdout) };
}

describe("turnpike journal recover", () => {
  it("commits the calls of a dead node once, and until then the doctor counts them", async () => {
    await die(7);
    expect(await countCalls()).toBe(0);
    expect(await seeNodes()).toMatch(/^Silent with 7 calls that were not committed .*web-2:3000/);
    const first = await recover();
    expect(first).toMatchObject({ code: 0, result: { damaged: [] } });
    expect(first.result.fresh).toBeGreaterThan(0);
    expect(first.result.fresh).toBe(first.result.groups);
    expect(await countCalls()).toBe(7);
    expect(await seeNodes()).toBe("None serves at the moment.");
    // Again, and when the node comes back after all.
    expect(await recover()).toMatchObject({ code: 0, result: { groups: 0, fresh: 0 } });
    const back = await startMetering({ ...services, folder: dead.path }, { groupIntervalMs: 1 });
    await back.stop(60_000);
    expect(await countCalls()).toBe(7);
  });

  it("refuses a folder that a process uses, and one that is no data folder", async () => {
    const held = await openDataFolder(dead.path);
    const inUse = await recover();
    await held.release();
    expect(inUse).toMatchObject({ code: 1, stderr: expect.stringMatching(/is in use by another/) });
    expect(await recover(join(home.dataFolder, "nowhere"))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is no data folder of Turnpike/),
    });
  });
});
