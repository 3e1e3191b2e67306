import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTenant } from "./create-tenant.ts";
import { deleteTenant } from "./delete-tenant.ts";
import { removeDemoTenant } from "./remove-demo-tenant.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  // Seeds the catalogue.
  await createTestTenant(services, "First");
});
afterAll(() => database.close());

const deps = () => ({
  ...services,
  resources: [],
  removeUsage: () => Promise.resolve({ entries: 0, calls: 0 }),
});

async function makeTenant(name: string, externalId: string) {
  const tenant = await createTenant(services, OPERATOR_CONTEXT, { name, externalId });
  await database.sql`
    insert into balances (tenant_id, meter_id, environment, period_start, period_end, used)
    values (${tenant.tenantId}, 'requests', 'live', '2026-01-01', '2026-02-01', 7)`;
  return tenant;
}

/** As any code of the server could try it. */
async function removeUsage(tenantId: string): Promise<unknown> {
  return await services.transact.asOperatorWithDeleted(
    (tx) => tx`select remove_demo_usage(${tenantId})`,
  );
}

async function countBalances(tenantId: string): Promise<number> {
  return (await database.sql`select 1 from balances where tenant_id = ${tenantId}`).length;
}

it("removes no tenant but those of the demo", async () => {
  const { tenantId } = await makeTenant("Real", "customer-1");
  await expect(removeDemoTenant(deps(), OPERATOR_CONTEXT, { tenantId })).rejects.toMatchObject({
    code: "RESOURCE_NOT_FOUND",
  });
  await deleteTenant(deps(), OPERATOR_CONTEXT, { tenantId, name: "Real" });
  await expect(removeUsage(tenantId)).rejects.toThrow("not a deleted demo tenant");
  expect(await countBalances(tenantId)).toBe(1);
});

it("removes usage of a demo tenant only after it is deleted", async () => {
  const { tenantId } = await makeTenant("Invented", "turnpike-demo:9:1");
  await expect(removeUsage(tenantId)).rejects.toThrow("not a deleted demo tenant");
  await deleteTenant(deps(), OPERATOR_CONTEXT, { tenantId, name: "Invented" });
  await removeUsage(tenantId);
  expect(await countBalances(tenantId)).toBe(0);
  await removeDemoTenant(deps(), OPERATOR_CONTEXT, { tenantId });
  expect(await database.sql`select 1 from tenants where tenant_id = ${tenantId}`).toHaveLength(0);
});
