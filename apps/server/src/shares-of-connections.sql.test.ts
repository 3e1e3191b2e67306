import { connect, type Sql } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTwoTenants,
  type TestServices,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listMeters, listPlans } from "#modules/catalog/index.ts";
import { listMembers, listTenants } from "#modules/tenants/index.ts";
import { createTransact } from "#platform/transact.ts";

const CONNECTIONS = 6;
/** Of which one holder leaves as many free as it has. */
const SHARE = 3;
const PERSON = "usr_person" as UserId;

let database: TestDatabase;
let pool: Sql;
let services: TestServices;
let tenants: TwoTenants;
beforeAll(async () => {
  database = await createTestDatabase();
  tenants = await createTwoTenants(createTestServices(database));
  pool = connect(database.target, {
    connectionsMax: CONNECTIONS,
    applicationName: "flooded",
    statementTimeoutMs: 0,
  });
  services = { ...createTestServices(database), transact: createTransact(pool) };
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

/** Transactions of the pool that wait for a lock of a table. */
async function countBlocked(): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where application_name = 'flooded' and datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

describe("questions that read as the operator", () => {
  it.each([
    {
      of: "a tenant",
      table: "members",
      ask: () =>
        listMembers(services, tenants.ours.context, { tenantId: tenants.ours.tenantId, limit: 1 }),
    },
    {
      of: "a person",
      table: "members",
      ask: () => {
        const roles = new Map<TenantId, Role>([[tenants.ours.tenantId, "viewer"]]);
        const person = contextOf({ type: "user", id: PERSON, isOperator: false, roles });
        return listTenants(services, person, { limit: 1 });
      },
    },
    { of: "visitors", table: "plans", ask: () => listPlans(services, undefined) },
    { of: "visitors", table: "meters", ask: () => listMeters(services) },
  ])("of $of about $table take a share, and leave the rest to others", async ({ table, ask }) => {
    const asked: Promise<unknown>[] = [];
    await database.sql.begin(async (tx) => {
      await tx`lock table ${tx(table)} in access exclusive mode`;
      for (let count = 0; count < 2 * CONNECTIONS; count += 1) {
        asked.push(ask());
      }
      await expect.poll(countBlocked).toBe(SHARE);
      // Another tenant is served while all of the flood waits.
      await services.transact.asTenant(tenants.theirs.tenantId, (other) => other`select 1`);
      expect(await countBlocked()).toBe(SHARE);
    });
    await Promise.all(asked);
  });
});
