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
import { grantCredit } from "#modules/billing/credits/grant-credit.ts";
import { putSpendCap } from "#modules/billing/spend-cap/change-spend-cap.ts";
import {
  act,
  publishPricedPlans,
  toBillingDeps,
} from "#modules/billing/testing/billing.fixture.ts";
import { forecastExhaustion } from "./forecast-exhaustion.ts";
import { forecastInvoice } from "./forecast-invoice.ts";
import { forecastUsage } from "./forecast-usage.ts";
import { createForecaster, createForecasterHere } from "./forecaster.ts";
import { recordDays } from "./forecasts.fixture.ts";

let database: TestDatabase;
let deps: ReturnType<typeof openDeps>;
function openDeps() {
  return { ...toBillingDeps(createTestServices(database)), forecaster: createForecasterHere() };
}
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openDeps();
  await createTestTenant(deps);
  await publishPricedPlans(deps);
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

/** A tenant with a plan from now on, that has used `daily` units on each of the last 40 days. */
async function createUser(planId: string, daily: number): Promise<TenantId> {
  const { tenantId } = await createTestTenant(deps, planId);
  await recordDays(deps, tenantId, { days: 40, countOn: () => daily });
  await act(deps, { tenantId }, { do: "subscribe", planId });
  return tenantId;
}

const DAY = /^\d{4}-\d\d-\d\d/;
const daysUntil = (instant: string | null) =>
  (Date.parse(instant ?? "") - deps.clock.now().getTime()) / DAY_MS;

describe("the forecast of invoices", () => {
  it("knows included units, tiers and the base fee, and a thread computes the same", async () => {
    const tenantId = await createUser("metered", 40);
    const forecast = await forecastInvoice(deps, OPERATOR_CONTEXT, { tenantId });
    expect(forecast).toMatchObject({ state: "forecast", currency: "USD", runningTotal: "31.00" });
    const [next, ...later] = forecast.invoices;
    // A month of 28 to 31 days with 40 a day, of which 100 are free, at 0.01, and the fee of the month after.
    const usage = next?.lines.find(({ kind }) => kind === "usage");
    const [from, to] = [next?.from, next?.issuesAt].map((at) => Date.parse(at ?? ""));
    const units = 40 * (((to ?? 0) - (from ?? 0)) / DAY_MS);
    expect(Math.abs(Number(usage?.quantity) - units)).toBeLessThanOrEqual(1);
    expect(Number(usage?.amount)).toBeCloseTo((Number(usage?.quantity) - 100) / 100, 2);
    expect(Number(next?.total.mean)).toBeCloseTo(31 + Number(usage?.amount), 2);
    expect(next?.lines.map(({ description }) => description)).toContain("Metered: Base fee");
    expect(later.length).toBeGreaterThanOrEqual(1);
    const sum = forecast.invoices.reduce((total, invoice) => total + Number(invoice.total.mean), 0);
    expect(Number(forecast.days90?.mean)).toBeCloseTo(sum, 2);
    const inThread = { ...deps, forecaster: createForecaster() };
    expect(await forecastInvoice(inThread, OPERATOR_CONTEXT, { tenantId })).toEqual(forecast);
  });

  it("says that nothing is to come, or how many days are missing", async () => {
    const { tenantId: free } = await createTestTenant(deps, "Free");
    expect(await forecastInvoice(deps, OPERATOR_CONTEXT, { tenantId: free })).toMatchObject({
      state: "no_invoice",
      invoices: [],
      days90: null,
    });
    const { tenantId } = await createTestTenant(deps, "New");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await recordDays(deps, tenantId, { days: 4, countOn: () => 40 });
    expect(await forecastInvoice(deps, OPERATOR_CONTEXT, { tenantId })).toMatchObject({
      state: "not_enough_history",
      history: { days: 4, needed: 21 },
      runningTotal: "31.00",
      invoices: [],
    });
  });
});

describe("the forecast of what runs out", () => {
  it("dates a quota, a spend cap and credit, and shows money only to those who may read invoices", async () => {
    const tenantId = await createUser("limited", 10);
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "0.60", shares: [] });
    await grantCredit(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
      kind: "prepaid",
      amount: "1.20",
      priority: 1,
      reason: "Welcome",
    });
    const { items } = await forecastExhaustion(deps, OPERATOR_CONTEXT, { tenantId });
    const [quota, cap, credit] = items;
    expect(items.map(({ kind }) => kind)).toEqual(["quota", "spend_cap", "credit"]);
    // 100 a month at 10 a day; 0.60 are 40 units of 0.015; 1.20 are 80.
    expect(quota).toMatchObject({ state: "runs_out", limit: "100", left: "100", isHard: true });
    expect(daysUntil(quota?.at ?? null)).toBeCloseTo(10, 0);
    expect(cap).toMatchObject({ state: "runs_out", limit: "0.60", used: "0.00", unit: "USD" });
    expect(daysUntil(cap?.at ?? null)).toBeCloseTo(4, 0);
    expect(credit).toMatchObject({ limit: "1.20", left: "1.20", resetsAt: null });
    for (const { earliest80, at, latest80 } of items) {
      for (const instant of [earliest80, at, latest80]) {
        expect(instant).toMatch(DAY);
      }
      expect(Date.parse(earliest80 ?? "")).toBeLessThanOrEqual(Date.parse(at ?? ""));
      expect(Date.parse(latest80 ?? "")).toBeGreaterThanOrEqual(Date.parse(at ?? ""));
    }
    const reader = contextOf({
      type: "key",
      id: deps.newId("key"),
      tenantId,
      scopes: ["usage:read"],
    });
    const seen = await forecastExhaustion(deps, reader, { tenantId });
    expect(seen.items.map(({ kind }) => kind)).toEqual(["quota"]);
  });

  it("says that it lasts, or that too little is known", async () => {
    const tenantId = await createUser("limited", 1);
    const { items } = await forecastExhaustion(deps, OPERATOR_CONTEXT, { tenantId });
    expect(items).toMatchObject([{ kind: "quota", state: "not_within_90_days", at: null }]);
    const { tenantId: young } = await createTestTenant(deps, "Young too");
    await recordDays(deps, young, { days: 3, countOn: () => 50 });
    const { items: unknown } = await forecastExhaustion(deps, OPERATOR_CONTEXT, {
      tenantId: young,
    });
    expect(unknown).toMatchObject([{ kind: "quota", state: "not_enough_history", at: null }]);
  });
});
