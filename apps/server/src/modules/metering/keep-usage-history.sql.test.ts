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
import { commitGroups } from "./commit-groups.ts";
import { keepUsageHistory, prepareUsagePartitions } from "./keep-usage-history.ts";
import { reconcile } from "./reconcile.ts";
import { rollUpUsage } from "./roll-up-usage.ts";
import { GroupBuilder } from "./usage-group.ts";
import { detachOldPartition, makePartitions } from "./usage-history.store.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const DAY_MS = 24 * 3_600_000;
/** SQLSTATE of a lock that was not had in time. */
const LOCK_NOT_AVAILABLE = "55P03";
const PAST_MONTHS = 16;
/** What is kept beyond what was asked for. */
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

/** A database, a clock that says what it is told, and what is done with them. */
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
    // The product's user owns its database; of a copy of the template it owns the tables alone.
    await database.sql`grant create on schema public to ${database.sql(row.owner)}`;
    return new World(database, row);
  }

  close = () => this.#database.close();
  get sql() {
    return this.#database.sql;
  }

  /** As its owner, whom row-level security binds. */
  async asOwner(statement: string): Promise<void> {
    await this.sql.begin(async (tx) => {
      await tx.unsafe(`set local role ${this.#owner}; set local timezone = 'UTC'`).simple();
      await tx.unsafe(statement).simple();
    });
  }

  /** As an installation of some years has it: a fresh one has one partition for all of its past. */
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

  /** As when nobody has made a partition for long. */
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

  /** Calls, each recorded when it occurred unless it came late. */
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

  /** Partitions that lie wholly before what their class keeps. */
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
  const ages = Array.from({ length: 52 }, (_, place) => place * 9);

  it("keeps what is to be kept and drops what is not, by class, whatever the clock did, with drift 0", async () => {
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
              // A week more than was asked for, what is left of the month, and a week for each time the clock was back.
              const daysMax = keptDays + 7 + 31 + 7 * errorsDays.length;
              expect(times[0]).toBeGreaterThan(world.nowMs - daysMax * DAY_MS);
            }
            expect(await world.drift()).toEqual([]);
          }),
      ),
      { numRuns: 5, endOnFailure: true },
    );
  });

  /** At least so many days, so that what is kept begins with the same month a few days sooner or later. */
  function untilMidMonth(nowMs: number, daysMin: number): number {
    const dayOf = (days: number) => new Date(nowMs - (GRACE_DAYS + days) * DAY_MS).getUTCDate();
    let days = daysMin;
    while (dayOf(days) < 10 || dayOf(days) > 20) {
      days += 1;
    }
    return days;
  }

  it("drops nothing for a clock that jumps ahead, and takes up again when it is right", () =>
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

  it("takes the partitions of each class away and leaves those of the others", () =>
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

  it("says nothing of times before the installation: nothing was there to be kept", () =>
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

  it("still finds drift in hours whose minutes are gone", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.use([{ occurredAtMs: world.nowMs - 300 * DAY_MS }]);
      await world.keepUntilDone({ ...FOR_GOOD, minutes: 40 });
      expect(await world.drift()).toEqual([]);
      await world.sql`update usage_rollups_hourly set calls = calls + 1`;
      expect(await world.drift()).toMatchObject([{ what: "rollup of an hour" }]);
    }));

  it("deletes what comes for a time that is not kept any more, and the hours that are kept have it", () =>
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

  it("takes late events and an old journal into partitions that are there", () =>
    inWorld(async (world) => {
      await world.partitionThePast();
      await world.keepUntilDone({ minutes: 40, hours: 40, ledger: 400 });
      const late = [35, 34, 7, 1].map((age) => ({ occurredAtMs: world.nowMs - age * DAY_MS }));
      await world.use(late);
      expect((await world.keep({ minutes: 40, hours: 40, ledger: 400 })).swept).toBe(0);
      expect(await world.times("usage_rollups")).toHaveLength(4);
      expect(await world.drift()).toEqual([]);
    }));

  it("goes on where it was killed: before the commit of a step nothing happened, after it the rest follows", () =>
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
      // A session rolls back after it has told its client that it ends.
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

  it("waits for no reader: commits go on, and the next run drops what this one could not", () =>
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

  it("may run twice at once", () =>
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
  it("are made ahead over the ends of years, by months in UTC, whatever the zone of the session", () =>
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
        where i.inhparent = 'usage_rollups'::regclass and c.relname ~ '_[0-9]{6}$' order by right(c.relname, 6)`;
      // The past, and 24 months behind this one.
      expect(bounds).toHaveLength(25);
      let until: string | undefined;
      for (const { bound } of bounds) {
        const [, from, to] = /FROM \(('.+'|MINVALUE)\) TO \(('.+')\)/.exec(bound) ?? [];
        expect(from).toBe(until ?? "MINVALUE");
        expect(to).toMatch(/-01 00:00:00\+00'$/);
        until = to;
      }
    }));

  it("are not needed for a commit: what came without one moves into it when it is made", () =>
    inWorld(async (world) => {
      await world.dropPartitions();
      const calls = [0, 1, 2].map((minute) => ({
        occurredAtMs: startOfMonthMs(world.nowMs) + minute * 60_000,
      }));
      const tenantId = await world.use(calls);
      expect(await world.drift()).toEqual([]);
      const places = () => world.sql<{ place: string; calls: number }[]>`
        select tableoid::regclass::text as place, sum(calls)::int as calls from usage_rollups group by 1`;
      expect(await places()).toMatchObject([{ place: "usage_rollups_default", calls: 3 }]);
      let made = 0;
      await pollUntil("the partitions of tables without rows are made", async () => {
        const more = await world.transact.asMeter((tx) =>
          makePartitions(tx, { monthsAhead: 0, rowsMax: 0 }),
        );
        made += more.made;
        return made >= 2;
      });
      expect(made).toBe(2);
      expect(await places()).toMatchObject([{ place: "usage_rollups_default" }]);
      await pollUntil("every row is in the partition of its month", async () => {
        await prepareUsagePartitions({ transact: world.transact, logger });
        return (await places()).every(({ place }) => !place.endsWith("_default"));
      });
      // The same rows are found again, not made a second time.
      await world.use(calls, tenantId);
      expect(await world.drift()).toEqual([]);
    }));

  it("show no tenant the rows of another, by whatever name they are asked for", () =>
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
