import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeDemoUsage } from "#modules/metering/index.ts";
import { createTenant, deleteTenant, removeDemoTenant } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { grantCredit } from "../credits/grant-credit.ts";
import { act, publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  deps = toBillingDeps(services);
  await createTestTenant(services, "First");
  await publishPricedPlans(services);
});
afterAll(() => database.close());

/** A tenant with an invoice and a credit note, live and in its sandbox. */
async function createBilledTenant(name: string, externalId: string): Promise<TenantId> {
  const { tenantId } = await createTenant(services, OPERATOR_CONTEXT, { name, externalId });
  for (const environment of ["live", "test"] as const) {
    await act(deps, { tenantId, environment }, { do: "subscribe", planId: "metered" });
    const credit = { kind: "prepaid" as const, amount: "5", priority: 50, reason: "Welcome." };
    await grantCredit(deps, OPERATOR_CONTEXT, { tenantId, environment, ...credit });
    await act(deps, { tenantId, environment }, { do: "change", planId: "trial", when: "now" });
  }
  return tenantId;
}

const TABLES = [
  "invoices",
  "invoice_lines",
  "credit_notes",
  "billing_events",
  "credit_grants",
  "credit_entries",
  "revenue_changes",
  "document_taxes",
] as const;

async function countRows(tenantId: TenantId): Promise<number[]> {
  const counts: number[] = [];
  for (const table of TABLES) {
    const rows =
      await database.sql`select 1 from ${database.sql(table)} where tenant_id = ${tenantId}`;
    counts.push(rows.length);
  }
  return counts;
}

/** As any code of the server could try it. */
async function removeDocuments(tenantId: TenantId): Promise<unknown> {
  return await services.transact.asOperatorWithDeleted(
    (tx) => tx`select remove_demo_documents(${tenantId})`,
  );
}

async function readSeries(): Promise<string[]> {
  const rows = await database.sql<{ series: string; next: string }[]>`
    select series, next::text as next from document_series order by series`;
  return rows.map(({ series, next }) => `${series} ${next}`);
}

describe("documents of a demo", () => {
  it("have series of their own, and go with their tenant", async () => {
    const customer = await createBilledTenant("Customer", "customer-1");
    const [before, series] = [await countRows(customer), await readSeries()];
    const tenantId = await createBilledTenant("Invented", "turnpike-demo:9:1");
    const numbers = await database.sql<{ number: string }[]>`
      select number from invoices where tenant_id = ${tenantId} and environment = 'live' order by series_number`;
    expect(numbers[0]?.number).toBe("DEMO-9-1-INV-2026-000001");
    expect((await countRows(tenantId)).every((count) => count > 0)).toBe(true);
    const removal = { ...services, removeUsage: removeDemoUsage };
    await removeDemoTenant(removal, OPERATOR_CONTEXT, { tenantId });
    expect(await countRows(tenantId)).toEqual(TABLES.map(() => 0));
    expect(await countRows(customer)).toEqual(before);
    expect(await readSeries()).toEqual(series);
  });

  it("stay as long as their tenant does, and those of customers stay for ever", async () => {
    const demo = await createBilledTenant("Open", "turnpike-demo:9:2");
    await expect(removeDocuments(demo)).rejects.toThrow("not a deleted demo tenant");
    const customer = await createBilledTenant("Deleted", "customer-2");
    await deleteTenant(services, OPERATOR_CONTEXT, { tenantId: customer, name: "Deleted" });
    await expect(removeDocuments(customer)).rejects.toThrow("not a deleted demo tenant");
    for (const tenantId of [demo, customer]) {
      for (const table of TABLES) {
        const removal = database.sql`delete from ${database.sql(table)} where tenant_id = ${tenantId}`;
        await expect(removal, table).rejects.toThrow(/are issued|written once/);
      }
    }
  });

  it("in another series stay, even of a deleted demo tenant", async () => {
    const customer = await createTenant(services, OPERATOR_CONTEXT, { name: "Renamed" });
    const { tenantId } = customer;
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await database.sql`update tenants set external_id = 'turnpike-demo:9:3' where tenant_id = ${tenantId}`;
    await deleteTenant(services, OPERATOR_CONTEXT, { tenantId, name: "Renamed" });
    await removeDocuments(tenantId);
    const [invoices, lines] = await countRows(tenantId);
    expect({ invoices, lines }).toEqual({ invoices: 1, lines: 1 });
    const removal = database.sql`delete from invoice_lines where tenant_id = ${tenantId}`;
    await expect(removal).rejects.toThrow("are issued");
  });
});
