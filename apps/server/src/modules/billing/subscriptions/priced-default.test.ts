import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setDefaultPlan } from "#modules/catalog/catalog.store.ts";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { act, publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";

let database: TestDatabase;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  const services = createTestServices(database);
  deps = { ...toBillingDeps(services), plans: createBilledPlans(toBillingDeps(services)) };
  await createTestTenant(services);
  await publishPricedPlans(services);
  await services.transact.asOperator((tx) => setDefaultPlan(tx, "metered"));
});
afterAll(() => database.close());

const totalOf = async (tenantId: string) =>
  (
    await database.sql`select sum(total - credited)::int as total from invoices where tenant_id = ${tenantId}`
  )[0]?.["total"];

describe("where the plan of new tenants has a price", () => {
  it("is never given away: after an end calls are refused and nothing is charged, until a plan is chosen or given", async () => {
    const { tenantId } = await createTestTenant(deps, "New");
    const read = () => getEntitlement(deps, OPERATOR_CONTEXT, { tenantId });
    expect(await read()).toMatchObject({ planId: "metered", standing: "current" });
    await act(deps, { tenantId }, { do: "pause", when: "now", proration: "time" });
    expect(await read()).toMatchObject({ planId: "metered", standing: "blocked" });
    await act(deps, { tenantId }, { do: "resume" });
    expect(await read()).toMatchObject({ standing: "current" });
    await act(deps, { tenantId }, { do: "cancel", when: "now", proration: "time" });
    expect(await read()).toMatchObject({ planId: "metered", standing: "blocked" });
    expect(await totalOf(tenantId)).toBe(0);
    await act(deps, { tenantId }, { do: "subscribe", planId: "trial" });
    expect(await read()).toMatchObject({ planId: "trial", standing: "current" });
    await act(deps, { tenantId }, { do: "cancel", when: "now", proration: "time" });
    expect(await read()).toMatchObject({ planId: "metered", standing: "blocked" });
    await updateTenant(deps, OPERATOR_CONTEXT, { tenantId, planId: "free" });
    expect(await read()).toMatchObject({ planId: "free", standing: "current" });
    expect(await totalOf(tenantId)).toBe(0);
  });
});
