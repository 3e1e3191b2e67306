import type { TenantId } from "@turnpike/domain/ids/ids";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDue } from "#modules/billing/index.ts";
import {
  act,
  publishPricedPlans,
  toBillingDeps,
} from "#modules/billing/testing/billing.fixture.ts";
import { forecastInvoice } from "./forecast-invoice.ts";
import { forecastUsage } from "./forecast-usage.ts";
import { createForecasterHere } from "./forecaster.ts";
import { recordDays } from "./forecasts.fixture.ts";
import { keepForecasts } from "./keep-forecasts.ts";
import { forecastsOfTenant } from "./kept-forecasts.store.ts";

let database: TestDatabase;
let deps: ReturnType<typeof openDeps>;
function openDeps() {
  return {
    ...toBillingDeps(createTestServices(database)),
    forecaster: createForecasterHere(),
    jobs: { enqueue: () => Promise.resolve() },
    notices: { sendsMail: false, brandName: "Acme API", consoleUrl: "https://console.example.com" },
  };
}
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openDeps();
  await createTestTenant(deps);
  await publishPricedPlans(deps);
});
afterAll(() => database.close());

async function passDays(tenantId: TenantId, days: number, daily: number): Promise<void> {
  deps.clock.advance(days * DAY_MS);
  await recordDays(deps, tenantId, { days, countOn: () => daily });
  await closeDue(deps);
}
const keep = () => keepForecasts(deps, new AbortController().signal);
const countRows = async (tenantId: TenantId) => {
  const rows = await database.sql`select from kept_forecasts where tenant_id = ${tenantId}`;
  return rows.length;
};

describe("kept forecasts", () => {
  it("are compared with what came: of the fifth day of each period, for usage and the invoice", async () => {
    const { tenantId } = await createTestTenant(deps, "Kept");
    await recordDays(deps, tenantId, { days: 40, countOn: () => 40 });
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    expect(await keep()).toBe(1);
    await passDays(tenantId, 5, 40);
    expect(await keep()).toBe(1);
    // The first of the day stays.
    const before = await countRows(tenantId);
    await keep();
    expect(await countRows(tenantId)).toBe(before);
    // Twice as much comes as was forecast.
    await passDays(tenantId, 28, 80);
    await keep();

    const { meters } = await forecastUsage(deps, OPERATOR_CONTEXT, { tenantId, timeZone: "UTC" });
    const [usage] = meters[0]?.accuracy ?? [];
    expect(usage).toMatchObject({ kind: "kept", madeAt: "2026-01-20T00:00:00.000Z" });
    expect(usage?.forecast).toBeCloseTo(31 * 40, -2);
    expect(usage?.actual).toBeGreaterThan(30 * 70);
    expect(usage?.off).toBeCloseTo(
      ((usage?.forecast ?? 0) - (usage?.actual ?? 0)) / (usage?.actual ?? 1),
      9,
    );
    expect(usage?.off).toBeLessThan(-0.3);

    const { accuracy } = await forecastInvoice(deps, OPERATOR_CONTEXT, { tenantId });
    // 31.00 and a cent for each unit beyond 100.
    expect(accuracy).toMatchObject([{ kind: "kept", madeAt: "2026-01-20T00:00:00.000Z" }]);
    expect(accuracy[0]?.actual).toBeCloseTo(31 + ((usage?.actual ?? 0) - 100) / 100, 0);
    expect(accuracy[0]?.forecast).toBeCloseTo(31 + ((usage?.forecast ?? 0) - 100) / 100, 0);
  });

  it("go with their tenant, and those of another tenant are not seen", async () => {
    const { tenantId } = await createTestTenant(deps, "Kept");
    const { meters } = await forecastUsage(deps, OPERATOR_CONTEXT, { tenantId, timeZone: "UTC" });
    expect(meters.flatMap(({ accuracy }) => accuracy)).toEqual([]);
    const [row] = await database.sql<{ tenant_id: TenantId }[]>`
      select tenant_id from kept_forecasts limit 1`;
    const kept = row?.tenant_id ?? expect.fail();
    const forget = () =>
      deps.transact.asOperator((tx) => forecastsOfTenant.forget(tx, { tenantId: kept, limit: 2 }));
    while ((await forget()) > 0) {
      // In pages.
    }
    expect(await countRows(kept)).toBe(0);
  });
});
