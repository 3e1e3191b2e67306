import { migrate } from "@turnpike/db/migrate";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findSecurityGaps } from "#platform/security-gaps.store.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe("the migration to entitlements", () => {
  it("keeps the plan and period of every tenant, deleted ones too, for an owner bound by row-level security", async () => {
    await using old = await createOldDatabase(database, "0036_add_entitlements.sql");
    const { sql } = old;
    await sql.begin(async (tx) => {
      await tx`insert into plans values ('p', 2, false, now())`;
      await tx`
        insert into plan_versions values ('p', 1, '{"name":"One"}', now()), ('p', 2, '{"name":"Two"}', now())`;
      await tx`set local role turnpike_operator`;
      await tx`set local app.deleted_tenants = 'shown'`;
      await tx`
        insert into tenants (tenant_id, name, slug, plan_id, plan_version, period_anchor, created_at, updated_at, deleted_at)
        values ('ten_1', 'A', 'a', 'p', 1, '2026-01-31 10:00Z', now(), now(), null),
          ('ten_2', 'B', 'b', 'p', 2, '2026-02-01Z', now(), now(), now())`;
    });
    expect((await migrate(sql)).applied[0]).toBe("0036_add_entitlements.sql");
    const read = (table: string) =>
      sql.begin(async (tx) => {
        await tx`set local role turnpike_operator`;
        return await tx`
          select tenant_id, plan_id, plan_version, period_anchor, period_unit, period_every, standing
          from ${tx(table)} order by tenant_id`;
      });
    const monthly = { plan_id: "p", period_unit: "month", period_every: 1, standing: "current" };
    const first = {
      ...monthly,
      tenant_id: "ten_1",
      plan_version: 1,
      period_anchor: new Date("2026-01-31T10:00:00Z"),
    };
    const second = {
      ...monthly,
      tenant_id: "ten_2",
      plan_version: 2,
      period_anchor: new Date("2026-02-01T00:00:00Z"),
    };
    expect([...(await read("tenant_entitlements"))]).toEqual([first, second]);
    expect([...(await read("entitlements"))]).toEqual([first]);
    expect(await findSecurityGaps(sql)).toEqual([]);
  });
});
