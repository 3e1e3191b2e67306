import type { KeyId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTwoTenants,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyUsage } from "./key-usage.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

describe("keyUsage", () => {
  it("lists the keys used since then, and none of another tenant", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const names = ["fresh", "old", "never"];
    const [fresh, old, never] = names.map(() => services.newId("key")) as [KeyId, KeyId, KeyId];
    const since = new Date("2026-01-14T10:30:00Z");
    const use = (tenantId: string, keyId: KeyId, at: string) => database.sql`
      insert into usage_rollups_hourly (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, calls, quantity)
      values (${tenantId}, ${at}, 'requests', 'live', ${keyId}, 'VALID', 200, 1, 1)`;
    await use(ours.tenantId, fresh, "2026-01-14T10:00:00Z");
    await use(ours.tenantId, old, "2026-01-14T09:00:00Z");
    await use(theirs.tenantId, never, "2026-01-14T12:00:00Z");
    const found = await services.transact.asOperator((tx) =>
      keyUsage.listUsedSince(tx, {
        tenantId: ours.tenantId,
        keyIds: [fresh, old, never],
        since,
      }),
    );
    expect([...found]).toEqual([fresh]);
  });
});
