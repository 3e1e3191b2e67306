import { catalogInput } from "@turnpike/contract/catalog";
import type { DraftsRow, DraftsTotals } from "@turnpike/contract/plan-drafts-preview";
import {
  type MigrationRow,
  type MigrationTotals,
  migrationRow,
  migrationTotals,
  planMigration,
} from "@turnpike/contract/plan-migrations";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { startTestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCoupon } from "#modules/catalog/coupons/manage-coupons.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { putPlanDraft } from "#modules/catalog/versions/write-plan-draft.ts";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import { closeDue } from "../closing/close-due.ts";
import { getSubscription } from "../subscriptions/get-subscription.ts";
import { act, publishPricedPlans, recordUsage, toBillingDeps } from "../testing/billing.fixture.ts";
import { countSubscribers } from "./count-subscribers.ts";
import { cancelMigration, listPlanMigrations, migrateSubscribers } from "./manage-migrations.ts";
import { type MigrateDeps, moveSubscribers } from "./move-subscribers.ts";
import { type DraftsPlace, previewDrafts } from "./preview-drafts.ts";
import { previewMigration } from "./preview-migration.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ATTEMPT = { isLast: false, signal: new AbortController().signal };

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & MigrateDeps;
/** What was handed to the queue. */
let queued: unknown[];
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  queued = [];
  const jobs = {
    enqueue: async (_job: unknown, payload: unknown) => {
      queued.push(payload);
    },
  };
  deps = { ...toBillingDeps(services), jobs };
  await createTestTenant(services, "On the default plan");
  await publishPricedPlans(services);
});
afterEach(() => database.close());

/** A price of `metered`, which was 31 a month and 0.01 a request after 100. */
function phasesOf(base: string, unitAmount: string) {
  return [
    {
      rateCards: [
        {
          key: "base",
          price: { model: "flat" as const, amount: base },
          interval: { month: 1 },
          timing: "advance" as const,
        },
        {
          key: "requests",
          meter: "requests",
          interval: { month: 1 },
          price: {
            model: "graduated" as const,
            tiers: [
              { upTo: "100", unitAmount: "0" },
              { upTo: null, unitAmount },
            ],
          },
        },
      ],
    },
  ];
}

/** The second version: 29 a month and 0.02 a request after 100. */
async function publishSecond(currency = "USD"): Promise<void> {
  const plan = { planId: "metered", name: "Metered", currency, phases: phasesOf("29", "0.02") };
  await applyCatalog(services, OPERATOR_CONTEXT, catalogInput.parse({ plans: [plan] }));
}

async function subscribe(name: string, requests: number): Promise<TenantId> {
  const { tenantId } = await createTestTenant(services, name);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  if (requests > 0) {
    const at = new Date(services.clock.now().getTime() + DAY_MS);
    await recordUsage(services, { tenantId, at, quantity: requests });
  }
  return tenantId;
}

async function endPeriod(): Promise<void> {
  services.clock.advance(32 * DAY_MS);
  await closeDue(deps);
}

async function preview(to: number | "draft", fromVersion?: number) {
  const lines = await previewMigration(deps, OPERATOR_CONTEXT, {
    planId: "metered",
    to,
    fromVersion,
  });
  const all: (MigrationRow | MigrationTotals)[] = [];
  for await (const line of lines) {
    all.push(line);
  }
  const totals = migrationTotals.parse(all.at(-1));
  return { rows: all.slice(0, -1).map((row) => migrationRow.parse(row)), totals };
}

const begin = (when: "now" | "period_end", toVersion = 2) =>
  migrateSubscribers(deps, OPERATOR_CONTEXT, { planId: "metered", toVersion, when });
const run = (migrationId: string) => moveSubscribers(deps, { migrationId }, ATTEMPT);
const subscriptionOf = (tenantId: TenantId) =>
  getSubscription(deps, OPERATOR_CONTEXT, { tenantId, environment: "live" });
const entitlementOf = (tenantId: TenantId) =>
  getEntitlement(services, OPERATOR_CONTEXT, { tenantId });

async function newest() {
  const { items } = await listPlanMigrations(deps, OPERATOR_CONTEXT, { planId: "metered" });
  return planMigration.parse(items[0]);
}

describe("the preview of a migration", () => {
  it("says of every subscriber what its last period cost and would cost, and sums it up", async () => {
    await subscribe("Little", 10);
    await subscribe("Some", 250);
    await subscribe("Much", 1_100);
    const unbilled = await createTestTenant(services, "Unbilled");
    await updateTenant(services, OPERATOR_CONTEXT, { ...unbilled, planId: "metered" });
    await endPeriod();
    await publishSecond();
    const { rows, totals } = await preview(2);
    const said = new Map(
      rows.map(({ tenantName, before, after, difference, isWhole }) => [
        tenantName,
        [before, after, difference, isWhole],
      ]),
    );
    expect(said).toEqual(
      new Map([
        ["Little", ["31.00", "29.00", "-2.00", true]],
        ["Some", ["32.50", "32.00", "-0.50", true]],
        ["Much", ["41.00", "49.00", "8.00", true]],
        ["Unbilled", [null, null, null, false]],
      ]),
    );
    expect(totals).toEqual({
      kind: "totals",
      subscribers: 4,
      unbilled: 1,
      refused: 0,
      currencies: [
        {
          currency: "USD",
          more: 1,
          less: 2,
          same: 0,
          before: "104.50",
          after: "110.00",
          difference: "5.50",
        },
      ],
    });
    // What it says of the old version is what was invoiced for the period.
    const [invoiced] = await database.sql<[{ sum: string }]>`
      select sum(amount)::text as sum from invoice_lines l
      where (kind = 'usage' or kind = 'base') and from_at = (select min(from_at) from invoice_lines where tenant_id = l.tenant_id)`;
    expect(invoiced.sum).toBe("10450");
    expect((await preview(2, 2)).rows).toEqual([]);
    expect((await preview(1)).totals.subscribers).toBe(0);
    const { items } = await countSubscribers(deps, OPERATOR_CONTEXT, { planId: "metered" });
    expect(items).toEqual([{ version: 1, subscribers: (await preview(2)).totals.subscribers }]);
  });

  it("leaves out what was used before a plan that was to begin later", async () => {
    const { tenantId } = await createTestTenant(services, "Later");
    const startsAt = new Date(services.clock.now().getTime() + 40 * DAY_MS).toISOString();
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered", startsAt });
    services.clock.advance(30 * DAY_MS);
    await recordUsage(services, { tenantId, at: services.clock.now(), quantity: 900 });
    services.clock.advance(12 * DAY_MS);
    await closeDue(deps);
    await publishSecond();
    expect((await preview(2)).rows).toMatchObject([
      { from: startsAt, isWhole: false, before: "31.00", after: "29.00" },
    ]);
  });

  it("takes a running first period as far as it is, and the draft as it would be published", async () => {
    await subscribe("New", 150);
    services.clock.advance(2 * DAY_MS);
    const terms = {
      name: "Metered",
      description: "",
      currency: "USD",
      pricePerMonth: "0",
      visibility: "public" as const,
      rateLimits: [],
      quotas: [],
      phases: phasesOf("31", "0.5"),
    };
    await putPlanDraft(services, OPERATOR_CONTEXT, { planId: "metered", terms });
    expect((await preview("draft")).rows).toMatchObject([
      { before: "31.50", after: "56.00", difference: "24.50", isWhole: false },
    ]);
    const faulty = { ...terms, phases: phasesOf("31", "-1") };
    await putPlanDraft(services, OPERATOR_CONTEXT, { planId: "metered", terms: faulty });
    expect((await refusalOf(preview("draft"))).code).toBe("INVALID_REQUEST");
    expect((await refusalOf(preview(7))).code).toBe("RESOURCE_NOT_FOUND");
  });

  it("of all drafts goes through every plan that has one, counts coupons and add-ons, and goes on where it broke off", async () => {
    const [little, some] = [await subscribe("Little", 10), await subscribe("Some", 250)];
    await createCoupon(services, OPERATOR_CONTEXT, {
      ...{ couponId: "half", name: "Half", percent: "50" },
    });
    await act(deps, { tenantId: some }, { do: "coupon", couponId: "half" });
    const { tenantId: other } = await createTestTenant(services, "Other");
    await act(deps, { tenantId: other }, { do: "subscribe", planId: "limited" });
    await endPeriod();
    const draft = (planId: string, phases: ReturnType<typeof phasesOf>) =>
      putPlanDraft(services, OPERATOR_CONTEXT, {
        planId,
        terms: {
          ...{ name: planId, description: "", currency: "USD", pricePerMonth: "0" },
          ...{ visibility: "public" as const, rateLimits: [], quotas: [], phases },
        },
      });
    await draft("metered", phasesOf("29", "0.02"));
    await draft("limited", phasesOf("-1", "0.02"));
    await draft("brand-new", phasesOf("1", "0.02"));
    const ask = async (after?: DraftsPlace) => {
      const all: (DraftsRow | DraftsTotals)[] = [];
      for await (const row of await previewDrafts(deps, OPERATOR_CONTEXT, { after })) {
        all.push(row);
      }
      return all;
    };
    const all = await ask();
    expect(all).toMatchObject([
      { kind: "fault", planId: "limited" },
      { planId: "metered", tenantId: little, before: "31.00", after: "29.00" },
      // Half of what it was, and of what it would be.
      { planId: "metered", tenantId: some, before: "16.25", after: "16.00" },
      { kind: "end", plans: 2 },
    ]);
    expect(await ask({ planId: "metered", tenantId: little })).toEqual(all.slice(2));
    const refused = previewDrafts(
      deps,
      contextOf({ type: "service_key", id: "svc_1", scopes: ["catalog:read"] }),
      {},
    );
    expect(await refusalOf(refused)).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    const app = await startTestApp(database);
    const authorization = `Bearer ${await app.mintServiceKey(["catalog:read", "billing:read"])}`;
    const get = (query: string) =>
      fetch(`${app.url}/v1/catalog/drafts/preview${query}`, { headers: { authorization } });
    const lines = (await (await get(`?after=metered.${little}`)).text()).trimEnd().split("\n");
    // The program has the clock of the machine: the periods are others, the rows are the same.
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { kind: "subscriber", planId: "metered", tenantId: some },
      { kind: "end", plans: 2 },
    ]);
    expect((await get("?after=metered")).status).toBe(400);
    await app.close();
  });

  it("names those who cannot be moved, since they are billed in another currency", async () => {
    await subscribe("Dollars", 0);
    await publishSecond("EUR");
    const { rows, totals } = await preview(2);
    expect(rows).toMatchObject([
      { currency: "USD", after: null, fault: expect.stringContaining("EUR") },
    ]);
    expect(totals).toMatchObject({ refused: 1, currencies: [] });
  });

  it("is streamed, to who may read the catalogue and what customers are billed", async () => {
    await subscribe("Streamed", 0);
    await publishSecond();
    const app = await startTestApp(database);
    const path = "/v1/plans/metered/migration-preview?to=2";
    const ask = async (scopes: Parameters<typeof app.mintServiceKey>[0], target = path) => {
      const authorization = `Bearer ${await app.mintServiceKey(scopes)}`;
      return await fetch(`${app.url}${target}`, { headers: { authorization } });
    };
    const answer = await ask(["catalog:read", "billing:read"]);
    expect(answer.headers.get("content-type")).toContain("application/x-ndjson");
    const lines = (await answer.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ kind }) => kind)).toEqual(["subscriber", "totals"]);
    expect((await ask(["catalog:read"])).status).toBe(403);
    expect((await ask(["billing:read"])).status).toBe(403);
    expect((await fetch(`${app.url}${path}`)).status).toBe(401);
    const wrong = await ask(["catalog:read", "billing:read"], `${path}0&from=x`);
    expect(wrong.status).toBe(400);
    await app.close();
  });
});

describe("a migration", () => {
  it("moves each subscriber at the end of its period, and one that is not billed at once", async () => {
    const tenantId = await subscribe("Moved", 0);
    const unbilled = await createTestTenant(services, "Unbilled");
    await updateTenant(services, OPERATOR_CONTEXT, { ...unbilled, planId: "metered" });
    await publishSecond();
    const { migrationId } = await begin("period_end");
    expect(queued).toEqual([{ migrationId }]);
    await run(migrationId);
    expect(await newest()).toMatchObject({ state: "done", moved: 2, unchanged: 0, failed: 0 });
    expect((await entitlementOf(unbilled.tenantId)).planVersion).toBe(2);
    expect(await subscriptionOf(tenantId)).toMatchObject({ planVersion: 1 });
    await endPeriod();
    expect(await subscriptionOf(tenantId)).toMatchObject({ planVersion: 2 });
    expect((await entitlementOf(tenantId)).planVersion).toBe(2);
    const [last] = await database.sql<[{ amount: string }]>`
      select l.amount::text as amount from invoice_lines l join invoices i using (invoice_id)
      where l.tenant_id = ${tenantId} and l.kind = 'base' order by i.series_number desc limit 1`;
    expect(last.amount).toBe("2900");
    // Begun again, there is no one left to move.
    const again = await begin("period_end");
    await run(again.migrationId);
    expect(await newest()).toMatchObject({ state: "done", moved: 0, unchanged: 0 });
  });

  it("moves now with a credit for the rest of the period, and keeps a change that was asked for", async () => {
    const tenantId = await subscribe("Moved", 0);
    await act(deps, { tenantId }, { do: "change", planId: "free", when: "period_end" });
    await publishSecond();
    await run((await begin("now")).migrationId);
    const subscription = await subscriptionOf(tenantId);
    expect(subscription).toMatchObject({ planId: "metered", planVersion: 2 });
    expect(subscription.pending.change).toMatchObject({ planId: "free" });
    const [sum] = await database.sql<[{ due: string }]>`
      select sum(total - credited)::text as due from invoices where tenant_id = ${tenantId}`;
    expect(sum.due).toBe("2900");
  });

  it("leaves alone who leaves the plan before it would be moved", async () => {
    const tenantId = await subscribe("Leaves", 0);
    await act(deps, { tenantId }, { do: "cancel", when: "period_end" });
    await publishSecond();
    await run((await begin("period_end")).migrationId);
    expect(await newest()).toMatchObject({ moved: 0, unchanged: 1 });
    await endPeriod();
    expect((await subscriptionOf(tenantId)).life).toBe("ended");
  });

  it("moves each subscriber once, however many attempts overlap, and counts it once", async () => {
    const tenants: TenantId[] = [];
    for (const name of ["A", "B", "C", "D"]) {
      tenants.push(await subscribe(name, 0));
    }
    await publishSecond();
    const { migrationId } = await begin("now");
    await Promise.all([run(migrationId), run(migrationId), run(migrationId)]);
    await run(migrationId);
    expect(await newest()).toMatchObject({ state: "done", moved: 4, unchanged: 0, failed: 0 });
    const notes = await database.sql`select tenant_id from credit_notes`;
    expect(notes).toHaveLength(tenants.length);
  });

  it("goes on after an interruption where it was, and names who cannot be moved", async () => {
    await subscribe("First", 0);
    await subscribe("Second", 0);
    await publishSecond();
    const { migrationId } = await begin("now");
    const stopped = new AbortController();
    let begun = 0;
    const interrupted: MigrateDeps = {
      ...deps,
      transact: {
        ...deps.transact,
        asOperator: async (work, share) => {
          begun += 1;
          const result = await deps.transact.asOperator(work, share);
          // After the first subscriber was moved.
          const { moved } = await newest();
          if (moved === 1) {
            stopped.abort(new Error("The process stops."));
          }
          return result;
        },
      },
    };
    const attempt = { isLast: false, signal: stopped.signal };
    await expect(moveSubscribers(interrupted, { migrationId }, attempt)).rejects.toThrow("stops");
    expect(begun).toBeGreaterThan(0);
    expect(await newest()).toMatchObject({ state: "running", moved: 1 });
    await run(migrationId);
    expect(await newest()).toMatchObject({ state: "done", moved: 2 });

    await publishSecond("EUR");
    await run((await begin("now", 3)).migrationId);
    const migration = await newest();
    expect(migration).toMatchObject({ state: "done", moved: 0, failed: 2 });
    expect(migration.failures[0]?.reason).toContain("EUR");
  });

  it("is one of a plan at a time, is cancelled once, and needs catalog:write", async () => {
    await subscribe("Stays", 0);
    await publishSecond();
    const { migrationId } = await begin("now");
    expect((await refusalOf(begin("now"))).code).toBe("CONFLICT");
    const cancel = () => cancelMigration(deps, OPERATOR_CONTEXT, { migrationId });
    const cancelled = await cancel();
    expect(cancelled.state).toBe("cancelled");
    services.clock.advance(MINUTE_MS);
    expect(await cancel()).toEqual(cancelled);
    await run(migrationId);
    expect(await newest()).toMatchObject({ state: "cancelled", moved: 0 });
    expect((await refusalOf(begin("now", 9))).code).toBe("RESOURCE_NOT_FOUND");
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["catalog:read"] });
    const refusals = [
      refusalOf(migrateSubscribers(deps, reader, { planId: "metered", toVersion: 2, when: "now" })),
      refusalOf(cancelMigration(deps, reader, { migrationId })),
      refusalOf(previewMigration(deps, reader, { planId: "metered", to: 2 })),
    ];
    for (const refusal of refusals) {
      expect((await refusal).code).toBe("INSUFFICIENT_SCOPE");
    }
  });
});
