import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "#platform/clock.ts";
import { openJournal } from "#platform/journal.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { UsageRecorder } from "../ledger/usage-recorder.ts";
import { type Metering, startMetering } from "../metering.ts";
import type { HardLimit, LeaseHold } from "./lease-entry.ts";
import { createLeaseLedger } from "./lease-ledger.ts";
import { type BalanceName, insertLease, lockBalance } from "./leases.store.ts";

/** Ends only what hangs. */
const STOP_MS = 300_000;
const logger = createLogger({ level: "silent" });
const PERIOD = { periodStartMs: Date.UTC(2026, 0, 1), periodEndMs: Date.UTC(2099, 0, 1) };
const KEY = newUuidId("key");

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterAll(() => database.close());

function limitOf(tenantId: TenantId): HardLimit {
  return { ...PERIOD, tenantId, meterId: "requests", environment: "live", limit: 1_000 };
}

function balanceOf(tenantId: TenantId): BalanceName {
  return {
    tenantId,
    keyId: undefined,
    meterId: "requests",
    environment: "live",
    periodStart: new Date(PERIOD.periodStartMs),
    periodEnd: new Date(PERIOD.periodEndMs),
  };
}

async function takeOne(metering: Metering, limit: HardLimit): Promise<LeaseHold> {
  await metering.leases.refill(limit, 1);
  const result = metering.leases.spend(limit, 1);
  if (result.status !== "spent") {
    throw new Error(`Nothing was spent: ${result.status}.`);
  }
  return result.hold;
}

function record(metering: Metering, limit: HardLimit, hold: LeaseHold): void {
  metering.recorder.record({
    ...limit,
    keyId: KEY,
    outcome: "VALID",
    status: 200,
    method: "GET",
    route: "/",
    occurredAtMs: Date.now(),
    quantity: hold.quantity,
    leaseId: hold.lease.leaseId,
  });
  metering.leases.settle(hold);
}

async function sumHeld(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ held: number }[]>`
    select coalesce(sum(remaining), 0)::int as held from leases where tenant_id = ${tenantId}`;
  return row?.held ?? 0;
}

const down = () => Object.assign(new Error("down"), { code: "ECONNREFUSED" });

describe("what a lease was spent on", () => {
  it("does not count as committed when the end of the process cuts a flush short", async () => {
    await using folder = await makeTempFolder();
    const journal = await openJournal({ folder: join(folder.path, "j"), segmentBytes: 2_000 });
    const recorder = new UsageRecorder(
      {
        journal,
        commit: () => Promise.reject(down()),
        setAside: () => Promise.resolve(),
        newId: newUuidId,
        processId: newUuidId("process"),
        clock: systemClock,
        pause: () => Promise.resolve(),
        logger,
      },
      {
        groupIntervalMs: 5,
        groupsWaitingMax: 100,
        bytesWaitingMax: 1_000_000,
        bytesInMemoryMax: 10_000,
      },
    );
    const tenantId = newUuidId("tenant");
    const call = {
      ...limitOf(tenantId),
      keyId: KEY,
      outcome: "VALID",
      status: 200,
      method: "GET",
      route: "/",
      occurredAtMs: Date.now(),
      quantity: 1,
      leaseId: undefined,
    } as const;
    recorder.record(call);
    const flushed = recorder.flush();
    const rejected = expect(flushed).rejects.toThrow("waits in the journal");
    expect(await recorder.drain(20)).toBe(false);
    await rejected;
    // A call that was under way is still recorded, and waiting for its commit fails.
    recorder.record(call);
    await expect(recorder.flush()).rejects.toThrow("waits in the journal");
    await expect(recorder.flush()).rejects.toThrow("waits in the journal");
    await journal.close();
  });

  it("stays taken while its group is set aside, so that it fits when it is committed later", async () => {
    await using folder = await makeTempFolder();
    const tenantId = newUuidId("tenant");
    let isRefused = false;
    const metering = await startMetering(
      {
        transact: {
          ...transact,
          asMeter: (work) =>
            isRefused
              ? Promise.reject(Object.assign(new Error("out of range"), { code: "22003" }))
              : transact.asMeter(work),
        },
        clock: systemClock,
        newId: newUuidId,
        logger,
        folder: folder.path,
      },
      { groupIntervalMs: 5 },
    );
    const limit = limitOf(tenantId);
    const hold = await takeOne(metering, limit);
    isRefused = true;
    record(metering, limit, hold);
    await pollUntil("set aside", () => metering.recorder.health.groupsSetAside > 0);
    isRefused = false;
    await metering.stop(STOP_MS);
    expect(await sumHeld(tenantId)).toBeGreaterThan(0);

    const next = await startMetering(
      { transact, clock: systemClock, newId: newUuidId, logger, folder: folder.path },
      { groupIntervalMs: 5 },
    );
    const [balance] = await database.sql<{ used: number; held: number }[]>`
      select b.used::int as used, sum(l.remaining)::int as held from balances b join leases l using (tenant_id)
      where b.tenant_id = ${tenantId} group by b.used`;
    expect(balance).toEqual({ used: 1, held: 19 });
    await next.stop(STOP_MS);
  });
});

describe("a lease that is not needed", () => {
  it("goes back even when its transaction ends after the holder has stopped waiting", async () => {
    const tenantId = newUuidId("tenant");
    const name = balanceOf(tenantId);
    const leaseId = newUuidId("lease");
    const isMade = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const late = transact.asMeter(async (tx) => {
      await lockBalance(tx, name);
      const processId = newUuidId("process");
      await insertLease(tx, name, { leaseId, processId, granted: 20, ttlMs: 60_000 });
      isMade.resolve();
      await mayCommit.promise;
    });
    await isMade.promise;
    const returned = createLeaseLedger(transact).giveBack([{ name, leaseId, isInDoubt: true }]);
    await pollUntil("the return waits for the lock", async () => {
      const [row] = await database.sql<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return (row?.waiting ?? 0) > 0;
    });
    mayCommit.resolve();
    await Promise.all([late, returned]);
    expect(await sumHeld(tenantId)).toBe(0);
  });

  it("goes back from an idle process before the database takes it for lost", async () => {
    await using folder = await makeTempFolder();
    let skippedMs = 0;
    const clock: Clock = {
      now: systemClock.now,
      monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    };
    const tenantId = newUuidId("tenant");
    const metering = await startMetering(
      { transact, clock, newId: newUuidId, logger, folder: folder.path },
      { groupIntervalMs: 5 },
    );
    metering.leases.giveBack(await takeOne(metering, limitOf(tenantId)));
    expect(await sumHeld(tenantId)).toBe(20);
    // Well before the database's deadline of 60 s.
    skippedMs += 45_000;
    await pollUntil("the lease is back", async () => (await sumHeld(tenantId)) === 0);
    await metering.stop(STOP_MS);
  });

  it("goes back at the end although it was still being cut when the terms changed", async () => {
    await using folder = await makeTempFolder();
    const tenantId = newUuidId("tenant");
    const isAsked = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    let isHeld = false;
    const metering = await startMetering(
      {
        transact: {
          ...transact,
          asMeter: async (work) => {
            const result = await transact.asMeter(work);
            if (isHeld) {
              isHeld = false;
              isAsked.resolve();
              await mayAnswer.promise;
            }
            return result;
          },
        },
        clock: systemClock,
        newId: newUuidId,
        logger,
        folder: folder.path,
      },
      { groupIntervalMs: 5 },
    );
    isHeld = true;
    const refilled = metering.leases.refill(limitOf(tenantId), 1);
    await isAsked.promise;
    metering.leases.release(tenantId);
    // The answer comes once `stop` waits for it.
    const settleRefills = metering.leases.settleRefills.bind(metering.leases);
    metering.leases.settleRefills = () => {
      const settled = settleRefills();
      mayAnswer.resolve();
      return settled;
    };
    const stopped = metering.stop(STOP_MS);
    await Promise.all([refilled, stopped]);
    expect(await sumHeld(tenantId)).toBe(0);
  });
});
