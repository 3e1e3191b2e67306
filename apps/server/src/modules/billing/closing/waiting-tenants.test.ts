import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteTenant, restoreTenant } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { act, publishPricedPlans, recordUsage, toBillingDeps } from "../testing/billing.fixture.ts";
import { closeDue } from "./close-due.ts";
import { withClosingPaused } from "./pause-closing.ts";

const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = toBillingDeps(createTestServices(database));
  await createTestTenant(deps);
  await publishPricedPlans(deps);
});
afterAll(() => database.close());

async function pass(days: number): Promise<void> {
  deps.clock.advance(days * DAY_MS + 2 * 60_000);
  await closeDue(deps);
}

const listLines = async (tenantId: string) =>
  (
    await database.sql<{ line: string }[]>`
      select l.kind || ' ' || l.amount || ' ' || coalesce(l.quantity::text, '') as line
      from invoices i join invoice_lines l using (invoice_id)
      where l.tenant_id = ${tenantId} order by i.series_number, l.line`
  ).map(({ line }) => line);

describe("a deleted tenant", () => {
  it("is not invoiced, and once it is restored gets what ended meanwhile: its usage until then and its fees, once", async () => {
    const { tenantId } = await createTestTenant(deps, "Gone");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await pass(20);
    await recordUsage(deps, { tenantId, at: deps.clock.now(), quantity: 250 });
    await deleteTenant(deps, OPERATOR_CONTEXT, { tenantId, name: "Gone" });
    await pass(20);
    expect(await listLines(tenantId)).toEqual(["base 3100 1"]);
    await restoreTenant(deps, OPERATOR_CONTEXT, { tenantId });
    await pass(0);
    await pass(0);
    expect(await listLines(tenantId)).toEqual(["base 3100 1", "base 3100 1", "usage 150 250"]);
  });
});

describe("a tenant whose history is written", () => {
  it("is not closed meanwhile, and is afterwards, also when the work fails or its process never comes back", async () => {
    const { tenantId } = await createTestTenant(deps, "Imported");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    deps.clock.advance(32 * DAY_MS);
    const work = withClosingPaused(deps, tenantId, async () => {
      await closeDue(deps);
      expect(await listLines(tenantId)).toEqual(["base 3100 1"]);
      throw new Error("The history is not what it seemed.");
    });
    await expect(work).rejects.toThrow("not what it seemed");
    await closeDue(deps);
    expect(await listLines(tenantId)).toEqual(["base 3100 1", "base 3100 1"]);

    deps.clock.advance(32 * DAY_MS);
    await new Promise<void>((resolve) => {
      void withClosingPaused(deps, tenantId, () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    await closeDue(deps);
    expect(await listLines(tenantId)).toHaveLength(2);
    deps.clock.advance(11 * 60_000);
    await closeDue(deps);
    expect(await listLines(tenantId)).toHaveLength(3);
  });
});
