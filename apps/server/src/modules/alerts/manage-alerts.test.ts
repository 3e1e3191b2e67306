import { ALERTS_MAX, alert, alertPreview, previewAlertRequest } from "@turnpike/contract/alerts";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import {
  createAlert,
  deleteAlert,
  getAlert,
  listAlertHistory,
  listAlerts,
  pauseAlert,
  resumeAlert,
  updateAlert,
} from "./manage-alerts.ts";
import { previewAlert } from "./preview-alert.ts";
import { pruneAlertEvents } from "./prune-alert-events.ts";
import { getQuotaAlerts, setQuotaAlerts } from "./quotas/manage-quota-alerts.ts";
import { testAlert } from "./test-alert.ts";
import {
  type AlertsWorld,
  addAlert,
  call,
  createAlertsWorld,
  createTenantWithOwner,
  evaluate,
  listMails,
  listNotices,
  listPublishedEvents,
} from "./testing/alerts.fixture.ts";

let database: TestDatabase;
let world: AlertsWorld;
let tenant: TestTenant & { ownerEmail: string };
let other: TestTenant;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  world = createAlertsWorld(database);
  tenant = await createTenantWithOwner(world, database);
  other = await createTenantWithOwner(world, database, "Other");
});

const RULE = {
  query: { measure: "requests", filters: {} },
  windowMinutes: 5 as const,
  condition: { kind: "above" as const, threshold: 10 },
  forEvaluations: 1,
  renotifyMinutes: 60,
};
const pointerOf = async (work: Promise<unknown>) => {
  const refusal = await refusalOf(work);
  return [refusal.code, refusal.errors[0]?.pointer];
};

describe("managing alerts", () => {
  it("stores the question, and recovers at the threshold when nothing else was chosen", async () => {
    const { alertId } = await addAlert(world, tenant, { name: "Busy" });
    const input = { tenantId: tenant.tenantId, alertId };
    const read = await getAlert(world, tenant.context, input);
    expect(alert.parse(read)).toMatchObject({
      name: "Busy",
      query: { measure: "requests", filters: {} },
      condition: { kind: "above", threshold: 100, clear: 100 },
      forEvaluations: 1,
      renotifyMinutes: 60,
      phase: "ok",
      isPaused: false,
    });
    expect((await listAlerts(world, tenant.context, input)).items).toEqual([read]);
  });

  it("refuses a question that cannot be answered, and points at the field", async () => {
    const create = (query: { measure: string; filters: Record<string, string> }) =>
      createAlert(world, tenant.context, {
        ...RULE,
        tenantId: tenant.tenantId,
        name: "A",
        mailRoles: [],
        query,
      });
    expect(await pointerOf(create({ measure: "meter:missing", filters: {} }))).toEqual([
      "INVALID_REQUEST",
      "/query/measure",
    ]);
    expect((await refusalOf(create({ measure: "meter:missing", filters: {} }))).message).toBe(
      'Invalid value at /query/measure: There is no meter "missing".',
    );
    expect(
      await pointerOf(create({ measure: "requests", filters: { event: "model:small" } })),
    ).toEqual(["INVALID_REQUEST", "/query/filters/event"]);
  });

  it("refuses a malformed question", () => {
    const pathsOf = (input: object) =>
      previewAlertRequest
        .safeParse({ tenantId: tenant.tenantId, ...RULE, ...input })
        .error?.issues.map((issue) => issue.path.join("/"));
    const ask = (query: object) => pathsOf({ query });
    expect(pathsOf({})).toBeUndefined();
    expect(ask({ measure: "rows" })).toEqual(["query/measure"]);
    expect(ask({ measure: "requests,errors" })).toEqual(["query/measure"]);
    expect(ask({ measure: "requests", filters: { status: "9" } })).toEqual([
      "query/filters/status",
    ]);
    expect(ask({ measure: "requests", filters: { from: "2026-01-01T00:00:00Z" } })).toEqual([
      "query/filters/from",
    ]);
    expect(ask({ measure: "requests", filters: { tenant: tenant.tenantId } })).toEqual([
      "query/filters/tenant",
    ]);
    expect(pathsOf({ windowMinutes: 7 })).toEqual(["windowMinutes"]);
    const above = { kind: "above", threshold: 10, clear: 11 };
    expect(pathsOf({ condition: above })).toEqual(["condition/clear"]);
    expect(pathsOf({ condition: { ...above, kind: "below", clear: 9 } })).toEqual([
      "condition/clear",
    ]);
  });

  it("limits the alerts of each tenant, even when many are added concurrently", async () => {
    const added = await Promise.allSettled(
      Array.from({ length: ALERTS_MAX + 3 }, () => addAlert(world, tenant)),
    );
    expect(added.filter((one) => one.status === "fulfilled")).toHaveLength(ALERTS_MAX);
    expect((await refusalOf(addAlert(world, tenant))).code).toBe("CONFLICT");
    await addAlert(world, other);
  });

  it("starts over with another rule, but not with another name", async () => {
    const { alertId } = await addAlert(world, tenant, { condition: { kind: "no_data" } });
    await evaluate(world);
    const input = { tenantId: tenant.tenantId, alertId };
    const renamed = await updateAlert(world, tenant.context, { ...input, name: "Quiet" });
    expect(renamed).toMatchObject({ name: "Quiet", phase: "firing" });
    const condition = { kind: "below" as const, threshold: 5 };
    expect(await updateAlert(world, tenant.context, { ...input, condition })).toMatchObject({
      phase: "ok",
      evaluatedTo: null,
    });
    expect(await evaluate(world)).toBe(1);
  });

  it("refuses a pause in the past, and resuming is idempotent", async () => {
    const { alertId } = await addAlert(world, tenant);
    const input = { tenantId: tenant.tenantId, alertId };
    const until = world.clock.now().toISOString();
    expect(await pointerOf(pauseAlert(world, tenant.context, { ...input, until }))).toEqual([
      "INVALID_REQUEST",
      "/until",
    ]);
    await pauseAlert(world, tenant.context, input);
    await resumeAlert(world, tenant.context, input);
    expect(await resumeAlert(world, tenant.context, input)).toMatchObject({ isPaused: false });
    const history = await listAlertHistory(world, tenant.context, { ...input, limit: 10 });
    expect(history.items.map((item) => item.what)).toEqual(["resumed", "paused"]);
  });

  it("sends a test through every channel, marked as a test, and keeps the state", async () => {
    const { alertId } = await addAlert(world, tenant);
    const input = { tenantId: tenant.tenantId, alertId };
    expect(await testAlert(world, tenant.context, input)).toMatchObject({ phase: "ok" });
    expect(await listNotices(database, tenant)).toMatchObject([
      { kind: "alert.test", title: "Test of the alert Busy" },
    ]);
    expect(await listMails(database, tenant.ownerEmail)).toHaveLength(1);
    expect(await listPublishedEvents(database, tenant)).toMatchObject([
      { type: "alert.firing", data: { isTest: true } },
    ]);
  });

  it("sends one test of an alert a minute, even when several are requested at once", async () => {
    const { alertId } = await addAlert(world, tenant);
    const input = { tenantId: tenant.tenantId, alertId };
    const sent = await Promise.allSettled(
      Array.from({ length: 4 }, () => testAlert(world, tenant.context, input)),
    );
    expect(sent.filter((one) => one.status === "fulfilled")).toHaveLength(1);
    world.clock.advance(20_000);
    expect(await refusalOf(testAlert(world, tenant.context, input))).toMatchObject({
      code: "TOO_MANY_ATTEMPTS",
      headers: { "retry-after": "40" },
    });
    expect(await listMails(database, tenant.ownerEmail)).toHaveLength(1);
    const second = await addAlert(world, tenant);
    await testAlert(world, tenant.context, { ...input, alertId: second.alertId });
    world.clock.advance(40_000);
    await testAlert(world, tenant.context, input);
    expect(await listMails(database, tenant.ownerEmail)).toHaveLength(3);
  });

  it("is refused to callers who may not read usage", async () => {
    const { tenantId } = tenant;
    const { alertId } = await addAlert(world, tenant);
    const scopes = ["alerts:read", "alerts:write"] as const;
    const blind = contextOf({ type: "key", id: "key_1", tenantId, scopes: [...scopes] });
    const seeing = contextOf({
      type: "key",
      id: "key_2",
      tenantId,
      scopes: [...scopes, "usage:read"],
    });
    const asks = [
      (context: typeof blind) =>
        createAlert(world, context, { ...RULE, tenantId, name: "A", mailRoles: [] }),
      (context: typeof blind) => updateAlert(world, context, { tenantId, alertId, name: "B" }),
      (context: typeof blind) => testAlert(world, context, { tenantId, alertId }),
      (context: typeof blind) => previewAlert(world, context, { tenantId, ...RULE }),
    ];
    for (const ask of asks) {
      expect(await refusalOf(ask(blind))).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
        extensions: { requiredScope: "usage:read" },
      });
      await ask(seeing);
    }
    await pauseAlert(world, blind, { tenantId, alertId });
  });

  it("audits who did what, and prunes the history after its retention time", async () => {
    const { alertId } = await addAlert(world, tenant);
    const input = { tenantId: tenant.tenantId, alertId };
    await pauseAlert(world, tenant.context, input);
    await setQuotaAlerts(world, tenant.context, { ...input, thresholds: [80], mailRoles: [] });
    const now = world.clock.now();
    await pruneAlertEvents(world, now);
    expect(
      (await listAlertHistory(world, tenant.context, { ...input, limit: 9 })).items,
    ).toHaveLength(1);
    await pruneAlertEvents(world, new Date(now.getTime() + 1));
    expect((await listAlertHistory(world, tenant.context, { ...input, limit: 9 })).items).toEqual(
      [],
    );
    await deleteAlert(world, tenant.context, input);
    expect((await refusalOf(getAlert(world, tenant.context, input))).code).toBe(
      "RESOURCE_NOT_FOUND",
    );
    const { items } = await listAudit(world, OPERATOR_CONTEXT, { ...input, limit: 20 });
    expect(items.map((item) => item.action)).toEqual(
      expect.arrayContaining([
        "alert.created",
        "alert.paused",
        "quota_alerts.updated",
        "alert.deleted",
      ]),
    );
  });

  it("hides other tenants' alerts, and lets roles without the write scope only read", async () => {
    const { alertId } = await addAlert(world, tenant);
    const { tenantId } = tenant;
    const input = { tenantId, alertId };
    const uses = [
      getAlert,
      pauseAlert,
      resumeAlert,
      deleteAlert,
      testAlert,
      listAlerts,
      getQuotaAlerts,
    ];
    for (const use of uses) {
      expect((await refusalOf(use(world, other.context, input))).code).toBe("RESOURCE_NOT_FOUND");
      const theirs = { tenantId: other.tenantId, alertId };
      if (use !== listAlerts && use !== getQuotaAlerts) {
        expect((await refusalOf(use(world, other.context, theirs))).code).toBe(
          "RESOURCE_NOT_FOUND",
        );
      }
    }
    const viewer = await createTestUser(world, { roles: [[tenantId, "viewer"]] });
    await getAlert(world, viewer.context, input);
    await previewAlert(world, viewer.context, { tenantId, ...RULE });
    for (const use of [pauseAlert, resumeAlert, deleteAlert, testAlert]) {
      expect((await refusalOf(use(world, viewer.context, input))).code).toBe("INSUFFICIENT_SCOPE");
    }
    const outsider = contextOf({ type: "key", id: "key_1", tenantId, scopes: ["usage:read"] });
    expect((await refusalOf(previewAlert(world, outsider, { tenantId, ...RULE }))).code).toBe(
      "INSUFFICIENT_SCOPE",
    );
  });
});

describe("a preview", () => {
  it("shows what the alert would have sent, window by window", async () => {
    await call(world, tenant, { calls: 30, minutesAgo: 62, latencyMs: 100 });
    await call(world, tenant, { calls: 40, minutesAgo: 58, latencyMs: 900 });
    await call(world, other, { calls: 5_000, minutesAgo: 31 });
    const { tenantId } = tenant;
    const preview = alertPreview.parse(
      await previewAlert(world, tenant.context, { tenantId, ...RULE }),
    );
    expect(preview).toMatchObject({
      from: "2026-11-19T12:00:00.000Z",
      to: "2026-11-20T12:00:00.000Z",
      everyMinutes: 5,
    });
    expect(preview.points).toHaveLength(288);
    expect(preview.points.filter((point) => (point.value ?? 0) > 0)).toEqual([
      { at: "2026-11-20T11:00:00.000Z", value: 30, phase: "firing" },
      { at: "2026-11-20T11:05:00.000Z", value: 40, phase: "firing" },
    ]);
    expect(preview.notices).toEqual([
      { at: "2026-11-20T11:00:00.000Z", notice: "firing", value: 30 },
      { at: "2026-11-20T11:10:00.000Z", notice: "recovered", value: 0 },
    ]);
    const slow = await previewAlert(world, tenant.context, {
      tenantId,
      ...RULE,
      query: { measure: "latency_p95", filters: {} },
      windowMinutes: 60,
      condition: { kind: "above", threshold: 500 },
    });
    const measured = slow.points.filter((point) => point.value !== null);
    expect(measured.map((point) => [point.at, point.phase])).toEqual([
      ["2026-11-20T11:00:00.000Z", "ok"],
      ["2026-11-20T12:00:00.000Z", "firing"],
    ]);
  });
});
