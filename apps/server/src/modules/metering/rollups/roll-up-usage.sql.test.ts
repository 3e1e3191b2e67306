import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { commitGroups } from "../ledger/commit-groups.ts";
import { reconcile } from "../ledger/reconcile.ts";
import type { UsageGroup } from "../ledger/usage-group.ts";
import { groupOf, keysOf, MINUTE_MS, NOON_MS } from "../testing/usage-groups.fixture.ts";
import { findLastRowId, holdRollUps, rollUpHours, rollUpMinutes } from "./recent-usage.store.ts";
import { rollUpUsage } from "./roll-up-usage.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const logger = createLogger({ level: "silent" });

let database: TestDatabase;
let transact: Transact;
// A run rolls up the usage of all tenants, so each test has its own database.
beforeEach(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterEach(() => database.close());

const commit = (...groups: UsageGroup[]) => commitGroups({ transact, logger }, groups);

type Sums = { rows: number; keys: number; calls: number };

async function sumsOf(source: string): Promise<Sums> {
  const { sql } = database;
  const [row] = await sql<Sums[]>`
    select count(*)::int as rows, count(distinct key_id)::int as keys, coalesce(sum(calls), 0)::int as calls
    from ${sql(source)}`;
  return row ?? { rows: -1, keys: -1, calls: -1 };
}

async function countRows(table: string): Promise<number> {
  const { sql } = database;
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(table)}`;
  return row?.count ?? -1;
}

async function expectNoDrift(): Promise<void> {
  expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
}

describe("rolling up", () => {
  it("sums any number of commits to one row per key and minute, and per key and hour", async () => {
    const tenantId = newUuidId("tenant");
    const keyIds = keysOf(3);
    for (const minute of [0, 0, 1, 59, 60]) {
      await commit(
        groupOf(tenantId, keyIds, {
          minuteMs: NOON_MS + minute * MINUTE_MS,
          latencies: { buckets: [minute], counts: [1] },
        }),
      );
    }
    const sums = { keys: 3, calls: 15 };
    expect(await countRows("recent_usage")).toBe(5);
    expect(await sumsOf("usage_by_minute")).toEqual({ ...sums, rows: 15 });
    expect(await rollUpUsage({ transact }, "minutes")).toBe(5);
    expect(await sumsOf("usage_rollups")).toEqual({ ...sums, rows: 12 });
    expect(await sumsOf("usage_by_minute")).toEqual({ ...sums, rows: 12 });
    // The two commits of the first minute are one row now.
    expect(await countRows("recent_usage")).toBe(4);
    expect(await sumsOf("usage_rollups_hourly")).toMatchObject({ rows: 0 });
    expect(await sumsOf("usage_by_hour")).toEqual({ ...sums, rows: 12 });
    await expectNoDrift();
    // Until hours are rolled up, usage of keys is pending.
    expect(await countRows("key_balances")).toBe(0);
    expect(await countRows("usage_of_keys")).toBe(3);
    expect(await rollUpUsage({ transact }, "hours")).toBe(4);
    expect(await countRows("key_balances")).toBe(3);
    expect(await sumsOf("usage_rollups_hourly")).toEqual({ ...sums, rows: 6 });
    expect(await sumsOf("usage_by_hour")).toEqual({ ...sums, rows: 6 });
    expect(await countRows("recent_usage")).toBe(0);
    await expectNoDrift();
  });

  it("leaves what exceeds its bounds to further transactions, and always takes one row", async () => {
    const tenants = [newUuidId("tenant"), newUuidId("tenant")];
    for (const tenantId of [...tenants, ...tenants, ...tenants]) {
      await commit(groupOf(tenantId, keysOf(5)));
    }
    const lastRowId = await transact.asMeter(findLastRowId);
    const taken: number[] = [];
    for (const bounds of [
      { rowsMax: 100, keysMax: 1 },
      { rowsMax: 2, keysMax: 100 },
      { rowsMax: 100, keysMax: 10 },
      { rowsMax: 100, keysMax: 100 },
    ]) {
      taken.push(await transact.asMeter((tx) => rollUpMinutes(tx, { ...bounds, lastRowId }, 2)));
      expect(await sumsOf("usage_by_minute")).toEqual({ rows: 30, keys: 30, calls: 30 });
      await expectNoDrift();
    }
    expect(taken).toEqual([1, 2, 2, 1]);
    // At most two keys in a row.
    const lengths = await database.sql<{ length: number }[]>`
      select distinct cardinality(key_ids) as length from recent_usage order by 1`;
    expect(lengths.map(({ length }) => length)).toEqual([1, 2]);
  });

  it("leaves usage that comes during a run to the next one, so that it ends", async () => {
    const tenantId = newUuidId("tenant");
    await commit(groupOf(tenantId, keysOf(1)));
    const lastRowId = await transact.asMeter(findLastRowId);
    await commit(groupOf(tenantId, keysOf(1)));
    const bounds = { lastRowId, rowsMax: 10, keysMax: 10 };
    expect(await transact.asMeter((tx) => rollUpMinutes(tx, bounds, 96))).toBe(1);
    expect(await transact.asMeter((tx) => rollUpMinutes(tx, bounds, 96))).toBe(0);
    expect(await rollUpUsage({ transact }, "minutes")).toBe(1);
    expect(await rollUpUsage({ transact }, "minutes", { signal: AbortSignal.abort() })).toBe(0);
  });

  it("leaves the current minute to a later run, and does not wait for usage of a clock far ahead", async () => {
    const tenantId = newUuidId("tenant");
    for (const minute of [0, 1, 2, 60]) {
      await commit(groupOf(tenantId, keysOf(2), { minuteMs: NOON_MS + minute * MINUTE_MS }));
    }
    const running = new Date(NOON_MS + MINUTE_MS);
    expect(await rollUpUsage({ transact }, "minutes", { running })).toBe(2);
    const [left] = await database.sql<{ minutes: Date[] }[]>`
      select array_agg(occurred_at order by occurred_at) as minutes from recent_usage where not in_minutes`;
    expect(left?.minutes).toEqual([running, new Date(NOON_MS + 2 * MINUTE_MS)]);
    expect(await sumsOf("usage_by_minute")).toEqual({ rows: 8, keys: 8, calls: 8 });
    expect(await rollUpUsage({ transact }, "minutes")).toBe(2);
    await expectNoDrift();
  });

  it("takes a bounded number of rows for the hours without sorting all of them", async () => {
    const tenantId = newUuidId("tenant");
    await database.sql`
      insert into recent_usage (in_minutes, tenant_id, occurred_at, meter_id, environment, outcome, status, method, route, key_ids,
        calls, quantities, bytes_in, bytes_out, latency_buckets, latency_counts)
      select true, ${tenantId}, ${new Date(NOON_MS)}::timestamptz, 'requests', 'live', 'VALID', 200, '', '/' || number,
        array['key_' || number % 100], '{1}', '{0}', '{}', '{}', '{}', '{}'
      from generate_series(1, 20000) as number`;
    await database.sql`analyze recent_usage`;
    const read = await transact.asMeter(async (tx) => {
      const before =
        await tx`select pg_stat_get_xact_tuples_fetched('recent_usage'::regclass)::int as rows`;
      await rollUpHours(tx, { lastRowId: 2n ** 60n, rowsMax: 10, keysMax: 100 });
      const after =
        await tx`select pg_stat_get_xact_tuples_fetched('recent_usage'::regclass)::int as rows`;
      const scanned =
        await tx`select pg_stat_get_xact_tuples_returned('recent_usage'::regclass)::int as rows`;
      return [after[0]?.["rows"] - before[0]?.["rows"], scanned[0]?.["rows"]];
    });
    expect(Math.max(...read)).toBeLessThan(1_000);
  });

  it("packs keys in their order, so that a key is found in one row", async () => {
    const tenantId = newUuidId("tenant");
    await commit(groupOf(tenantId, keysOf(300)));
    await rollUpUsage({ transact }, "minutes");
    const rows = await database.sql<{ first_key: string; last_key: string; key_ids: string[] }[]>`
      select first_key, last_key, key_ids from usage_rollups order by first_key collate "C"`;
    expect(rows.map(({ key_ids }) => key_ids.length)).toEqual([96, 96, 96, 12]);
    for (const [index, { first_key, last_key, key_ids }] of rows.entries()) {
      expect([first_key, last_key]).toEqual([key_ids.toSorted()[0], key_ids.toSorted().at(-1)]);
      expect(first_key > (rows[index - 1]?.last_key ?? "")).toBe(true);
    }
  });

  it("loses nothing when it fails", async () => {
    const tenantId = newUuidId("tenant");
    await commit(groupOf(tenantId, keysOf(200)), groupOf(tenantId, keysOf(1)));
    const bounds = { lastRowId: 2n ** 60n, rowsMax: 10, keysMax: 1_000 };
    for (const work of [rollUpMinutes, rollUpHours]) {
      const broken = transact.asMeter(async (tx) => {
        expect(await work(tx, bounds, 96)).toBeGreaterThan(0);
        throw new Error("The process ends here.");
      });
      await expect(broken).rejects.toThrow("ends here");
      expect(await sumsOf("usage_by_minute")).toMatchObject({ keys: 201, calls: 201 });
      expect(await sumsOf("usage_by_hour")).toMatchObject({ keys: 201, calls: 201 });
      await expectNoDrift();
      await transact.asMeter((tx) => rollUpMinutes(tx, bounds, 96));
    }
  });

  it("takes fewer rows at once when a transaction takes too long", async () => {
    const tenantId = newUuidId("tenant");
    for (let turn = 0; turn < 5; turn += 1) {
      await commit(groupOf(tenantId, keysOf(1)));
    }
    // As if the statement timeout ended it.
    const slow: Pick<Transact, "asMeter"> = {
      asMeter: (work) =>
        transact.asMeter(async (tx) => {
          const result = await work(tx);
          if (typeof result === "number" && result > 2) {
            throw new Error("canceling statement due to statement timeout");
          }
          return result;
        }),
    };
    expect(await rollUpUsage({ transact: { ...transact, ...slow } }, "minutes")).toBe(5);
    // Two, two and one, each packed in one row.
    expect(await countRows("usage_rollups")).toBe(3);
    expect(await sumsOf("usage_by_minute")).toEqual({ rows: 5, keys: 5, calls: 5 });
    // A single row that fails is reported.
    await commit(groupOf(tenantId, keysOf(1)));
    const broken: Pick<Transact, "asMeter"> = {
      asMeter: (work) =>
        transact.asMeter(async (tx) => {
          const result = await work(tx);
          if (result === 1) {
            throw new Error("The disk is full.");
          }
          return result;
        }),
    };
    await expect(rollUpUsage({ transact: { ...transact, ...broken } }, "minutes")).rejects.toThrow(
      "disk is full",
    );
    expect(await rollUpUsage({ transact }, "minutes")).toBe(1);
    await expectNoDrift();
  });

  it("continues after other work has needed the rollup tables for a moment", async () => {
    // More than fits in one transaction.
    await commit(groupOf(newUuidId("tenant"), keysOf(40_000)));
    await rollUpUsage({ transact }, "minutes");
    let holds: Promise<void> | undefined;
    let isOver = false;
    const countWaiting = async () => {
      const rows = await database.sql`
        select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
      return rows.length;
    };
    // Asks for the tables during the first transaction, and has them from its end until the next one waits for them.
    const disturbed: Pick<Transact, "asMeter"> = {
      asMeter: (work) =>
        transact.asMeter(async (tx) => {
          const result = await work(tx);
          if (typeof result === "number" && holds === undefined) {
            holds = transact.asMeter(async (other) => {
              await holdRollUps(other);
              await pollUntil("the hours wait", async () => isOver || (await countWaiting()) > 0);
            });
            await pollUntil("the other transaction waits", async () => (await countWaiting()) > 0);
          }
          return result;
        }),
    };
    await rollUpUsage({ transact: { ...transact, ...disturbed } }, "hours");
    isOver = true;
    await holds;
    expect(holds).toBeDefined();
    expect(await countRows("recent_usage")).toBe(0);
  });

  it("computes no histograms for queries that read none", async () => {
    for (const view of ["usage_by_minute", "usage_by_hour"]) {
      const { sql } = database;
      const rows = await sql<{ "QUERY PLAN": string }[]>`
        explain verbose select sum(calls) from ${sql(view)} where tenant_id = 'ten_1' and occurred_at > '2026-01-01'`;
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain("recent_usage");
      expect(plan).not.toMatch(/Subquery Scan on usage_by|pack_latencies/);
    }
  });

  it("shows readers each call exactly once, while several roll up and others commit", async () => {
    const tenantId = newUuidId("tenant");
    const keyIds = keysOf(150);
    let isWriting = true;
    let committed = 0;
    let reads = 0;
    const commits = (async () => {
      for (let turn = 0; turn < 60 || reads < 6; turn += 1) {
        await commit(groupOf(tenantId, keyIds, { minuteMs: NOON_MS + (turn % 3) * MINUTE_MS }));
        committed += keyIds.length;
      }
      isWriting = false;
    })();
    const rollUps = (["minutes", "minutes", "hours", "hours"] as const).map(async (grain) => {
      while (isWriting) {
        await rollUpUsage({ transact }, grain);
      }
    });
    const read = async () => {
      let before = 0;
      while (isWriting) {
        const known = committed;
        const [row] = await database.sql<{ minutes: number; hours: number; entries: number }[]>`
          select (select coalesce(sum(calls), 0)::int from usage_by_minute) as minutes,
            (select coalesce(sum(calls), 0)::int from usage_by_hour) as hours,
            (select coalesce(sum(calls), 0)::int from ledger_entries_of_keys) as entries`;
        expect(row?.minutes).toBe(row?.entries);
        expect(row?.hours).toBe(row?.entries);
        expect(row?.entries).toBeGreaterThanOrEqual(Math.max(before, known));
        before = row?.entries ?? 0;
        reads += 1;
      }
    };
    await Promise.all([commits, ...rollUps, read()]);
    await expectNoDrift();
  });
});

describe("entries that differ only in their key", () => {
  it("are packed in one row up to a bound, in the ledger and in recent usage", async () => {
    const [ours, theirs] = [newUuidId("tenant"), newUuidId("tenant")];
    const keyIds = keysOf(500);
    const [alone = newUuidId("key")] = keysOf(1);
    await commit(
      groupOf(ours, keyIds, { calls: 2, quantity: 3 }),
      groupOf(ours, [alone], { calls: 5, quantity: 0, status: 404, outcome: "VALID" }),
      groupOf(theirs, keysOf(2)),
    );
    for (const table of ["ledger_entries", "recent_usage"]) {
      expect([table, await countRows(table)]).toEqual([table, 6 + 1 + 1]);
    }
    expect(await sumsOf("ledger_entries_of_keys")).toEqual({ rows: 503, keys: 503, calls: 1_007 });
    expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ entries: 503, calls: 1_007 });
    const [row] = await database.sql`
      select calls::int, quantity::int from ledger_entries_of_keys where key_id = ${keyIds[499] ?? ""}`;
    expect(row).toEqual({ calls: 2, quantity: 3 });
    await expectNoDrift();
  });

  it.each([
    ["calls", "calls = calls + 1", ["entries"]],
    ["units", "quantity = quantity + 1", ["balance", "entries"]],
    ["calls of a key", "key_calls[2] = key_calls[2] + 1", ["entries", "rollup"]],
    ["a key", "key_ids[2] = 'key_none'", ["key balance", "key balance", "rollup", "rollup"]],
  ])("show drift when %s of their row were changed by hand", async (_what, change, whats) => {
    await commit(groupOf(newUuidId("tenant"), keysOf(3)));
    const { sql } = database;
    await sql`update ledger_entries set ${sql.unsafe(change)}`;
    const { findings } = await reconcile({ transact }, OPERATOR);
    expect(findings.map((finding) => finding.what).toSorted()).toEqual(whats);
  });

  it("show drift when the sum of their minute was changed by hand", async () => {
    await commit(groupOf(newUuidId("tenant"), keysOf(3)));
    await rollUpUsage({ transact }, "minutes");
    await database.sql`update usage_rollups set quantity = quantity + 1`;
    const { findings } = await reconcile({ transact }, OPERATOR);
    expect(findings).toMatchObject([{ what: "rollups", ledger: "3 calls, 3 units" }]);
  });

  it.each(["key_ids = null", "key_calls = '{1}'", "key_quantities = null", "key_id = 'key_1'"])(
    "are refused in a row where %s",
    async (change) => {
      await commit(groupOf(newUuidId("tenant"), keysOf(3)));
      const { sql } = database;
      await expect(sql`update ledger_entries set ${sql.unsafe(change)}`).rejects.toMatchObject({
        code: "23514",
      });
    },
  );
});
