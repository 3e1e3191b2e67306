import type { Sql } from "@turnpike/db/client";
import { migrate } from "@turnpike/db/migrate";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const MIGRATION = "0022_partition_usage.sql";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Two years of usage before now, and some of a clock that was ahead. */
async function writeUsage(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local role turnpike_meter`;
    for (const table of ["usage_rollups", "usage_rollups_hourly"]) {
      await tx`
        insert into ${tx(table)} (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, calls, quantity)
        select 'ten_' || tenant, date_trunc('hour', now(), 'UTC') - day * interval '7 days', 'requests', 'live', 'key_1', 'VALID',
          200, 2, 1.5
        from generate_series(1, 2) as tenant, generate_series(-60, 104) as day`;
    }
    await tx`
      insert into ledger_entries (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment, key_id,
        outcome, status, calls, quantity)
      select 'ten_' || tenant, 'grp_1', at, at, at, 'requests', 'live', 'key_1', 'VALID', 200, 2, 1.5
      from generate_series(1, 2) as tenant, generate_series(-60, 104) as day,
        lateral (select date_trunc('hour', now(), 'UTC') - day * interval '7 days' as at) times`;
    await tx`
      insert into meter_rollups (tenant_id, meter_id, meter_version, occurred_at, dimensions, events, total)
      select 'ten_1', 'tokens', 1, date_trunc('hour', now(), 'UTC') - day * interval '7 days', '{eu}', 3, 4.5
      from generate_series(-60, 104) as day`;
  });
}

const LATER_COLUMNS = [
  "latency_buckets",
  "latency_counts",
  "latencies",
  "key_ids",
  "key_calls",
  "key_quantities",
  "first_key",
  "last_key",
];
const TABLES = ["usage_rollups", "usage_rollups_hourly", "ledger_entries", "meter_rollups"];

/**
 * Every row of every table, without the place in which it stands, and without what a later version keeps otherwise: histograms, and
 * columns for rows of several keys.
 */
async function readUsage(sql: Sql): Promise<string[][]> {
  return await sql.begin(async (tx) => {
    await tx`set local role turnpike_operator`;
    const texts: string[][] = [];
    for (const table of TABLES) {
      const rows = await tx<{ text: string }[]>`
        select (to_jsonb(r) - ${LATER_COLUMNS}::text[])::text as text from ${tx(table)} r order by 1`;
      texts.push(rows.map(({ text }) => text));
    }
    return texts;
  });
}

describe("the migration to partitions", () => {
  it("keeps every row, those of a clock that was ahead too, for an owner whom row-level security binds", async () => {
    await using old = await createOldDatabase(database, MIGRATION);
    const { sql } = old;
    await writeUsage(sql);
    const before = await readUsage(sql);
    expect(before.map((rows) => rows.length)).toEqual([330, 330, 330, 165]);
    expect((await migrate(sql)).applied[0]).toBe(MIGRATION);
    expect(await readUsage(sql)).toEqual(before);
    // Views of later versions show them as well.
    const shown = await sql.begin(async (tx) => {
      await tx`set local role turnpike_operator`;
      return await tx`
        select (select array[count(*), sum(calls)]::int[] from usage_by_minute) as minutes,
          (select array[count(*), sum(calls)]::int[] from usage_by_hour) as hours,
          (select array[count(*), sum(calls)]::int[] from ledger_entries_of_keys where key_id = 'key_1') as entries`;
    });
    expect(shown).toMatchObject([{ minutes: [330, 660], hours: [330, 660], entries: [330, 660] }]);
    // Numbers of entries go on behind the last one.
    const [entry] = await sql.begin(async (tx) => {
      await tx`set local role turnpike_meter`;
      return await tx<{ entry_id: bigint }[]>`
        insert into ledger_entries (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment, key_id,
          outcome, status, calls, quantity)
        values ('ten_1', 'grp_2', now(), now(), now(), 'requests', 'live', 'key_1', 'VALID', 200, 1, 1)
        returning entry_id`;
    });
    expect(entry?.entry_id).toBe(331n);
    const places = await sql.begin(async (tx) => {
      await tx`set local role turnpike_operator`;
      return await tx<{ name: string }[]>`
        select distinct tableoid::regclass::text as name from usage_rollups where occurred_at < now()`;
    });
    expect(places).toMatchObject([{ name: expect.stringContaining("until") }]);
  });
});
