import type { Scope } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "#modules/keys/index.ts";
import { saveInsightRow } from "./insights.store.ts";
import {
  listAllInsights,
  listInsights,
  refreshInsights,
  updateInsight,
} from "./manage-insights.ts";
import { scanTenants } from "./scan-tenants.ts";
import { type RecordedCalls, recordCalls } from "./testing/record-calls.fixture.ts";
import { openScanDeps } from "./testing/scan-deps.fixture.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 21;
const EVENT_HOURS = 5;

let database: TestDatabase;
let deps: ReturnType<typeof openScanDeps>;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openScanDeps(database);
});
afterAll(() => database.close());

const makeKey = async (tenantId: TenantId, input: { name: string; expiresAt?: string }) =>
  (
    await createKey(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
      scopes: [],
      metadata: {},
      ...input,
    })
  ).keyId;

type Happening = "nothing" | "takeover" | "errors" | "refusals";

/** Three weeks of calls by two keys and two routes; in the last hours something happens to the second key. */
async function furnish(tenant: TestTenant, happening: Happening) {
  const { tenantId } = tenant;
  const steady = await makeKey(tenantId, { name: "steady" });
  const taken = await makeKey(tenantId, { name: "taken" });
  const below = createBelow(5);
  const calls: RecordedCalls[] = [];
  for (let hour = DAYS * 24; hour > 0; hour -= 1) {
    const rhythm = 300 + Math.round(120 * Math.sin((hour / 24) * 2 * Math.PI));
    calls.push({ hour, key: steady, route: "/cities", calls: rhythm + below(30) });
    const own = 40 + below(8);
    const now = hour <= EVENT_HOURS ? happening : "nothing";
    const call = { hour, key: taken, route: "/export" };
    calls.push({ ...call, calls: now === "takeover" ? own + 2500 : own });
    if (now === "errors") {
      calls.push({ ...call, calls: 60 + below(9), status: 503 });
    }
    if (now === "refusals") {
      calls.push({ ...call, calls: 90 + below(9), status: 429, outcome: "RATE_LIMITED" });
    }
  }
  await recordCalls(deps, tenantId, calls);
  return { steady, taken };
}

describe("insights", () => {
  it("name the key that explains a rise, with band, shares and an action; look-alike tenants get nothing of it", async () => {
    const tenant = await createTestTenant(deps, "Acme");
    const twin = await createTestTenant(deps, "Acme");
    const { taken } = await furnish(tenant, "takeover");
    await furnish(twin, "nothing");
    const { signal } = new AbortController();
    // One that fails does not keep the other from its turn, and is no secret.
    let looks = 0;
    const findIncidents: typeof deps.findIncidents = (search) => {
      looks += 1;
      return looks === 1 ? Promise.reject(new Error("A bug.")) : deps.findIncidents(search);
    };
    await expect(scanTenants({ ...deps, findIncidents }, signal)).rejects.toThrow("A bug.");
    expect(await database.sql`select from insight_checks`).toHaveLength(1);
    expect(await scanTenants(deps, signal)).toBe(2);

    const { tenantId } = tenant;
    const { items, history, checkedAt } = await listInsights(deps, tenant.context, {
      tenantId,
      state: "open",
    });
    expect(history).toEqual({ hours: DAYS * 24, needed: 200 });
    expect(checkedAt).toBe(deps.clock.now().toISOString());
    const [found, ...others] = items;
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      kind: "anomaly",
      endedAt: null,
      action: { do: "limit_key", keyId: taken },
      evidence: {
        measure: "requests",
        direction: "up",
        cause: { dimension: "key", value: taken },
        parts: [
          { dimension: "key", value: taken },
          { dimension: "key" },
          { dimension: "route", value: "/export" },
          { dimension: "route" },
        ],
        others: [],
      },
    });
    const { evidence } = found ?? expect.fail();
    expect(evidence?.actual).toBeGreaterThan(evidence?.high ?? Number.POSITIVE_INFINITY);
    for (const dimension of ["key", "route"] as const) {
      const parts = evidence?.parts.filter((part) => part.dimension === dimension);
      expect(parts?.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    }
    expect(evidence?.cause?.share).toBeGreaterThan(0.9);
    expect(found?.text).toContain(taken);

    const { items: none } = await listInsights(deps, twin.context, {
      tenantId: twin.tenantId,
      state: "all",
    });
    expect(none).toEqual([]);
    const foreign = listInsights(deps, twin.context, { tenantId, state: "all" });
    expect(await refusalOf(foreign)).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    const all = await listAllInsights(deps, OPERATOR_CONTEXT, { limit: 10 });
    expect(all.items.map((insight) => insight.tenantId)).toEqual([tenantId]);
  });

  it("of a tenant are its own and not its look-alike's", async () => {
    const happening = fc.constantFrom<Happening>("nothing", "takeover", "errors", "refusals");
    const measures = {
      nothing: [],
      takeover: ["requests"],
      errors: ["errors"],
      refusals: ["denied"],
    };
    const look = async (own: Happening) => {
      const tenant = await createTestTenant(deps, "Twins");
      const keys = await furnish(tenant, own);
      return { ...tenant, own, ids: [tenant.tenantId, keys.steady, keys.taken] };
    };
    await fc.assert(
      fc.asyncProperty(happening, happening, async (one, other) => {
        const twins = [await look(one), await look(other)];
        for (const { tenantId, context, own, ids } of twins) {
          const { items } = await refreshInsights(deps, OPERATOR_CONTEXT, { tenantId });
          expect(items.map(({ evidence }) => evidence?.measure)).toEqual(measures[own]);
          const { items: seen } = await listInsights(deps, context, { tenantId, state: "all" });
          const strangers = twins.flatMap((twin) => twin.ids).filter((id) => !ids.includes(id));
          expect(strangers.filter((id) => JSON.stringify(seen).includes(id))).toEqual([]);
        }
      }),
      { numRuns: 2, examples: [["takeover", "errors"]] },
    );
  });

  it("stay one insight of one cause, end when it is over, and are quiet after a dismissal", async () => {
    const tenant = await createTestTenant(deps, "Dismissing");
    const { tenantId } = tenant;
    await makeKey(tenantId, {
      name: "ending",
      expiresAt: new Date(deps.clock.now().getTime() + 3 * DAY_MS).toISOString(),
    });
    const refresh = async () => (await refreshInsights(deps, OPERATOR_CONTEXT, { tenantId })).items;
    const [first, ...others] = await refresh();
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      kind: "key_expiring",
      confidence: 1,
      action: { do: "extend_key" },
    });
    const insightId = first?.insightId ?? expect.fail();
    deps.clock.advance(HOUR_MS);
    expect(await refresh()).toEqual([{ ...first, seenAt: deps.clock.now().toISOString() }]);

    const update = (input: { isDismissed?: boolean; isUseful?: boolean }) =>
      updateInsight(deps, OPERATOR_CONTEXT, { tenantId, insightId, ...input });
    expect(await update({ isDismissed: true, isUseful: false })).toMatchObject({ isUseful: false });
    expect(await refresh()).toEqual([]);
    expect((await update({ isDismissed: false })).dismissedAt).toBeNull();
    expect(
      (await listInsights(deps, OPERATOR_CONTEXT, { tenantId, state: "open" })).items,
    ).toHaveLength(1);

    deps.clock.advance(4 * DAY_MS);
    // By the hourly scan, although the tenant calls nothing.
    await scanTenants(deps, new AbortController().signal);
    const { items } = await listInsights(deps, OPERATOR_CONTEXT, { tenantId, state: "all" });
    expect(items).toMatchObject([{ insightId, endedAt: deps.clock.now().toISOString() }]);
    deps.clock.advance(91 * DAY_MS);
    await refresh();
    const kept = await listInsights(deps, OPERATOR_CONTEXT, { tenantId, state: "all" });
    expect(kept.items).toEqual([]);
  });

  it("of invoices are not for a program that may only read usage", async () => {
    const { tenantId } = await createTestTenant(deps, "Overdue");
    const insightId = deps.newId("insight");
    const now = deps.clock.now();
    const facts = {
      text: "300.00 USD is open.",
      confidence: 1,
      evidence: null,
      action: { do: "pay_invoice" as const, invoiceId: deps.newId("invoice") },
    };
    await deps.transact.asTenant(tenantId, (tx) =>
      saveInsightRow(tx, {
        tenant_id: tenantId,
        insight_id: insightId,
        fingerprint: "invoice_overdue test",
        kind: "invoice_overdue",
        facts,
        since: now,
        seen_at: now,
        ended_at: null,
        dismissed_at: null,
        is_useful: null,
        rated_at: null,
      }),
    );
    const idsFor = async (...scopes: Scope[]) => {
      const context = contextOf({ type: "service_key", id: "svc_1", scopes });
      const { items } = await listAllInsights(deps, context, { limit: 50 });
      return items.map((insight) => insight.insightId);
    };
    expect(await idsFor("usage:read")).not.toContain(insightId);
    expect(await idsFor("usage:read", "billing:read")).toContain(insightId);
  });

  it("are refused without the right, and to another tenant", async () => {
    const tenant = await createTestTenant(deps, "Refused");
    const other = await createTestTenant(deps, "Other");
    const { tenantId } = tenant;
    const reader = contextOf({
      type: "key",
      id: deps.newId("key"),
      tenantId,
      scopes: ["usage:read"],
    });
    const refusals = await Promise.all(
      [
        refreshInsights(deps, reader, { tenantId }),
        listAllInsights(deps, tenant.context, { limit: 1 }),
        updateInsight(deps, other.context, { tenantId, insightId: deps.newId("insight") }),
        updateInsight(deps, tenant.context, { tenantId, insightId: deps.newId("insight") }),
      ].map(refusalOf),
    );
    expect(refusals.map(({ code }) => code)).toEqual([
      "INSUFFICIENT_SCOPE",
      "INSUFFICIENT_SCOPE",
      "RESOURCE_NOT_FOUND",
      "RESOURCE_NOT_FOUND",
    ]);
  });
});
