import { migrate } from "@turnpike/db/migrate";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const MIGRATION = "0013_limit_keys.sql";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe("the migration to limits of keys", () => {
  it("finds the first key of each line and sums what it used, also for an owner whom row-level security binds", async () => {
    await using old = await createOldDatabase(database, MIGRATION);
    const { sql } = old;
    await sql.begin(async (tx) => {
      await tx`insert into plans values ('p', 1, false, now())`;
      await tx`insert into plan_versions values ('p', 1, '{}', now())`;
      await tx`set local role turnpike_operator`;
      await tx`
        insert into tenants (tenant_id, name, slug, plan_id, plan_version, period_anchor, created_at, updated_at)
        values ('ten_1', 'A', 'a', 'p', 1, now(), now(), now())`;
      // The key a was rolled to b and b to c; d stands alone.
      await tx`
        insert into api_keys (tenant_id, key_id, name, environment, key_hash, start, last_four, rolled_to, created_at,
          updated_at, created_by)
        select 'ten_1', key_id, 'Key', 'live', key_id::bytea, '', '', rolled_to, now(), now(), 'test'
        from (values ('a', 'b'), ('b', 'c'), ('c', null), ('d', null)) as keys (key_id, rolled_to)`;
      await tx`reset role`;
      await tx`set local role turnpike_meter`;
      await tx`
        insert into balances values ('ten_1', 'requests', 'live', '2026-01-01Z', '2026-02-01Z', 16)`;
      await tx`
        insert into ledger_entries (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment,
          key_id, outcome, status, calls, quantity)
        select 'ten_1', 'grp_1', '2026-01-10Z', '2026-01-10Z', '2026-01-01Z', 'requests', 'live', key_id, 'VALID', 200, 1,
          quantity
        from (values ('a', 1), ('b', 2), ('c', 4), ('d', 8), ('d', 0), ('gone', 1)) as entries (key_id, quantity)`;
    });
    expect((await migrate(sql)).applied[0]).toBe(MIGRATION);
    const { keys, balances } = await sql.begin(async (tx) => {
      await tx`set local role turnpike_operator`;
      return {
        keys: await tx`select key_id, origin_key_id from api_keys order by key_id`,
        balances: await tx`
          select key_id, used::int as used, period_end = '2026-02-01Z' as ends from key_balances order by key_id`,
      };
    });
    expect(keys.map((row) => Object.values(row).join(" of "))).toEqual([
      "a of a",
      "b of a",
      "c of a",
      "d of d",
    ]);
    expect([...balances]).toEqual([
      { key_id: "a", used: 7, ends: true },
      { key_id: "d", used: 8, ends: true },
      { key_id: "gone", used: 1, ends: true },
    ]);
  });
});
