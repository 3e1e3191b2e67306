import { join } from "node:path";
import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import type { KeyId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { openJournal, readLeftBehind } from "#platform/journal.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { rollUpUsage } from "../rollups/roll-up-usage.ts";
import { commitGroups } from "./commit-groups.ts";
import { decodeGroup } from "./group-record.ts";
import { reconcile } from "./reconcile.ts";
import type { MeteredCall, UsageGroup } from "./usage-group.ts";
import {
  UsageRecorder,
  type UsageRecorderDeps,
  type UsageRecorderOptions,
} from "./usage-recorder.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const PERIOD_START_MS = Date.UTC(2026, 0, 1);
const PERIOD_END_MS = Date.UTC(2026, 1, 1);
/** Ends only what hangs. */
const STOP_MS = 300_000;
const logger = createLogger({ level: "silent" });

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

function callOf(tenantId: TenantId, keyId: KeyId, more: Partial<MeteredCall> = {}): MeteredCall {
  return {
    tenantId,
    keyId,
    environment: "live",
    meterId: "requests",
    outcome: "VALID",
    status: 200,
    method: "GET",
    route: "/users/{id}",
    occurredAtMs: Date.UTC(2026, 0, 10, 12, 0, 30),
    periodStartMs: PERIOD_START_MS,
    periodEndMs: PERIOD_END_MS,
    quantity: 1,
    leaseId: undefined,
    ...more,
  };
}

async function openRecorder(
  more: Partial<UsageRecorderDeps> = {},
  options: Partial<UsageRecorderOptions> = {},
) {
  const folder = await makeTempFolder();
  const journal =
    more.journal ?? (await openJournal({ folder: join(folder.path, "j"), segmentBytes: 2_000 }));
  const recorder = new UsageRecorder(
    {
      journal,
      commit: (groups) => commitGroups({ transact, logger }, groups),
      setAside: () => Promise.resolve(),
      newId: newUuidId,
      processId: newUuidId("process"),
      clock: systemClock,
      pause: (ms, signal) => delay(ms, undefined, { signal }),
      logger,
      ...more,
    },
    {
      groupIntervalMs: 5,
      groupsWaitingMax: 1_000,
      bytesWaitingMax: 10_000_000,
      bytesInMemoryMax: 100_000,
      retryMaxMs: 50,
      ...options,
    },
  );
  cleanups.push(() => journal.close());
  return { recorder };
}

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

  it("sets aside a group that the ledger keeps refusing, and commits its neighbours", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const aside: UsageGroup[] = [];
    const { recorder } = await openRecorder({
      setAside: (group) => {
        aside.push(group);
        return Promise.resolve();
      },
    });
    recorder.record(callOf(tenantId, keyId));
    void recorder.flush();
    // A status that does not fit the column.
    recorder.record(callOf(tenantId, keyId, { status: 99_999 }));
    void recorder.flush();
    recorder.record(callOf(tenantId, keyId));
    await recorder.flush();
    expect(aside.map((group) => group.entries[0]?.status)).toEqual([99_999]);
    expect(recorder.health.groupsSetAside).toBe(1);
    expect(await countCalls(tenantId)).toBe(2);
    await expectNoDrift();
  });

  it("keeps trying while the database refuses for a temporary reason", async () => {
    // Disk full, too many connections, a standby, another password, a fault of the server, silence.
    const codes = ["53100", "53300", "25006", "28P01", "XX000", "ETIMEDOUT", "53100"];
    const tenantId = newUuidId("tenant");
    const aside: UsageGroup[] = [];
    const { recorder } = await openRecorder({
      setAside: (group) => {
        aside.push(group);
        return Promise.resolve();
      },
      commit: (groups) => {
        const code = codes.pop();
        return code === undefined
          ? commitGroups({ transact, logger }, groups)
          : Promise.reject(Object.assign(new Error("not now"), { code }));
      },
    });
    recorder.record(callOf(tenantId, newUuidId("key")));
    await recorder.flush();
    expect(aside).toEqual([]);
    expect(await countCalls(tenantId)).toBe(1);
  });

  it("survives a disk that refuses a group to be set aside", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    let attempts = 0;
    const { recorder } = await openRecorder({
      setAside: () => {
        attempts += 1;
        const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        return attempts === 1 ? Promise.reject(full) : Promise.resolve();
      },
    });
    recorder.record(callOf(tenantId, keyId, { status: 99_999 }));
    void recorder.flush();
    recorder.record(callOf(tenantId, keyId));
    await recorder.flush();
    expect(attempts).toBe(2);
    expect(recorder.health).toMatchObject({ groupsWaiting: 0, groupsSetAside: 1 });
    expect(await countCalls(tenantId)).toBe(1);
  });

  it("survives a group that cannot be read back from the journal, and commits its neighbours", async () => {
    const folder = await makeTempFolder();
    const journal = await openJournal({ folder: join(folder.path, "j"), segmentBytes: 2_000 });
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    let isDown = true;
    let lengthMax = 0;
    const { recorder } = await openRecorder({
      journal: {
        ...journal,
        read: (position) => {
          lengthMax = Math.max(lengthMax, position.length);
          if (position.length > 1_000) {
            throw Object.assign(new Error("i/o error"), { code: "EIO" });
          }
          return journal.read(position);
        },
      },
      commit: (groups) =>
        isDown
          ? Promise.reject(Object.assign(new Error("down"), { code: "ECONNREFUSED" }))
          : commitGroups({ transact, logger }, groups),
    });
    for (let index = 0; index < 520; index += 1) {
      recorder.record(callOf(tenantId, keyId));
      if (index === 515) {
        for (let more = 0; more < 10; more += 1) {
          recorder.record(callOf(newUuidId("tenant"), newUuidId("key")));
        }
      }
      void recorder.flush();
    }
    isDown = false;
    await recorder.flush();
    expect(lengthMax).toBeGreaterThan(1_000);
    expect(recorder.health).toMatchObject({ groupsWaiting: 0, groupsSetAside: 1 });
    expect(await countCalls(tenantId)).toBe(519);
  });

  it("goes on without a journal when the disk refuses, and rejects `whenJournaled`", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const { recorder } = await openRecorder({
      journal: {
        append: () => {
          throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        },
        read: () => Buffer.alloc(0),
        release: () => undefined,
        close: () => Promise.resolve(),
      },
    });
    recorder.record(callOf(tenantId, keyId));
    await expect(recorder.whenJournaled()).rejects.toThrow("no space left");
    await pollUntil("the commit", () => recorder.health.groupsWaiting === 0);
    expect(await countCalls(tenantId)).toBe(1);
  });

  it.each(["grouped", "strict"] as const)(
    "reports a disk that refuses for as long as it does, even when the ledger accepts everything: %s",
    async (durability) => {
      const folder = await makeTempFolder();
      const journal = await openJournal({ folder: join(folder.path, "j"), segmentBytes: 2_000 });
      let isFull = true;
      const append = (record: Buffer) => {
        if (isFull) {
          throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        }
        return journal.append(record);
      };
      // Nothing is released, as when the process ends here.
      const { recorder } = await openRecorder(
        { journal: { ...journal, append, release: () => undefined } },
        { durability },
      );
      const tenantId = newUuidId("tenant");
      recorder.record(callOf(tenantId, newUuidId("key")));
      await recorder.flush();
      expect(await countCalls(tenantId)).toBe(1);
      recorder.retryJournal();
      await recorder.flush();
      expect(recorder.health).toMatchObject({
        groupsWaiting: 0,
        trouble: "The journal cannot be written",
      });
      expect(recorder.isSaturated).toBe(durability === "strict");

      isFull = false;
      recorder.retryJournal();
      await pollUntil("the disk accepts writes", () => recorder.health.trouble === undefined);
      expect(recorder.isSaturated).toBe(false);
      await journal.close();
      const { records } = await readLeftBehind(join(folder.path, "j"));
      for await (const left of records) {
        expect(left).toHaveLength(1);
        await commitGroups({ transact, logger }, left.map(decodeGroup));
      }
      expect(await countCalls(tenantId)).toBe(1);
      await expectNoDrift();
    },
  );

  it("holds `whenJournaled` until the group is on disk", async () => {
    const { recorder } = await openRecorder();
    await expect(recorder.whenJournaled()).resolves.toBeUndefined();
    recorder.record(callOf(newUuidId("tenant"), newUuidId("key")));
    await expect(recorder.whenJournaled()).resolves.toBeUndefined();
    await recorder.flush();
  });
});

describe("commitGroups", () => {
  function groupOf(tenantId: TenantId, keyId: KeyId, processId: ProcessId): UsageGroup {
    return {
      groupId: newUuidId("group"),
      processId,
      recordedAtMs: null,
      entries: [
        {
          tenantId,
          keyId,
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
      spends: [],
    };
  }

  it("writes a group once, however often it comes, and with any others", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const processId = newUuidId("process");
    const groups = Array.from({ length: 30 }, () => groupOf(tenantId, keyId, processId));
    const batches = Array.from({ length: 40 }, (_, index) =>
      groups.filter((_group, at) => (at * 7 + index) % 3 === 0 || index >= 37),
    );
    await Promise.all(batches.map((batch) => commitGroups({ transact, logger }, batch)));
    expect(await countCalls(tenantId)).toBe(90);
    await expectNoDrift();
  });

  it("never deadlocks with writers of the same balances in another order", async () => {
    const tenants = Array.from({ length: 8 }, () => newUuidId("tenant"));
    const keyId = newUuidId("key");
    const processId = newUuidId("process");
    const mix = (seed: number): UsageGroup => ({
      groupId: newUuidId("group"),
      processId,
      recordedAtMs: null,
      spends: [],
      entries: tenants
        .flatMap((tenantId) => groupOf(tenantId, keyId, processId).entries)
        .toSorted((a, b) => (a.tenantId < b.tenantId ? 1 : -1) * (seed % 2 === 0 ? 1 : -1)),
    });
    await Promise.all(
      Array.from({ length: 60 }, (_, seed) => commitGroups({ transact, logger }, [mix(seed)])),
    );
    for (const tenantId of tenants) {
      expect(await countCalls(tenantId)).toBe(180);
    }
    await expectNoDrift();
  });
});

describe("reconcile", () => {
  it("finds a rollup and a balance that were changed by hand", async () => {
    const tenantId = newUuidId("tenant");
    const { recorder } = await openRecorder();
    recorder.record(callOf(tenantId, newUuidId("key")));
    await recorder.flush();
    await rollUpUsage({ transact }, "minutes");
    await database.sql`update usage_rollups set calls = calls + 1 where tenant_id = ${tenantId}`;
    await database.sql`update balances set used = used + 5 where tenant_id = ${tenantId}`;
    const found = await reconcile({ transact }, OPERATOR);
    expect(found.drift).toBe(3);
    expect(found.findings.map((finding) => finding.what).toSorted()).toEqual([
      "balance",
      "hourly rollup",
      "rollup",
    ]);
    await database.sql`update usage_rollups set calls = calls - 1 where tenant_id = ${tenantId}`;
    await database.sql`update balances set used = used - 5 where tenant_id = ${tenantId}`;
  });

  it("is exact while others write", async () => {
    const tenantId = newUuidId("tenant");
    const { recorder } = await openRecorder();
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) {
        recorder.record(callOf(tenantId, newUuidId("key")));
        await recorder.flush();
      }
    })();
    for (let round = 0; round < 10; round += 1) {
      await expectNoDrift();
    }
    isWriting = false;
    await writing;
  });
});
