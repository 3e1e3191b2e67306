import type { TenantId } from "@turnpike/domain/ids/ids";
import { DAY_MS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toBillingDeps } from "#modules/billing/testing/billing.fixture.ts";
import { forecastUsage } from "./forecast-usage.ts";
import { createForecasterHere } from "./forecaster.ts";
import { recordDays } from "./forecasts.fixture.ts";

let database: TestDatabase;
let deps: ReturnType<typeof openDeps>;
function openDeps() {
  return { ...toBillingDeps(createTestServices(database)), forecaster: createForecasterHere() };
}
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openDeps();
});
afterAll(() => database.close());

const usageOf = async (tenantId: TenantId, timeZone = "UTC") =>
  await forecastUsage(deps, OPERATOR_CONTEXT, { tenantId, timeZone });

describe("the forecast of usage", () => {
  it("continues the weeks of each meter, with totals, the billing period, and how far off it was", async () => {
    const tenant = await createTestTenant(deps, "Weekly");
    const twin = await createTestTenant(deps, "Weekly");
    const { tenantId } = tenant;
    await recordDays(deps, tenantId, { days: 100, countOn: (weekday) => (weekday < 5 ? 100 : 20) });
    const { meters, asOf } = await forecastUsage(deps, tenant.context, {
      tenantId,
      timeZone: "UTC",
    });
    const settledMs = Math.floor((deps.clock.now().getTime() - 2 * 60_000) / HOUR_MS) * HOUR_MS;
    expect(asOf).toBe(new Date(settledMs).toISOString());
    const requests = meters.find(({ meter }) => meter === "requests") ?? expect.fail();
    expect(requests).toMatchObject({ state: "forecast", notes: [], history: { needed: 21 } });
    expect(requests.days).toHaveLength(90);
    for (const { from, mean } of requests.days) {
      const weekday = (new Date(from).getUTCDay() + 6) % 7;
      expect(mean).toBeCloseTo(weekday < 5 ? 100 : 20, 0);
    }
    expect(requests.totals.map(({ days }) => days)).toEqual([7, 30, 90]);
    expect(requests.totals[0]?.mean).toBeCloseTo(540, 0);
    const { period, accuracy } = requests;
    expect(period?.total.mean).toBeGreaterThan(period?.used ?? Number.POSITIVE_INFINITY);
    expect(accuracy.map(({ kind }) => kind)).toEqual(["back_test", "back_test"]);
    for (const { off, actual } of accuracy) {
      expect(actual).toBeGreaterThan(2_000);
      expect(Math.abs(off ?? 1)).toBeLessThan(0.02);
    }

    const { meters: others } = await usageOf(twin.tenantId);
    expect(others.every(({ state, past }) => state === "no_usage" && past.length === 0)).toBe(true);
  });

  it("says how many days are missing, and computes again when an hour has settled", async () => {
    const { tenantId } = await createTestTenant(deps, "Young");
    await recordDays(deps, tenantId, { days: 5, countOn: () => 7 });
    const read = async () =>
      (await usageOf(tenantId)).meters.find(({ meter }) => meter === "requests");
    expect(await read()).toMatchObject({
      state: "not_enough_history",
      history: { days: 5, needed: 21 },
      days: [],
      totals: [],
      period: null,
    });
    await recordDays(deps, tenantId, { days: 30, countOn: () => 3 });
    expect(await read()).toMatchObject({ history: { days: 5 } });
    deps.clock.advance(HOUR_MS);
    expect(await read()).toMatchObject({ state: "forecast", history: { days: 30 } });
  });

  it("has days by the asked clock, and is refused without the right and to another tenant", async () => {
    const { tenantId } = await createTestTenant(deps, "Berlin");
    const other = await createTestTenant(deps, "Other");
    await recordDays(deps, tenantId, { days: 40, countOn: () => 10 });
    const { meters } = await usageOf(tenantId, "Asia/Kolkata");
    const [first] = meters[0]?.days ?? [];
    expect((Date.parse(first?.from ?? "") + 5.5 * HOUR_MS) % DAY_MS).toBe(0);
    const blind = contextOf({ type: "key", id: deps.newId("key"), tenantId, scopes: [] });
    const ask = { tenantId, timeZone: "UTC" };
    const refusals = await Promise.all(
      [forecastUsage(deps, blind, ask), forecastUsage(deps, other.context, ask)].map(refusalOf),
    );
    expect(refusals.map(({ code }) => code)).toEqual(["INSUFFICIENT_SCOPE", "RESOURCE_NOT_FOUND"]);
  });
});
