import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type GroupId, type TenantId, toId } from "@turnpike/domain/ids/ids";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { openJournal } from "#platform/journal.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import type { HardLimit } from "./leases/lease-entry.ts";
import { encodeGroup } from "./ledger/group-record.ts";
import { reconcile } from "./ledger/reconcile.ts";
import type { UsageGroup } from "./ledger/usage-group.ts";
import { type Metering, startMetering } from "./metering.ts";

/** Ends only what hangs. */
const STOP_MS = 300_000;
const logger = createLogger({ level: "silent" });
const PERIOD_START_MS = Date.UTC(2026, 0, 1);
const PERIOD_END_MS = Date.UTC(2099, 0, 1);

let database: TestDatabase;
let transact: Transact;
const folders: TempFolder[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterAll(async () => {
  for (const folder of folders) {
    await folder[Symbol.asyncDispose]();
  }
  await database.close();
});

async function makeFolder(): Promise<string> {
  const folder = await makeTempFolder();
  folders.push(folder);
  return folder.path;
}

function start(folder: string): Promise<Metering> {
  return startMetering(
    { transact, clock: systemClock, newId: newUuidId, logger, folder },
    { groupIntervalMs: 5 },
  );
}

function groupOf(tenantId: TenantId, groupId: GroupId = newUuidId("group")): UsageGroup {
  return {
    groupId,
    processId: newUuidId("process"),
    recordedAtMs: null,
    spends: [],
    entries: [
      {
        tenantId,
        keyId: newUuidId("key"),
        environment: "live",
        meterId: "requests",
        outcome: "VALID",
        status: 200,
        minuteMs: Date.UTC(2026, 0, 10, 12),
        periodStartMs: PERIOD_START_MS,
        periodEndMs: PERIOD_END_MS,
        calls: 3,
        quantity: 3,
      },
    ],
  };
}

function limitOf(tenantId: TenantId): HardLimit {
  return {
    tenantId,
    meterId: "requests",
    environment: "live",
    periodStartMs: PERIOD_START_MS,
    periodEndMs: PERIOD_END_MS,
    limit: 1_000,
  };
}

async function countCalls(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
  return row?.calls ?? 0;
}

async function listLeases(tenantId: TenantId) {
  return await database.sql<{ state: string; remaining: number }[]>`
    select state, remaining::int as remaining from leases where tenant_id = ${tenantId}`;
}

describe("the start after a crash", () => {
  it("commits what the journal has, once, however often it crashes again", async () => {
    const folder = await makeFolder();
    const tenantId = newUuidId("tenant");
    const groups = [groupOf(tenantId), groupOf(tenantId)];
    for (let crash = 0; crash < 3; crash += 1) {
      const journal = await openJournal({ folder: join(folder, "journal"), segmentBytes: 100 });
      for (const group of groups) {
        await journal.append(encodeGroup(group)).durable;
      }
      await journal.close();
      const metering = await start(folder);
      expect(await countCalls(tenantId)).toBe(6);
      await metering.stop(STOP_MS);
    }
    expect(await readdir(join(folder, "journal"))).toEqual([]);
    expect(
      await reconcile({ transact }, { actor: { type: "system", id: "test" }, requestId: "r" }),
    ).toMatchObject({ drift: 0 });
  });

  it("succeeds although the ledger refuses a group, and commits its neighbours", async () => {
    const folder = await makeFolder();
    const tenantId = newUuidId("tenant");
    const refused = groupOf(tenantId);
    for (const entry of refused.entries) {
      entry.status = 99_999;
    }
    const journal = await openJournal({ folder: join(folder, "journal"), segmentBytes: 100_000 });
    for (const group of [groupOf(tenantId), refused, groupOf(tenantId)]) {
      await journal.append(encodeGroup(group)).durable;
    }
    await journal.close();
    const metering = await start(folder);
    expect(await countCalls(tenantId)).toBe(6);
    expect(await readdir(join(folder, "journal-set-aside"))).toEqual([`${refused.groupId}.json`]);
    await metering.stop(STOP_MS);
  });

  it("forfeits the leases of the crashed process alone", async () => {
    const crashedFolder = await makeFolder();
    const tenantId = newUuidId("tenant");
    const crashed = await start(crashedFolder);
    const other = await start(await makeFolder());
    await crashed.leases.refill(limitOf(tenantId), 1);
    const otherTenant = newUuidId("tenant");
    await other.leases.refill(limitOf(otherTenant), 1);
    const spent = crashed.leases.spend(limitOf(tenantId), 1);
    expect(spent.status).toBe("spent");

    // The crashed process never writes again; another one starts on its folder.
    const next = await start(crashedFolder);
    expect((await listLeases(tenantId)).map((lease) => lease.state)).toEqual(["forfeited"]);
    expect((await listLeases(otherTenant)).map((lease) => lease.state)).toEqual(["active"]);
    await next.stop(STOP_MS);
    await other.stop(STOP_MS);
    expect(await listLeases(otherTenant)).toEqual([]);
    await crashed.stop(STOP_MS);
  });

  it("sets aside a journal that is too old to know which of its groups were committed", async () => {
    const folder = await makeFolder();
    const tenantId = newUuidId("tenant");
    const tenDaysAgo = (Date.now() - 10 * 24 * 3600 * 1000).toString(16).padStart(12, "0");
    const old = groupOf(tenantId, toId("group", `${tenDaysAgo}7000800000000000beef`));
    const journal = await openJournal({ folder: join(folder, "journal"), segmentBytes: 100 });
    await journal.append(encodeGroup(old)).durable;
    await journal.append(encodeGroup(groupOf(tenantId))).durable;
    await journal.close();
    for (let round = 0; round < 2; round += 1) {
      const metering = await start(folder);
      expect(await countCalls(tenantId)).toBe(3);
      expect(await readdir(join(folder, "journal-set-aside"))).toEqual([`${old.groupId}.json`]);
      await metering.stop(STOP_MS);
    }
  });
});

describe("stopping", () => {
  it("commits the group being filled and gives every lease back", async () => {
    const tenantId = newUuidId("tenant");
    const metering = await start(await makeFolder());
    const limit = limitOf(tenantId);
    await metering.leases.refill(limit, 1);
    const spent = metering.leases.spend(limit, 1);
    if (spent.status !== "spent") {
      throw new Error(`It was ${spent.status}.`);
    }
    metering.recorder.record({
      ...limit,
      keyId: newUuidId("key"),
      outcome: "VALID",
      status: 200,
      method: "GET",
      route: "/users/{id}",
      occurredAtMs: Date.UTC(2026, 5, 1),
      quantity: 1,
      leaseId: spent.hold.lease.leaseId,
    });
    metering.leases.settle(spent.hold);
    await metering.stop(STOP_MS);
    expect(await countCalls(tenantId)).toBe(1);
    expect(await listLeases(tenantId)).toEqual([]);
  });
});
