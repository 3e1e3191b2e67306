import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openJournal, readLeftBehind } from "#platform/journal.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { callOf, logger, OPERATOR, openRecorderOn } from "../testing/usage-recorder.fixture.ts";
import { commitGroups } from "./commit-groups.ts";
import { decodeGroup } from "./group-record.ts";
import { reconcile } from "./reconcile.ts";
import type { UsageGroup } from "./usage-group.ts";
import type { UsageRecorderDeps, UsageRecorderOptions } from "./usage-recorder.ts";

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

describe("UsageRecorder, refused by the ledger or the disk", () => {
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
