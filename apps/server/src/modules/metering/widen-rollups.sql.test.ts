import { migrate } from "@turnpike/db/migrate";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const MIGRATION = "0008_widen_rollups.sql";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe("the migration to wide rollups", () => {
  it("keeps every minute and sums the hours of them, also for an owner whom row-level security binds", async () => {
    await using old = await createOldDatabase(database, MIGRATION);
    const { sql } = old;
    await sql.begin(async (tx) => {
      await tx`set local role turnpike_meter`;
      await tx`
        insert into usage_rollups
          (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, calls, quantity)
        select 'ten_' || tenant, timestamptz '2026-01-10 10:00Z' + minute * interval '1 minute', 'requests', 'live', 'key_1',
          'VALID', 200, 2, 1.5
        from generate_series(1, 2) as tenant, generate_series(0, 149) as minute`;
    });
    expect((await migrate(sql)).applied[0]).toBe(MIGRATION);
    const { hours, minutes } = await sql.begin(async (tx) => {
      await tx`set local role turnpike_operator`;
      return {
        hours: await tx`
          select tenant_id, to_char(occurred_at at time zone 'UTC', 'HH24:MI') as at, calls::int, quantity::text, method,
            route, bytes_in::int, latencies::int
          from usage_rollups_hourly order by tenant_id, occurred_at`,
        minutes: await tx`
          select count(*)::int as rows, sum(calls)::int as calls from usage_rollups
          where method = '' and route = ''`,
      };
    });
    expect([...minutes]).toEqual([{ rows: 300, calls: 600 }]);
    const hour = { method: "", route: "", bytes_in: 0, latencies: 0 };
    expect([...hours]).toEqual(
      ["ten_1", "ten_2"].flatMap((tenant_id) => [
        { ...hour, tenant_id, at: "10:00", calls: 120, quantity: "90.0" },
        { ...hour, tenant_id, at: "11:00", calls: 120, quantity: "90.0" },
        { ...hour, tenant_id, at: "12:00", calls: 60, quantity: "45.0" },
      ]),
    );
  });
});
