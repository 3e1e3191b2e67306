import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "@turnpike/db/client";
import { migrate } from "@turnpike/db/migrate";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const FOLDER = new URL("../../../../../packages/db/migrations/", import.meta.url);
const MIGRATION = "0008_widen_rollups.sql";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe("the migration to wide rollups", () => {
  it("keeps every minute and sums the hours of them, also for an owner whom row-level security binds", async () => {
    const owner = `owner_${randomBytes(6).toString("hex")}`;
    const password = randomBytes(12).toString("hex");
    await database.sql.unsafe(`create role ${owner} login nosuperuser password '${password}'`);
    await database.sql.unsafe(
      `grant turnpike_tenant, turnpike_meter, turnpike_operator to ${owner}`,
    );
    await database.sql.unsafe(`create database ${owner} owner ${owner}`);
    const sql = connect(
      { ...database.target, user: owner, password, database: owner },
      { connectionsMax: 2, applicationName: "test", statementTimeoutMs: 0 },
    );
    try {
      const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).sort();
      await sql`create table turnpike_migrations (name text primary key, applied_at timestamptz)`;
      for (const name of names.filter((candidate) => candidate < MIGRATION)) {
        const text = await readFile(new URL(name, FOLDER), "utf8");
        await sql.begin((tx) => tx.unsafe(text).simple());
        await sql`insert into turnpike_migrations (name) values (${name})`;
      }
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
              route, bytes_in::int, cardinality(latency_buckets) as buckets
            from usage_rollups_hourly order by tenant_id, occurred_at`,
          minutes: await tx`
            select count(*)::int as rows, sum(calls)::int as calls from usage_rollups
            where method = '' and route = ''`,
        };
      });
      expect([...minutes]).toEqual([{ rows: 300, calls: 600 }]);
      const hour = { method: "", route: "", bytes_in: 0, buckets: 0 };
      expect([...hours]).toEqual(
        ["ten_1", "ten_2"].flatMap((tenant_id) => [
          { ...hour, tenant_id, at: "10:00", calls: 120, quantity: "90.0" },
          { ...hour, tenant_id, at: "11:00", calls: 120, quantity: "90.0" },
          { ...hour, tenant_id, at: "12:00", calls: 60, quantity: "45.0" },
        ]),
      );
    } finally {
      await sql.end({ timeout: 1 });
      await database.sql.unsafe(`drop database ${owner} with (force)`);
      await database.sql.unsafe(`drop role ${owner}`);
    }
  });
});
