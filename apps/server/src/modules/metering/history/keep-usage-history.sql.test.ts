import { databaseErrorCode } from "@turnpike/db/database-errors";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { startOfMonthMs, type UsageRetention } from "@turnpike/domain/metering/usage-history";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact } from "#platform/transact.ts";
import { commitGroups } from "../ledger/commit-groups.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { GroupBuilder } from "../ledger/usage-group.ts";
import { rollUpUsage } from "../rollups/roll-up-usage.ts";
import { keepUsageHistory, prepareUsagePartitions } from "./keep-usage-history.ts";
import { detachOldPartition, makePartitions } from "./usage-history.store.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const DAY_MS = 24 * 3_600_000;
/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = "55P03";
const PAST_MONTHS = 16;
/** Kept beyond the configured days. */
const GRACE_DAYS = 7;
const CLASSES = {
  usage_rollups: "minutes",
  usage_rollups_hourly: "hours",
  ledger_entries: "ledger",
} as const;
type Table = keyof typeof CLASSES;
const TABLES: readonly Table[] = ["usage_rollups", "usage_rollups_hourly", "ledger_entries"];
const FOR_GOOD: UsageRetention = { minutes: undefined, hours: undefined, ledger: undefined };
const SHORT: UsageRetention = { minutes: 40, hours: 200, ledger: 400 };

const processId = newUuidId("process");
const logger = createLogger({ level: "silent" });

/** A database and a clock that the test sets. */
class World {
  readonly #database: TestDatabase;
  readonly transact;
  readonly #owner: string;
  readonly nowMs: number;
  clockMs: number;

  private constructor(database: TestDatabase, { now, owner }: { now: Date; owner: string }) {
    this.#database = database;
    this.transact = createTransact(database.sql);
    this.#owner = owner;
    this.nowMs = now.getTime();
    this.clockMs = this.nowMs;
  }

  static async open(): Promise<World> {
    const database = await createTestDatabase();
    const [row] = await database.sql<{ now: Date; owner: string }[]>`
      select date_trunc('minute', now()) as now, tableowner as owner from pg_tables where tablename = 'usage_history'`;
    if (row === undefined) {
      throw new Error("There is no history.");
    }
    // The product's user owns its database, but only the tables of a copy of the template.
    await database.sql`grant create on schema public to ${database.sql(row.owner)}`;
    return new World(database, row);
  }

  close = () => this.#database.close();
  get sql() {
    return this.#database.sql;
  }

  /** Runs a statement as the owner of the tables, to whom row-level security applies. */
  async asOwner(statement: string): Promise<void> {
    await this.sql.begin(async (tx) => {
      await tx.unsafe(`set local role ${this.#owner}; set local timezone = 'UTC'`).simple();
      await tx.unsafe(statement).simple();
    });
  }

  /** Gives the past a partition for each month, as in an old installation. A fresh one has a single partition for it. */
  async partitionThePast(): Promise<void> {
    await this.asOwner(`
      do $$
      declare usage record; past text; month timestamptz;
      begin
        for usage in select * from usage_tables() where table_name not like 'meter%' loop
          select c.relname into past from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = usage.table_name::regclass and c.relname like '%until%';
          execute format('drop table %I', past);
          for month in select generate_series(to_date(right(past, 6), 'YYYYMM') - interval '${String(PAST_MONTHS)} months',
            to_date(right(past, 6), 'YYYYMM') - interval '1 month', interval '1 month') loop
            execute format('create table %I partition of %I for values from (%L) to (%L)',
              usage.table_name || to_char(month, '"_"YYYYMM'), usage.table_name, month, month + interval '1 month');
          end loop;
        end loop;
      end $$`);
  }

  /** Drops the partitions, as if none had been made for long. */
  async dropPartitions(): Promise<void> {
    for (const name of await this.partitions()) {
      if (!name.endsWith("_default")) {
        await this.asOwner(`drop table ${name}`);
      }
    }
  }

  async partitions(): Promise<string[]> {
    const rows = await this.sql<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent in (select table_name::regclass from usage_tables()) order by 1`;
    return rows.map(({ name }) => name);
  }

  /** Commits calls. Each is recorded when it occurred unless it is late. */
  async use(
    calls: readonly { occurredAtMs: number; recordedAtMs?: number }[],
    tenantId: TenantId = newUuidId("tenant"),
  ): Promise<TenantId> {
    const keyId: KeyId = newUuidId("key");
    const groups = calls.map(({ occurredAtMs, recordedAtMs = occurredAtMs }) => {
      const builder = new GroupBuilder();
      builder.add({
        tenantId,
        keyId,
        environment: "live",
        meterId: "requests",
        outcome: "VALID",
        status: 200,
        method: "GET",
        route: "/things",
        occurredAtMs,
        periodStartMs: startOfMonthMs(recordedAtMs),
        periodEndMs: startOfMonthMs(startOfMonthMs(recordedAtMs) + 40 * DAY_MS),
        quantity: 1,
        leaseId: undefined,
      });
      return builder.build({ groupId: newUuidId("group"), processId, recordedAtMs });
    });
    await commitGroups({ transact: this.transact, logger }, groups);
    await rollUpUsage({ transact: this.transact }, "minutes");
    await rollUpUsage({ transact: this.transact }, "hours");
    return tenantId;
  }

  keep = (retention: UsageRetention, logTo = logger) =>
    keepUsageHistory(
      {
        transact: this.transact,
        logger: logTo,
        clock: { ...systemClock, now: () => new Date(this.clockMs) },
      },
      retention,
    );

  /**
   * Runs the job until nothing is left to drop. A run leaves what it cannot lock at once to the next one, for example while
   * autovacuum reads a partition.
   */
  async keepUntilDone(retention: UsageRetention): Promise<number> {
    let dropped = 0;
    await pollUntil("every old partition is dropped", async () => {
      dropped += (await this.keep(retention)).dropped;
      return (await this.oldPartitions()).length === 0;
    });
    return dropped;
  }

  /** Detaches one partition. An attempt waits at most 250 ms for a reader such as autovacuum. */
  detach = (): Promise<string> =>
    pollUntil("a partition is detached", async () => {
      try {
        return (await this.transact.asMeter(detachOldPartition)) ?? undefined;
      } catch (error) {
        if (databaseErrorCode(error) !== LOCK_NOT_AVAILABLE) {
          throw error;
        }
        return;
      }
    });

  /** Lists partitions that lie wholly before what their class keeps. */
  async oldPartitions(): Promise<string[]> {
    const rows = await this.sql<{ name: string }[]>`
      select c.relname as name
      from usage_tables() u join usage_history h on h.class = u.class and h.kept_from is not null
        join pg_inherits i on i.inhparent = u.table_name::regclass
        join pg_class c on c.oid = i.inhrelid and c.relname ~ '_[0-9]{6}$' and c.relname !~ '_until_'
      where to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month'
        <= least(h.kept_from, now() - case u.class when 'ledger' then interval '400 days' else interval '40 days' end)`;
    return rows.map(({ name }) => name);
  }

  async drift(): Promise<unknown> {
    return (await reconcile({ transact: this.transact }, OPERATOR)).findings;
  }

  async times(table: Table): Promise<number[]> {
    const column = table === "ledger_entries" ? "recorded_at" : "occurred_at";
    const rows = await this.sql<{ at: Date }[]>`
      select ${this.sql(column)} as at from ${this.sql(table)} order by 1`;
    return rows.map(({ at }) => at.getTime());
  }
}

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const world = await World.open();
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

describe("keepUsageHistory", () => {
  const ages = Array.from({ length: 52 }, (_, index) => index * 9);

  it("keeps each class for its days and drops the rest, also when the clock jumps, with drift 0", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          minutes: fc.integer({ min: 40, max: 450 }),
          hours: fc.integer({ min: 40, max: 450 }),
          ledger: fc.option(fc.integer({ min: 400, max: 450 }), { nil: undefined }),
        }),
        fc.array(fc.constantFrom(-4_000, -1, 0, 1, 4_000), { maxLength: 4 }),
        (retention, errorsDays) =>
          inWorld(async (world) => {
            await world.partitionThePast();
            await world.use(ages.map((age) => ({ occurredAtMs: world.nowMs - age * DAY_MS })));
            for (const errorDays of [...errorsDays, 0]) {
              world.clockMs = world.nowMs + errorDays * DAY_MS;
              await world.keep(retention);
            }
            await world.keepUntilDone(retention);
            for (const table of TABLES) {
              const keptDays = retention[CLASSES[table]] ?? Number.POSITIVE_INFINITY;
              const times = await world.times(table);
              const kept = ages.filter((age) => age <= keptDays);
              expect(times.length, `${table} of ${String(keptDays)} days`).toBeGreaterThanOrEqual(
                kept.length,
              );
              // The configured days, a week, the rest of a month, and a week for each time the clock went back.
              const daysMax = keptDays + 7 + 31 + 7 * errorsDays.length;
              expect(times[0]).toBeGreaterThan(world.nowMs - daysMax * DAY_MS);
            }
            expect(await world.drift()).toEqual([]);
          }),
      ),
      { numRuns: 5, endOnFailure: true },
    );
  });

  /** At least `daysMin` days, so that what is kept starts with the same month when the clock is a few days off. */
  function untilMidMonth(nowMs: number, daysMin: number): number {
    const dayOf = (days: number) => new Date(nowMs - (GRACE_DAYS + days) * DAY_MS).getUTCDate();
    let days = daysMin;
    while (dayOf(days) < 10 || dayOf(days) > 20) {
      days += 1;
    }
    return days;
  }

  it("drops nothing when the clock jumps ahead, and continues when it is right again", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.use(ages.map((age) => ({ occurredAtMs: world.nowMs - age * DAY_MS })));
      const days = (daysMin: number) => untilMidMonth(world.nowMs, daysMin);
      const retention = { minutes: days(40), hours: days(200), ledger: days(400) };
      await world.keepUntilDone(retention);
      const before = await world.partitions();
      world.clockMs = world.nowMs + 3_650 * DAY_MS;
      await world.keep(retention);
      world.clockMs = world.nowMs - 3_650 * DAY_MS;
      await world.keep(retention);
      world.clockMs = world.nowMs;
      await world.keep(retention);
      expect(await world.partitions()).toEqual(before);
      expect(await world.drift()).toEqual([]);
    }));

  it("drops partitions of one class and leaves those of the others", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.use(ages.map((age) => ({ occurredAtMs: world.nowMs - age * DAY_MS })));
      const before = await world.partitions();
      expect((await world.keep(FOR_GOOD)).dropped).toBe(0);
      const dropped = await world.keepUntilDone({ ...FOR_GOOD, minutes: 100 });
      const after = await world.partitions();
      expect(dropped).toBeGreaterThan(8);
      expect(before.filter((name) => !after.includes(name))).toEqual(
        before.filter((name) => /^usage_rollups_\d{6}$/.test(name)).slice(0, dropped),
      );
      const result = await reconcile({ transact: world.transact }, OPERATOR);
      expect(result).toMatchObject({ drift: 0, keptFrom: { hours: null, ledger: null } });
      expect(Date.parse(result.keptFrom.minutes ?? "")).toBeLessThan(world.nowMs - 100 * DAY_MS);
    }));

  it("reports no limit of what is kept when the installation is younger", () =>
    inWorld(async (world) => {
      await world.use([{ occurredAtMs: world.nowMs }]);
      const lines: string[] = [];
      await world.keep(
        SHORT,
        createLogger({ level: "info", destination: { write: (line) => lines.push(line) } }),
      );
      expect(lines).toEqual([]);
      const { keptFrom } = await reconcile({ transact: world.transact }, OPERATOR);
      expect(keptFrom).toEqual({ minutes: null, hours: null, ledger: null });
    }));

  it("finds drift in hours whose minutes are dropped", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.use([{ occurredAtMs: world.nowMs - 300 * DAY_MS }]);
      await world.keepUntilDone({ ...FOR_GOOD, minutes: 40 });
      expect(await world.drift()).toEqual([]);
      await world.sql`update usage_rollups_hourly set calls = calls + 1`;
      expect(await world.drift()).toMatchObject([{ what: "rollup of an hour" }]);
    }));

  it("deletes late usage of minutes that are no longer kept, and keeps its hours", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.keepUntilDone({ ...FOR_GOOD, minutes: 40 });
      const past = { occurredAtMs: Date.UTC(2015, 4, 17), recordedAtMs: world.nowMs };
      await world.use([
        past,
        { occurredAtMs: world.nowMs - 300 * DAY_MS, recordedAtMs: world.nowMs },
      ]);
      expect(await world.drift()).toEqual([]);
      expect((await world.keep({ ...FOR_GOOD, minutes: 40 })).swept).toBe(2);
      expect(await world.times("usage_rollups")).toEqual([]);
      expect(await world.times("usage_rollups_hourly")).toHaveLength(2);
      expect(await world.drift()).toEqual([]);
    }));

  it("has partitions for late events and an old journal", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.keepUntilDone({ minutes: 40, hours: 40, ledger: 400 });
      const late = [35, 34, 7, 1].map((age) => ({ occurredAtMs: world.nowMs - age * DAY_MS }));
      await world.use(late);
      expect((await world.keep({ minutes: 40, hours: 40, ledger: 400 })).swept).toBe(0);
      expect(await world.times("usage_rollups")).toHaveLength(4);
      expect(await world.drift()).toEqual([]);
    }));

  it("continues after it was killed: a step is undone before its commit and finished after it", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      const before = await world.partitions();
      await world.sql`update usage_history set kept_from = now() - interval '300 days' where class = 'minutes'`;
      let pid = 0;
      const killAfterDetach = async () => {
        let isDetached = false;
        const killed = world.transact.asMeter(async (tx) => {
          expect(await detachOldPartition(tx)).toMatch(/^usage_rollups_\d{6}$/);
          isDetached = true;
          const [backend] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
          pid = backend?.pid ?? 0;
          await world.sql`select pg_terminate_backend(${pid})`;
          await tx`select 1`;
        });
        await expect(killed).rejects.toThrow();
        return isDetached;
      };
      await pollUntil("a session is killed after it detached a partition", killAfterDetach);
      // A session rolls back after its client has learned that it ends.
      await pollUntil("the session is gone", async () => {
        const rows = await world.sql`select from pg_stat_activity where pid = ${pid}`;
        return rows.length === 0;
      });
      expect(await world.partitions()).toEqual(before);
      const detached = await world.detach();
      const exists = async () =>
        (await world.sql<{ oid: string | null }[]>`select to_regclass(${detached})::text as oid`)[0]
          ?.oid;
      expect(await exists()).toBe(detached);
      expect(await world.drift()).toEqual([]);
      await pollUntil("the partition is dropped", async () => {
        await world.keep(FOR_GOOD);
        return (await exists()) === null;
      });
    }));

  it("does not wait for readers: commits go on, and the next run drops what this one could not", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.use(ages.map((age) => ({ occurredAtMs: world.nowMs - age * DAY_MS })));
      const before = await world.partitions();
      await world.transact.asOperatorSnapshot(async (tx) => {
        await tx`select count(*) from usage_rollups`;
        const { dropped } = await world.keep({ ...FOR_GOOD, minutes: 100 });
        expect(dropped).toBe(0);
        await world.use([{ occurredAtMs: world.nowMs }]);
      });
      expect(await world.partitions()).toEqual(before);
      expect(await world.keepUntilDone({ ...FOR_GOOD, minutes: 100 })).toBeGreaterThan(8);
      expect(await world.drift()).toEqual([]);
    }));

  it("may run several times at once", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.use(ages.map((age) => ({ occurredAtMs: world.nowMs - age * DAY_MS })));
      await Promise.all([world.keep(SHORT), world.keep(SHORT), world.keep(SHORT)]);
      await world.keepUntilDone(SHORT);
      const left = (await world.partitions()).filter((name) => name.startsWith("usage_rollups_2"));
      expect(left.length).toBeLessThan(8);
      expect(await world.drift()).toEqual([]);
    }));
});

describe("partitions", () => {
  it("are made ahead across years, by months in UTC, in any time zone of the session", () =>
    inWorld(async (world) => {
      await pollUntil("24 months are made", async () => {
        await world.transact.asMeter(async (tx) => {
          await tx`set local timezone = 'America/New_York'`;
          await makePartitions(tx, { monthsAhead: 24, rowsMax: 10 });
        });
        return (
          (await world.partitions()).filter((name) => /_[0-9]{6}$/.test(name)).length >= 5 * 25
        );
      });
      const bounds = await world.sql<{ name: string; bound: string }[]>`
        select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'usage_rollups'::regclass and c.relname ~ '_[0-9]{6}$'
        order by c.relname not like '%until%', right(c.relname, 6)`;
      // The past with this month, and 24 more months.
      expect(bounds).toHaveLength(25);
      let until: string | undefined;
      for (const { bound } of bounds) {
        const [, from, to] = /FROM \(('.+'|MINVALUE)\) TO \(('.+')\)/.exec(bound) ?? [];
        expect(from).toBe(until ?? "MINVALUE");
        expect(to).toMatch(/-01 00:00:00\+00'$/);
        until = to;
      }
    }));

  it("are not needed for a commit: rows move into a partition when it is made", () =>
    inWorld(async (world) => {
      await world.dropPartitions();
      const calls = [0, 1, 2].map((minute) => ({
        occurredAtMs: startOfMonthMs(world.nowMs) + minute * 60_000,
      }));
      const tenantId = await world.use(calls);
      expect(await world.drift()).toEqual([]);
      const partitionsWithRows = () => world.sql<{ partition: string; calls: number }[]>`
        select tableoid::regclass::text as partition, sum(calls)::int as calls from usage_rollups group by 1`;
      expect(await partitionsWithRows()).toMatchObject([
        { partition: "usage_rollups_default", calls: 3 },
      ]);
      let made = 0;
      await pollUntil("the partitions of tables without rows are made", async () => {
        const more = await world.transact.asMeter((tx) =>
          makePartitions(tx, { monthsAhead: 0, rowsMax: 0 }),
        );
        made += more.made;
        return made >= 2;
      });
      expect(made).toBe(2);
      expect(await partitionsWithRows()).toMatchObject([{ partition: "usage_rollups_default" }]);
      await pollUntil("every row is in the partition of its month", async () => {
        await prepareUsagePartitions({ transact: world.transact, logger });
        return (await partitionsWithRows()).every(
          ({ partition }) => !partition.endsWith("_default"),
        );
      });
      // The same rows are found, and none is made twice.
      await world.use(calls, tenantId);
      expect(await world.drift()).toEqual([]);
    }));

  it("hide the rows of other tenants, by any name", () =>
    inWorld(async (world) => {
      const ours = await world.use([{ occurredAtMs: world.nowMs }]);
      const theirs = await world.use([{ occurredAtMs: world.nowMs }]);
      await world.transact.asMeter((tx) => makePartitions(tx, { monthsAhead: 6, rowsMax: 10 }));
      for (const table of TABLES) {
        const seen = await world.transact.asTenant(
          ours,
          (tx) => tx<{ tenant_id: string }[]>`select tenant_id from ${tx(table)}`,
        );
        expect(seen.map((row) => row.tenant_id)).toEqual([ours]);
      }
      for (const name of await world.partitions()) {
        const asked = world.transact.asTenant(theirs, (tx) => tx`select 1 from ${tx(name)}`);
        await expect(asked).rejects.toThrow("permission denied");
      }
    }));
});
