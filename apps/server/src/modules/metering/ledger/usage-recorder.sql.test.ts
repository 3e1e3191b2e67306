import { setImmediate as immediate } from "node:timers/promises";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { callOf, logger, OPERATOR, openRecorderOn } from "../testing/usage-recorder.fixture.ts";
import { commitGroups } from "./commit-groups.ts";
import { reconcile } from "./reconcile.ts";
import type { UsageRecorderDeps, UsageRecorderOptions } from "./usage-recorder.ts";

/** Ends only what hangs. */
const STOP_MS = 300_000;

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) {
    await cleanup();
  }
  await database.close();
});

const openRecorder = (
  more: Partial<UsageRecorderDeps> = {},
  options: Partial<UsageRecorderOptions> = {},
) => openRecorderOn({ transact, cleanups }, more, options);

async function countCalls(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
  return row?.calls ?? 0;
}

async function expectNoDrift(): Promise<void> {
  expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
}

describe("UsageRecorder", () => {
  it("commits exactly the calls that were recorded, with their rollups and balances", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const { recorder } = await openRecorder();
    for (let index = 0; index < 500; index += 1) {
      recorder.record(callOf(tenantId, keyId, index % 5 === 0 ? { status: 500, quantity: 0 } : {}));
      if (index % 100 === 0) {
        await recorder.flush();
      }
    }
    expect(await recorder.drain(STOP_MS)).toBe(true);
    expect(await countCalls(tenantId)).toBe(500);
    const [balance] = await database.sql<{ used: string }[]>`
      select used::text as used from balances where tenant_id = ${tenantId}`;
    expect(balance?.used).toBe("400");
    await expectNoDrift();
  });

  it("counts nothing twice when the answer to a commit is lost", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    let commits = 0;
    const { recorder } = await openRecorder({
      commit: async (groups) => {
        commits += 1;
        await commitGroups({ transact, logger }, groups);
        if (commits % 2 === 1) {
          throw Object.assign(new Error("connection lost"), { code: "CONNECTION_CLOSED" });
        }
      },
    });
    for (let index = 0; index < 20; index += 1) {
      recorder.record(callOf(tenantId, keyId));
      await recorder.flush();
    }
    expect(commits).toBe(40);
    expect(await countCalls(tenantId)).toBe(20);
    await expectNoDrift();
  });

  it("loses nothing in an outage in which more groups wait than are kept in memory", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    let isDown = true;
    const { recorder } = await openRecorder({
      commit: (groups) =>
        isDown
          ? Promise.reject(Object.assign(new Error("down"), { code: "ECONNREFUSED" }))
          : commitGroups({ transact, logger }, groups),
    });
    const groups = 1_200;
    for (let index = 0; index < groups; index += 1) {
      recorder.record(callOf(tenantId, keyId));
      // Closes the group; the commit cannot end while the database is down.
      void recorder.flush();
    }
    expect(recorder.health.groupsWaiting).toBe(groups);
    expect(recorder.isSaturated).toBe(true);
    await pollUntil("the first refusal", () => recorder.health.trouble !== undefined);
    isDown = false;
    await recorder.flush();
    expect(recorder.health).toEqual({
      groupsWaiting: 0,
      callsWaiting: 0,
      groupsSetAside: 0,
      trouble: undefined,
    });
    expect(await countCalls(tenantId)).toBe(groups);
    await expectNoDrift();
  });

  it("pauses longer after a long commit, then commits everything that waited at once, or when asked", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const batches: number[] = [];
    const pausesMs: number[] = [];
    let nowMs = 0;
    const { recorder } = await openRecorder({
      clock: { monotonicMs: () => nowMs },
      // Never ends by itself: only a flush ends it.
      pause: (ms, signal) => {
        pausesMs.push(ms);
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("Someone waits.")));
        });
      },
      commit: async (groups) => {
        nowMs += 30;
        batches.push(groups.length);
        await commitGroups({ transact, logger }, groups);
      },
    });
    recorder.record(callOf(tenantId, keyId));
    await recorder.whenJournaled();
    await pollUntil("the first commit", () => recorder.health.groupsWaiting === 0);
    const calls = 40;
    for (let index = 1; index < calls; index += 1) {
      recorder.record(callOf(tenantId, keyId));
      await recorder.whenJournaled();
    }
    // Nine times the 30 ms that the commit took.
    expect({ batches, pausesMs }).toEqual({ batches: [1], pausesMs: [270] });
    await recorder.flush();
    expect(batches).toEqual([1, calls - 1]);
    expect(await countCalls(tenantId)).toBe(calls);
    const rows = await database.sql`select 1 from ledger_entries where tenant_id = ${tenantId}`;
    expect(rows.length).toBe(batches.length);
    await expectNoDrift();
  });

  it("closes a group early when it has its maximum of entries", async () => {
    const { recorder } = await openRecorder(
      { commit: () => new Promise(() => undefined) },
      { groupIntervalMs: 60_000 },
    );
    const tenantId = newUuidId("tenant");
    for (let key = 0; key < 255; key += 1) {
      recorder.record(callOf(tenantId, newUuidId("key")));
    }
    await immediate();
    await immediate();
    expect(recorder.health.groupsWaiting).toBe(0);
    recorder.record(callOf(tenantId, newUuidId("key")));
    await recorder.whenJournaled();
    expect(recorder.health.groupsWaiting).toBe(1);
  });

  it("leaves nine tenths of the time to calls while it commits, unless someone waits", async () => {
    const pausesMs: number[] = [];
    let nowMs = 0;
    const { recorder } = await openRecorder({
      clock: { monotonicMs: () => nowMs },
      pause: (ms) => {
        pausesMs.push(ms);
        return Promise.resolve();
      },
      commit: async (_groups, pace) => {
        // The last one is as long as if the machine had been suspended.
        for (const workMs of [0.3, 0.3, 4, 0.1, 60_000]) {
          // Time of the database does not count.
          nowMs += 1_000;
          await pace.work(() => {
            nowMs += workMs;
          });
        }
        await pace.afterStatement();
      },
    });
    recorder.record(callOf(newUuidId("tenant"), newUuidId("key")));
    await recorder.whenJournaled();
    await pollUntil("the commit", () => recorder.health.groupsWaiting === 0);
    expect(pausesMs.map(Math.round)).toEqual([5, 36, 50, 6]);
    recorder.record(callOf(newUuidId("tenant"), newUuidId("key")));
    await recorder.flush();
    expect(pausesMs.length).toBe(4);
    // For example the settlement of a lock, which waits for rows that the commit has locked.
    await recorder.hurry(async () => {
      recorder.record(callOf(newUuidId("tenant"), newUuidId("key")));
      await recorder.whenJournaled();
      await pollUntil("the commit", () => recorder.health.groupsWaiting === 0);
    });
    expect(pausesMs.length).toBe(4);
  });

  it("pauses within a commit for at most ten seconds in all", async () => {
    let pausedMs = 0;
    let nowMs = 0;
    const { recorder } = await openRecorder({
      clock: { monotonicMs: () => nowMs },
      pause: (ms) => {
        pausedMs += ms;
        return Promise.resolve();
      },
      commit: async (_groups, pace) => {
        for (let piece = 0; piece < 1_000; piece += 1) {
          await pace.work(() => {
            nowMs += 100;
          });
        }
      },
    });
    recorder.record(callOf(newUuidId("tenant"), newUuidId("key")));
    await recorder.whenJournaled();
    await pollUntil("the commit", () => recorder.health.groupsWaiting === 0);
    expect(pausedMs).toBe(10_000);
  });

  it("commits a bounded number of rows at once, even when few keys call many routes", async () => {
    const rows: number[] = [];
    const isJournaled = Promise.withResolvers<void>();
    const { recorder } = await openRecorder({
      commit: async (groups) => {
        await isJournaled.promise;
        rows.push(groups.flatMap((group) => group.read().entries).length);
      },
    });
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    for (let group = 0; group < 40; group += 1) {
      for (let route = 0; route < 256; route += 1) {
        recorder.record(callOf(tenantId, keyId, { route: `/${String(group)}/${String(route)}` }));
      }
      await recorder.whenJournaled();
    }
    isJournaled.resolve();
    await recorder.flush();
    expect(rows).toEqual([256, 4_096, 4_096, 7 * 256]);
  });

  it("commits fewer groups at a time when a commit takes too long, and more again later", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const sizes: number[] = [];
    let groupsMax = 0;
    const { recorder } = await openRecorder({
      commit: async (groups) => {
        sizes.push(groups.length);
        if (groups.length > groupsMax) {
          throw Object.assign(new Error("canceling statement"), { code: "57014" });
        }
        await commitGroups({ transact, logger }, groups);
      },
    });
    for (let group = 0; group < 21; group += 1) {
      recorder.record(callOf(tenantId, keyId));
      await recorder.whenJournaled();
    }
    groupsMax = 5;
    await recorder.flush();
    expect(Math.max(...sizes)).toBeGreaterThan(5);
    expect(await countCalls(tenantId)).toBe(21);
    await expectNoDrift();
  });

  it("finds one refused group among many without writing the others many times", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const isJournaled = Promise.withResolvers<void>();
    let groupWrites = 0;
    let aside = 0;
    const { recorder } = await openRecorder({
      setAside: () => {
        aside += 1;
        return Promise.resolve();
      },
      commit: async (groups) => {
        await isJournaled.promise;
        groupWrites += groups.length;
        if (groups.some((group) => group.read().entries[0]?.status === 99_999)) {
          throw Object.assign(new Error("out of range"), { code: "22003" });
        }
      },
    });
    const groups = 300;
    for (let group = 0; group < groups; group += 1) {
      recorder.record(callOf(tenantId, keyId, group === 290 ? { status: 99_999 } : {}));
      // Closes the group.
      void recorder.flush();
    }
    isJournaled.resolve();
    await recorder.flush();
    expect(aside).toBe(1);
    expect(groupWrites).toBeLessThan(5 * groups);
  });

  it("ends a flush even when calls keep being recorded", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const { recorder } = await openRecorder({
      commit: async (groups) => {
        // Another group waits whenever one is written.
        recorder.record(callOf(tenantId, keyId));
        await recorder.whenJournaled();
        await commitGroups({ transact, logger }, groups);
        isOver ||= (await countCalls(tenantId)) > 200;
        await (isOver ? new Promise(() => undefined) : undefined);
      },
    });
    let isOver = false;
    recorder.record(callOf(tenantId, keyId));
    await recorder.flush();
    expect(isOver).toBe(false);
    expect(await countCalls(tenantId)).toBeGreaterThanOrEqual(1);
    isOver = true;
  });

  it("is saturated while its maximum of bytes waits", async () => {
    const isDown = Promise.withResolvers<void>();
    const { recorder } = await openRecorder(
      { commit: () => isDown.promise },
      { bytesWaitingMax: 2_000 },
    );
    const tenantId = newUuidId("tenant");
    recorder.record(callOf(tenantId, newUuidId("key")));
    await recorder.whenJournaled();
    expect(recorder.isSaturated).toBe(false);
    for (let key = 0; key < 40; key += 1) {
      recorder.record(callOf(tenantId, newUuidId("key")));
    }
    await recorder.whenJournaled();
    expect(recorder.isSaturated).toBe(true);
    isDown.resolve();
    await recorder.flush();
    expect(recorder.isSaturated).toBe(false);
  });

  it("does not pause while more waits than fits in one commit", async () => {
    const order: (number | string)[] = [];
    const isJournaled = Promise.withResolvers<void>();
    let nowMs = 0;
    const { recorder } = await openRecorder({
      clock: { monotonicMs: () => nowMs },
      // Never ends by itself: only a flush ends it.
      pause: (_ms, signal) => {
        order.push("pause");
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("Someone waits.")));
        });
      },
      commit: async (groups) => {
        await isJournaled.promise;
        // So long that the pause after it is the longest one.
        nowMs += 60_000;
        order.push(groups.length);
      },
    });
    const tenantId = newUuidId("tenant");
    for (let group = 0; group < 35; group += 1) {
      for (let key = 0; key < 256; key += 1) {
        recorder.record(callOf(tenantId, newUuidId("key")));
      }
      await recorder.whenJournaled();
    }
    isJournaled.resolve();
    await pollUntil("the pause", () => order.includes("pause"));
    await recorder.flush();
    expect(order).toEqual([1, 16, 16, "pause", 2]);
  });
});
