import { catalogInput } from "@turnpike/contract/catalog";
import { limits as limitsShape } from "@turnpike/contract/limits";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { getLimits } from "./get-limits.ts";
import { addToBalances } from "./ledger.store.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const PERIOD = {
  periodStartMs: Date.UTC(2026, 0, 1),
  periodEndMs: Date.UTC(2026, 1, 1),
};

describe("getLimits", () => {
  it("shows the plan and price of the tenant's version, even when a newer one is private", async () => {
    const { tenantId } = await createTestTenant(services);
    const sold = { name: "Free", currency: "USD", pricePerMonth: "0" };
    const read = () => getLimits(services, OPERATOR_CONTEXT, { tenantId });
    expect(await read()).toMatchObject({ planId: "free", planVersion: 1, plan: sold });
    const catalog = catalogInput.parse(structuredClone(SAMPLE_CATALOG));
    await applyCatalog(services, OPERATOR_CONTEXT, {
      ...catalog,
      plans: catalog.plans.map((plan) =>
        plan.planId === "free"
          ? { ...plan, name: "Retired", pricePerMonth: "9", visibility: "private" }
          : plan,
      ),
    });
    expect(limitsShape.parse(await read())).toMatchObject({ planVersion: 1, plan: sold });
  });

  it("shows the use of every meter in the current period, also without a quota", async () => {
    const { tenantId } = await createTestTenant(services);
    const row = { ...PERIOD, tenantId, keyId: undefined, environment: "live" } as const;
    await services.transact.asMeter((tx) =>
      addToBalances(tx, [
        { ...row, meterId: "requests", quantity: 7 },
        { ...row, meterId: "tokens", quantity: 2.5 },
        { ...row, meterId: "tokens", environment: "test", quantity: 1 },
        {
          ...row,
          meterId: "tokens",
          periodStartMs: Date.UTC(2025, 11, 1),
          periodEndMs: PERIOD.periodStartMs,
          quantity: 99,
        },
      ]),
    );
    const { balances, quotas } = await getLimits(services, OPERATOR_CONTEXT, { tenantId });
    expect(balances).toEqual([
      { meter: "requests", environment: "live", used: "7" },
      { meter: "tokens", environment: "live", used: "2.5" },
      { meter: "tokens", environment: "test", used: "1" },
    ]);
    expect(new Set(quotas.map(({ meter }) => meter))).toEqual(new Set(["requests"]));
  });

  it("answers for another tenant as for a tenant that does not exist", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    for (const tenantId of [theirs.tenantId, services.newId("tenant")]) {
      expect(await refusalOf(getLimits(services, ours.context, { tenantId }))).toMatchObject({
        code: "RESOURCE_NOT_FOUND",
        message: "There is no such tenant.",
      });
    }
  });
});
