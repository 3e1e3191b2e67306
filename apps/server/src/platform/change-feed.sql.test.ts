import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  CHANGES_CHANNEL,
  type Change,
  type ChangeFeed,
  createChangeFeed,
  pruneChanges,
} from "./change-feed.ts";
import { insertChange } from "./changes.store.ts";
import { systemClock } from "./clock.ts";
import { createLogger } from "./logger.ts";
import { createListen, type Listen } from "./postgres-listen.ts";
import { createTransact, type Transact } from "./transact.ts";

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

  async function startFeed(options: { listen?: Listen; clock?: typeof systemClock } = {}) {
    const feed = createChangeFeed({
      transact,
      listen: options.listen ?? createListen(database.target, CHANGES_CHANNEL),
      clock: options.clock ?? systemClock,
      logger,
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

  it("tells of a change within a second", async () => {
    const { heard } = await startFeed();
    const startedMs = performance.now();
    await change("a");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["a"]), { timeout: 5_000, interval: 5 });
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  it("tells of a change within a second when no wake-up arrives, and says that none does", async () => {
    const { feed, heard } = await startFeed({ listen: DEAF });
    const startedMs = performance.now();
    await change("b");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["b"]), { timeout: 5_000, interval: 5 });
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    expect(feed.isWokenUp()).toBe(false);
  });

  it("is woken up again after its listening connection was cut", async () => {
    const { feed, heard } = await startFeed();
    await vi.waitFor(() => expect(feed.isWokenUp()).toBe(true), { timeout: 5_000 });
    const cut = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`;
    expect(cut.length).toBeGreaterThan(0);
    await change("c");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["c"]), { timeout: 1_000, interval: 5 });
    await vi.waitFor(
      async () => {
        const listening = await database.sql`
          select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen%'`;
        expect(listening.length).toBeGreaterThan(0);
      },
      { timeout: 10_000 },
    );
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
    await vi.waitFor(() => expect(heard.length).toBe(160), { timeout: 10_000, interval: 20 });
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
    await vi.waitFor(() => change("after the cut"), { timeout: 10_000, interval: 50 });
    await vi.waitFor(() => expect(entities(heard)).toEqual(["before the cut", "after the cut"]), {
      timeout: 10_000,
    });
  });

  it("does not tell of a change that was rolled back", async () => {
    const { heard } = await startFeed();
    await transact
      .asOperator(async (tx) => {
        await insertChange(tx, { kind: "key", tenantId: null, entityId: "undone" });
        throw new Error("undo");
      })
      .catch(() => undefined);
    await change("kept");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["kept"]), { timeout: 5_000 });
  });

  it("keeps telling others when one listener throws", async () => {
    const { feed, heard } = await startFeed();
    feed.subscribe(() => {
      throw new Error("a broken listener");
    });
    const later: Change[] = [];
    feed.subscribe((one) => later.push(one));
    await change("d");
    await vi.waitFor(() => expect(entities(later)).toEqual(["d"]), { timeout: 5_000 });
    expect(entities(heard)).toEqual(["d"]);
  });

  it("tells to drop caches when changes it had not seen were pruned", async () => {
    const { feed, heard } = await startFeed({ listen: DEAF });
    // One transaction, so that the feed cannot see the change between its making and its deletion.
    await database.sql.begin(async (tx) => {
      await tx`select record_change('key', null, 'gone')`;
      await tx`update pruned_revisions set revision = (select max(revision) from changes) where source = 'changes'`;
      await tx`delete from changes`;
    });
    await vi.waitFor(() => expect(entities(heard)).toEqual(["reset"]), { timeout: 5_000 });
    await change("after");
    await vi.waitFor(() => expect(entities(heard)).toEqual(["reset", "after"]), { timeout: 5_000 });
    expect(feed.isStale()).toBe(false);
  });

  it("tells to drop caches when the database went back to an older state", async () => {
    await change("ahead");
    const { heard } = await startFeed({ listen: DEAF });
    await database.sql.begin(async (tx) => {
      await tx`delete from changes`;
      await tx`update pruned_revisions set revision = 0`;
      await tx`alter sequence changes_revision_seq restart with 1`;
      await tx`select record_change('key', null, 'restored')`;
    });
    await vi.waitFor(() => expect(entities(heard)[0]).toBe("reset"), { timeout: 5_000 });
    await change("later");
    await vi.waitFor(() => expect(entities(heard)).toContain("later"), { timeout: 5_000 });
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
    await vi.waitFor(() => expect(feed.isStale()).toBe(true), { timeout: 5_000 });
    isCut = false;
    await vi.waitFor(() => expect(feed.isStale()).toBe(false), { timeout: 5_000 });
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
