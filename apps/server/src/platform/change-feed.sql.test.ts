import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  CHANGES_CHANNEL,
  type Change,
  type ChangeFeed,
  type ChangeFeedDeps,
  createChangeFeed,
  pruneChanges,
} from "./change-feed.ts";
import { insertChange } from "./changes.store.ts";
import { systemClock } from "./clock.ts";
import { createLogger } from "./logger.ts";
import { createListen, type Listen } from "./postgres-listen.ts";
import { createTransact, type Transact } from "./transact.ts";

/** Only ends what hangs. */
const SOON = { timeout: 180_000, interval: 5 };

/** Waits that end when they hear something, or when the test says that their time is over. */
function createWaits() {
  const waits: { timeoutMs: number; elapse(): void }[] = [];
  const waitFor: ChangeFeedDeps["waitFor"] = ({ heard, timeoutMs, signal }) =>
    new Promise((resolve) => {
      waits.push({ timeoutMs, elapse: () => resolve(false) });
      signal.addEventListener("abort", () => resolve(false));
      heard.then(() => resolve(true));
    });
  return { waitFor, waits };
}

const DEAF: Listen = async () => ({ close: async () => undefined });

describe("createChangeFeed", () => {
  let database: TestDatabase;
  let transact: Transact;
  const feeds: ChangeFeed[] = [];
  const logger = createLogger({ level: "silent" });

  beforeAll(async () => {
    database = await createTestDatabase();
    transact = createTransact(database.sql);
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
  });
  afterAll(async () => {
    await database.close();
  });

  async function startFeed(options: { listen?: Listen; waitFor?: ChangeFeedDeps["waitFor"] } = {}) {
    const feed = createChangeFeed({
      transact,
      listen: options.listen ?? createListen(database.target, CHANGES_CHANNEL),
      clock: systemClock,
      logger,
      ...(options.waitFor === undefined ? {} : { waitFor: options.waitFor }),
    });
    feeds.push(feed);
    const heard: Change[] = [];
    feed.subscribe((change) => heard.push(change));
    await feed.start();
    return { feed, heard };
  }

  async function change(entityId: string): Promise<void> {
    await transact.asOperator((tx) => insertChange(tx, { kind: "key", tenantId: "t", entityId }));
  }

  const entities = (heard: readonly Change[]) =>
    heard.map((one) => (one.kind === "reset" ? "reset" : one.entityId));

  it("hears a change by its wake-up, without waiting for the next poll", async () => {
    const { waitFor } = createWaits();
    const { feed, heard } = await startFeed({ waitFor });
    await vi.waitFor(() => expect(feed.isWokenUp()).toBe(true), SOON);
    await change("a");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["a"]), SOON);
  });

  it("polls at least twice a second when no wake-up arrives, and says that none does", async () => {
    const { waitFor, waits } = createWaits();
    const { feed, heard } = await startFeed({ listen: DEAF, waitFor });
    for (const entityId of ["b", "c", "d"]) {
      await vi.waitFor(() => expect(waits.length).toBe(1), SOON);
      await change(entityId);
      const [wait] = waits.splice(0);
      expect(wait?.timeoutMs).toBeLessThanOrEqual(500);
      wait?.elapse();
      await vi.waitFor(() => expect(entities(heard).at(-1)).toBe(entityId), SOON);
    }
    expect(feed.isWokenUp()).toBe(false);
  });

  it("starts although the database is slow to answer, however long it takes", async () => {
    const answer = Promise.withResolvers<void>();
    const slow = {
      asOperator: (async (work) => {
        await answer.promise;
        return await transact.asOperator(work);
      }) as Transact["asOperator"],
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const feed = createChangeFeed({ transact: slow, listen: DEAF, clock: systemClock, logger });
    feeds.push(feed);
    let isStarted = false;
    const started = feed.start().then(() => {
      isStarted = true;
    });
    await vi.advanceTimersByTimeAsync(120_000);
    expect(isStarted).toBe(false);
    vi.useRealTimers();
    answer.resolve();
    await started;
    expect(feed.isStale()).toBe(false);
  });

  it("is woken up again after its listening connection was cut", async () => {
    const { feed, heard } = await startFeed();
    await vi.waitFor(() => expect(feed.isWokenUp()).toBe(true), SOON);
    const cut = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`;
    expect(cut.length).toBeGreaterThan(0);
    await change("c");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["c"]), SOON);
    await vi.waitFor(async () => {
      const listening = await database.sql`
          select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen%'`;
      expect(listening.length).toBeGreaterThan(0);
    }, SOON);
  });

  it("loses nothing and keeps the order under concurrent commits of uneven length", async () => {
    const { heard } = await startFeed();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 20; round += 1) {
        await transact.asOperator(async (tx) => {
          await insertChange(tx, { kind: "plan", tenantId: null, entityId: `${writer}-${round}` });
          await tx`select pg_sleep(${(writer % 3) * 0.002})`;
        });
      }
    });
    await Promise.all(writers);
    await vi.waitFor(() => expect(heard.length).toBe(160), SOON);
    const revisions = heard.map((one) => (one.kind === "reset" ? 0n : one.revision));
    expect(revisions).toEqual([...revisions].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set(entities(heard)).size).toBe(160);
  });

  it("goes on without loss after every connection to the database was cut", async () => {
    const { heard } = await startFeed();
    await change("before the cut");
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.catch(() => undefined);
    await vi.waitFor(() => change("after the cut"), SOON);
    await vi.waitFor(
      () => expect(entities(heard)).toEqual(["before the cut", "after the cut"]),
      SOON,
    );
  });

  it("holds up no other change while a transaction that recorded one goes on", async () => {
    const { heard } = await startFeed();
    let end = (): void => undefined;
    let record = (): void => undefined;
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    const isRecorded = new Promise<void>((resolve) => {
      record = resolve;
    });
    const long = transact.asOperator(async (tx) => {
      await insertChange(tx, { kind: "key", tenantId: null, entityId: "of the long one" });
      record();
      await isOver;
    });
    await isRecorded;
    await change("meanwhile");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["meanwhile"]), SOON);
    end();
    await long;
    await vi.waitFor(() => expect(entities(heard)).toEqual(["meanwhile", "of the long one"]), SOON);
    expect(await database.sql`select 1 from queued_changes`).toEqual([]);
  });

  it("does not hear a change that was rolled back", async () => {
    const { heard } = await startFeed();
    await transact
      .asOperator(async (tx) => {
        await insertChange(tx, { kind: "key", tenantId: null, entityId: "undone" });
        throw new Error("undo");
      })
      .catch(() => undefined);
    await change("kept");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["kept"]), SOON);
  });

  it("still calls the other listeners when one throws", async () => {
    const { feed, heard } = await startFeed();
    feed.subscribe(() => {
      throw new Error("a broken listener");
    });
    const later: Change[] = [];
    feed.subscribe((one) => later.push(one));
    await change("d");
    await vi.waitFor(() => expect(entities(later)).toEqual(["d"]), SOON);
    expect(entities(heard)).toEqual(["d"]);
  });

  it("says to drop caches when changes it had not seen were pruned", async () => {
    const { feed, heard } = await startFeed({ listen: DEAF });
    // One transaction, so that the feed cannot see the change between its making and its deletion.
    await database.sql.begin(async (tx) => {
      await tx`select record_change_now('key', null, 'gone')`;
      await tx`update pruned_revisions set revision = (select max(revision) from changes) where source = 'changes'`;
      await tx`delete from changes`;
    });
    await vi.waitFor(() => expect(entities(heard)).toEqual(["reset"]), SOON);
    await change("after");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["reset", "after"]), SOON);
    expect(feed.isStale()).toBe(false);
  });

  it("says to drop caches when the database went back to an older state", async () => {
    await change("ahead");
    const { heard } = await startFeed({ listen: DEAF });
    await database.sql.begin(async (tx) => {
      await tx`delete from changes`;
      await tx`update pruned_revisions set revision = 0`;
      await tx`alter sequence changes_revision_seq restart with 1`;
      await tx`select record_change('key', null, 'restored')`;
    });
    await vi.waitFor(() => expect(entities(heard)[0]).toBe("reset"), SOON);
    await change("later");
    await vi.waitFor(() => expect(entities(heard)).toContain("later"), SOON);
  });

  it("is stale after three seconds without an answer, and not before", async () => {
    let nowMs = 0;
    let isCut = false;
    const cuttable = {
      asOperator: ((work) =>
        isCut
          ? Promise.reject(new Error("cut"))
          : transact.asOperator(work)) as Transact["asOperator"],
    };
    const clock = { now: () => new Date(0), monotonicMs: () => nowMs };
    const feed = createChangeFeed({ transact: cuttable, listen: DEAF, clock, logger });
    feeds.push(feed);
    expect(feed.isStale()).toBe(true);
    await feed.start();
    isCut = true;
    nowMs = 3_000;
    expect(feed.isStale()).toBe(false);
    nowMs = 3_001;
    await vi.waitFor(() => expect(feed.isStale()).toBe(true), SOON);
    isCut = false;
    await vi.waitFor(() => expect(feed.isStale()).toBe(false), SOON);
  });
});

describe("changes of one transaction", () => {
  it("are recorded in their order, less what was undone, and announced once", async () => {
    const database = await createTestDatabase();
    const announced: string[] = [];
    const subscription = await database.sql.listen(CHANGES_CHANNEL, (text) => announced.push(text));
    try {
      await database.sql.begin(async (tx) => {
        const undone = tx.savepoint(async (inner) => {
          await inner`select record_change('key', null, 'undone')`;
          throw new Error("no");
        });
        await expect(undone).rejects.toThrow("no");
        await tx`select record_change('key', null, 'key_' || n) from generate_series(1, 2000) as n`;
        await tx`select record_change('tenant', null, 'last')`;
      });
      await database.sql`select record_change('key', null, 'next transaction')`;
      const rows = await database.sql<{ revision: bigint; entity_id: string }[]>`
        select revision, entity_id from changes order by revision`;
      const keys = Array.from({ length: 2_000 }, (_, index) => `key_${String(index + 1)}`);
      expect(rows.map((row) => row.entity_id)).toEqual([...keys, "last", "next transaction"]);
      await expect.poll(() => announced.length, SOON).toBeGreaterThan(1);
      expect(announced).toEqual(rows.slice(-2).map(({ revision }) => String(revision)));
      expect(await database.sql`select from queued_changes`).toHaveLength(0);
    } finally {
      await subscription.unlisten();
      await database.close();
    }
  });
});

describe("pruneChanges", () => {
  it("deletes what is older than a day, keeps the rest, and notes how far it went", async () => {
    const database = await createTestDatabase();
    try {
      const transact = createTransact(database.sql);
      await database.sql`select record_change('key', null, 'old'), record_change('key', null, 'new')`;
      const now = new Date("2026-05-02T12:00:00Z");
      await database.sql`update changes set created_at = ${new Date("2026-05-01T11:59:59Z")} where entity_id = 'old'`;
      await database.sql`update changes set created_at = ${new Date("2026-05-01T12:00:00Z")} where entity_id = 'new'`;
      const clock = { now: () => now, monotonicMs: () => 0 };
      expect(await pruneChanges({ transact, clock })).toBe(1);
      const left = await database.sql`select entity_id from changes`;
      expect(left.map((row) => row["entity_id"])).toEqual(["new"]);
      const [noted] =
        await database.sql`select revision from pruned_revisions where source = 'changes'`;
      expect(noted?.["revision"]).toBe(1n);
      expect(await pruneChanges({ transact, clock })).toBe(0);
    } finally {
      await database.close();
    }
  });
});
