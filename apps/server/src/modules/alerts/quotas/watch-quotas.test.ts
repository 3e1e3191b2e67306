import { WEBHOOK_EVENTS } from "@turnpike/contract/webhooks";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT, type TestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import { getTenant, updateTenant } from "#modules/tenants/index.ts";
import {
  type AlertsWorld,
  call,
  createAlertsWorld,
  createTenantWithOwner,
  listMails,
  listNotices,
  listPublishedEvents,
  watch,
} from "../testing/alerts.fixture.ts";
import { getQuotaAlerts, setQuotaAlerts } from "./manage-quota-alerts.ts";
import { watchQuotas } from "./watch-quotas.ts";

let database: TestDatabase;
let world: AlertsWorld;
let tenant: TestTenant & { ownerEmail: string };
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`delete from balances`;
  world = createAlertsWorld(database);
  tenant = await createTenantWithOwner(world, database);
});

/** Of quotas: changes of plans send notices, too. */
const titles = async () =>
  (await listNotices(database, tenant))
    .map(({ title }) => title)
    .filter((title) => title.includes("quota"));

// The plan of a new tenant has a hard quota of 50,000 requests.
describe("a quota", () => {
  it("notifies once of each threshold, only of the highest of several at once, in the console, by mail and through webhooks", async () => {
    await call(world, tenant, { calls: 24_999 });
    expect(await watch(world)).toBe(0);
    await call(world, tenant, { calls: 1 });
    expect(await watch(world)).toBe(1);
    expect(await watch(world)).toBe(0);
    await call(world, tenant, { calls: 20_500 });
    expect(await watch(world)).toBe(1);
    await call(world, tenant, { calls: 4_500 });
    expect(await watch(world)).toBe(1);
    expect(await titles()).toEqual([
      "50% of the quota of requests is used",
      "90% of the quota of requests is used",
      "100% of the quota of requests is used",
    ]);
    expect((await listNotices(database, tenant))[2]).toMatchObject({
      body: "50,000 of 50,000 requests are used in the period that ends on 1 December 2026 (UTC).\nCalls beyond it are refused until the period ends or the plan is changed.",
      link: "/billings",
    });
    expect(await listMails(database, tenant.ownerEmail)).toHaveLength(3);
    const events = await listPublishedEvents(database, tenant);
    expect(WEBHOOK_EVENTS["quota.threshold_reached"].parse(events[1]?.data)).toEqual({
      tenantId: tenant.tenantId,
      meter: "requests",
      environment: "live",
      kind: "hard",
      threshold: 90,
      used: "45500",
      forfeited: "0",
      limit: 50_000,
      periodStart: "2026-11-01T00:00:00.000Z",
      resetAt: "2026-12-01T00:00:00.000Z",
      text: "90% of the quota of requests is used\n45,500 of 50,000 requests are used in the period that ends on 1 December 2026 (UTC).",
    });
  });

  it("counts what a crash has blocked as used when it is hard, and says so", async () => {
    await call(world, tenant, { calls: 49_000 });
    expect(await watch(world)).toBe(1);
    const lease = (state: string, remaining: number) => database.sql`
      insert into leases (tenant_id, lease_id, meter_id, environment, period_start, process_id, state, granted, remaining,
        expires_at, created_at)
      values (${tenant.tenantId}, ${world.newId("lease")}, 'requests', 'live', '2026-11-01Z', 'prc_1', ${state}, ${remaining},
        ${remaining}, now(), now())`;
    // Units held by a process may still be spent.
    await lease("active", 400);
    expect(await watch(world)).toBe(0);
    await lease("forfeited", 600);
    expect(await watch(world)).toBe(0);
    await lease("forfeited", 400);
    expect(await watch(world)).toBe(1);
    expect(await watch(world)).toBe(0);
    expect((await listNotices(database, tenant)).at(-1)).toMatchObject({
      title: "100% of the quota of requests is used or blocked",
      body: "49,000 of 50,000 requests are used in the period that ends on 1 December 2026 (UTC).\n1,000 more are blocked until then, because a server that held them crashed. They are not billed.\nCalls beyond it are refused until the period ends or the plan is changed.",
    });
    const event = (await listPublishedEvents(database, tenant)).at(-1);
    expect(WEBHOOK_EVENTS["quota.threshold_reached"].parse(event?.data)).toMatchObject({
      threshold: 100,
      used: "49000",
      forfeited: "1000",
    });
  });

  it("starts over from the current usage when the limit is raised", async () => {
    await call(world, tenant, { calls: 46_000 });
    expect(await watch(world)).toBe(1);
    await updateTenant(world, OPERATOR_CONTEXT, { tenantId: tenant.tenantId, planId: "pro" });
    expect(await watch(world)).toBe(0);
    await call(world, tenant, { calls: 454_000 });
    expect(await watch(world)).toBe(1);
    expect((await titles()).at(-1)).toBe("50% of the quota of requests is used");
  });

  it("starts over in a new period", async () => {
    await call(world, tenant, { calls: 46_000 });
    expect(await watch(world)).toBe(1);
    world.clock.advance(15 * 24 * 60 * 60_000);
    const december = { periodStartMs: Date.UTC(2026, 11, 1), periodEndMs: Date.UTC(2027, 0, 1) };
    await call(world, tenant, { calls: 10, ...december });
    expect(await watch(world)).toBe(0);
    await call(world, tenant, { calls: 25_000, ...december });
    expect(await watch(world)).toBe(1);
    expect((await titles()).at(-1)).toBe("50% of the quota of requests is used");
  });

  it("notifies at the thresholds, and mails the roles, that the tenant chose, or not at all", async () => {
    const { tenantId } = tenant;
    expect(await getQuotaAlerts(world, tenant.context, { tenantId })).toEqual({
      thresholds: [50, 75, 90, 100],
      mailRoles: ["owner", "admin", "billing"],
    });
    const chosen = { thresholds: [80, 20, 80], mailRoles: [] };
    expect(await setQuotaAlerts(world, tenant.context, { tenantId, ...chosen })).toEqual({
      thresholds: [20, 80],
      mailRoles: [],
    });
    await call(world, tenant, { calls: 30_000 });
    expect(await watch(world)).toBe(1);
    expect(await titles()).toEqual(["20% of the quota of requests is used"]);
    expect(await listMails(database, tenant.ownerEmail)).toEqual([]);
    await setQuotaAlerts(world, tenant.context, { tenantId, thresholds: [], mailRoles: [] });
    await call(world, tenant, { calls: 20_000 });
    expect(await watch(world)).toBe(0);
  });

  it("notifies once when several processes run concurrently, and each tenant separately", async () => {
    const other = await createTenantWithOwner(world, database, "Other");
    await call(world, tenant, { calls: 46_000 });
    await call(world, other, { calls: 26_000 });
    const signal = new AbortController().signal;
    const notified = await Promise.all(Array.from({ length: 4 }, () => watchQuotas(world, signal)));
    expect(notified.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await titles()).toEqual(["90% of the quota of requests is used"]);
    expect((await listNotices(database, other)).map((one) => one.title)).toEqual([
      "50% of the quota of requests is used",
    ]);
  });

  /** The world, with something happening before the `count`th transaction of a run. */
  const interrupted = (count: number, comes: () => Promise<unknown>): AlertsWorld => {
    let seen = 0;
    return {
      ...world,
      transact: {
        ...world.transact,
        asOperator: async (work) => {
          seen += 1;
          if (seen === count) {
            await comes();
          }
          return await world.transact.asOperator(work);
        },
      },
    };
  };
  const planOf = (planId: string) =>
    updateTenant(world, OPERATOR_CONTEXT, { tenantId: tenant.tenantId, planId });

  it("is decided on by its state under the lock, not by the state that was read before", async () => {
    await call(world, tenant, { calls: 46_000 });
    expect(await watch(interrupted(2, () => planOf("pro")))).toBe(0);
    expect(await titles()).toEqual([]);
  });

  it("repeats no threshold when the limit is raised and put back", async () => {
    const { planId } = await getTenant(world, OPERATOR_CONTEXT, { tenantId: tenant.tenantId });
    await call(world, tenant, { calls: 40_000 });
    expect(await watch(world)).toBe(1);
    await planOf("pro");
    expect(await watch(world)).toBe(0);
    await planOf(planId);
    expect(await watch(world)).toBe(0);
    await call(world, tenant, { calls: 5_000 });
    expect(await watch(world)).toBe(1);
    expect(await titles()).toEqual([
      "75% of the quota of requests is used",
      "90% of the quota of requests is used",
    ]);
  });

  it("does not hold up the others when its decision fails, and notifies in the next run", async () => {
    const other = await createTenantWithOwner(world, database, "Other");
    await call(world, tenant, { calls: 46_000 });
    await call(world, other, { calls: 26_000 });
    const broken = interrupted(2, () => Promise.reject(new Error("connection lost")));
    expect(await watch(broken)).toBe(1);
    expect(await watch(world)).toBe(1);
    expect(await titles()).toHaveLength(1);
    expect(await listNotices(database, other)).toHaveLength(1);
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
