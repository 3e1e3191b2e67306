import { WEBHOOK_EVENTS } from "@turnpike/contract/webhooks";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT, type TestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  listUntranslatedMails,
  listUntranslatedNotices,
} from "#modules/notifications/testing/untranslated.fixture.ts";
import { claimAlertRows } from "./alerts.store.ts";
import { CLAIM_MS, evaluateAlerts } from "./evaluate-alerts.ts";
import {
  deleteAlert,
  getAlert,
  listAlertHistory,
  pauseAlert,
  resumeAlert,
  updateAlert,
} from "./manage-alerts.ts";
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
  passMinutes,
} from "./testing/alerts.fixture.ts";

const MINUTE_MS = 60_000;
const SIGNAL = new AbortController().signal;

let database: TestDatabase;
let world: AlertsWorld;
let tenant: TestTenant & { ownerEmail: string };
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
let tenants = 0;
beforeEach(async () => {
  await database.sql`delete from alerts`;
  world = createAlertsWorld(database);
  tenants += 1;
  tenant = await createTenantWithOwner(world, database, `Acme ${String(tenants)}`);
});

const kinds = async () => (await listNotices(database, tenant)).map((notified) => notified.kind);
const read = (alertId: string) =>
  getAlert(world, OPERATOR_CONTEXT, { tenantId: tenant.tenantId, alertId });
const one = (alertId: string) => ({ tenantId: tenant.tenantId, alertId });

describe("an alert", () => {
  it("notifies in the console, by mail and through webhooks when it fires and when it recovers", async () => {
    const { alertId } = await addAlert(world, tenant);
    expect(await evaluate(world)).toBe(0);
    await call(world, tenant, { calls: 150, minutesAgo: 0 });
    expect(await passMinutes(world, 1)).toEqual([1]);
    expect(await read(alertId)).toMatchObject({
      phase: "firing",
      phaseSince: "2026-11-20T12:01:00.000Z",
      lastValue: 150,
      evaluatedTo: "2026-11-20T12:01:00.000Z",
      lastError: null,
    });
    expect(await passMinutes(world, 2)).toEqual([1, 0]);
    expect(await read(alertId)).toMatchObject({ phase: "ok", lastValue: 0 });

    expect(await listNotices(database, tenant)).toEqual([
      {
        kind: "alert.firing",
        title: "Alert: Busy",
        body: "Requests above 100 in 1 minute.\nMeasured: 150 requests.\nWindow: 12:00 to 12:01 (UTC) on 20 November 2026.",
        link: `/analytics?tab=alerts&alert=${alertId}`,
      },
      expect.objectContaining({ kind: "alert.recovered", title: "Recovered: Busy" }),
    ]);
    const mails = await listMails(database, tenant.ownerEmail);
    expect(mails.map((mail) => mail.subject)).toEqual([
      "Acme API: An alert is firing",
      "Acme API: An alert has recovered",
    ]);
    expect(mails[0]?.text).toMatch(/^Alert: Busy\n/);
    expect(mails[0]?.text).toContain("https://console.example.com/analytics?tab=alerts");
    const events = await listPublishedEvents(database, tenant);
    expect(events.map((event) => event.type)).toEqual(["alert.firing", "alert.recovered"]);
    expect(WEBHOOK_EVENTS["alert.firing"].parse(events[0]?.data)).toMatchObject({
      alert: { alertId, phase: "firing", name: "Busy" },
      value: 150,
      isReminder: false,
      isTest: false,
    });
    expect(WEBHOOK_EVENTS["alert.recovered"].parse(events[1]?.data)).toMatchObject({
      alert: { alertId, phase: "ok" },
      value: 0,
    });
    const history = await listAlertHistory(world, OPERATOR_CONTEXT, { ...one(alertId), limit: 10 });
    expect(history.items).toMatchObject([
      { what: "recovered", value: 0 },
      { what: "firing", value: 150 },
    ]);
  });

  it("mails only members with the chosen roles and verified addresses", async () => {
    await addAlert(world, tenant, { mailRoles: [] });
    await call(world, tenant, { calls: 150, minutesAgo: 0 });
    await passMinutes(world, 1);
    expect(await kinds()).toEqual(["alert.firing"]);
    expect(await listMails(database, tenant.ownerEmail)).toEqual([]);
  });

  it("notifies in the console only when there is no mail server", async () => {
    await addAlert(world, tenant, { condition: { kind: "no_data" } });
    const notices = { ...world.notices, sendsMail: false };
    expect(await evaluate({ ...world, notices })).toBe(1);
    expect(await kinds()).toEqual(["alert.firing"]);
    expect(await listMails(database, tenant.ownerEmail)).toEqual([]);
  });

  it("measures only usage of its own tenant that passes its filters", async () => {
    const stranger = await createTenantWithOwner(world, database, "Stranger");
    await addAlert(world, tenant, {
      query: { measure: "requests", filters: { route: "/slow", status_class: "2xx" } },
    });
    await call(world, stranger, { calls: 500, minutesAgo: 0, route: "/slow" });
    await call(world, tenant, { calls: 500, minutesAgo: 0, route: "/fast" });
    await call(world, tenant, { calls: 500, minutesAgo: 0, route: "/slow", status: 404 });
    expect(await passMinutes(world, 1)).toEqual([0]);
    await call(world, tenant, { calls: 101, minutesAgo: 0, route: "/slow" });
    expect(await passMinutes(world, 1)).toEqual([1]);
    expect(await listNotices(database, stranger)).toEqual([]);
  });

  it("judges rates and latencies, and keeps its state while there is nothing to measure", async () => {
    const { alertId } = await addAlert(world, tenant, {
      query: { measure: "error_rate" },
      windowMinutes: 5,
      condition: { kind: "above", threshold: 0.5 },
    });
    const slow = await addAlert(world, tenant, {
      query: { measure: "latency_p95" },
      condition: { kind: "above", threshold: 200, clear: 100 },
    });
    await call(world, tenant, { calls: 9, minutesAgo: 0, status: 500, latencyMs: 300 });
    expect(await passMinutes(world, 1)).toEqual([2]);
    expect(await passMinutes(world, 6)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await read(alertId)).toMatchObject({ phase: "firing", lastValue: null });
    await call(world, tenant, { calls: 9, minutesAgo: 0, latencyMs: 150 });
    expect(await passMinutes(world, 1)).toEqual([1]);
    expect(await read(alertId)).toMatchObject({ phase: "ok", lastValue: 0 });
    expect(await read(slow.alertId)).toMatchObject({ phase: "firing" });
  });

  it("treats a meter without usage as 0, and recovers by it", async () => {
    const { alertId } = await addAlert(world, tenant, { query: { measure: "meter:requests" } });
    await call(world, tenant, { calls: 101, minutesAgo: 0 });
    expect(await passMinutes(world, 2)).toEqual([1, 1]);
    expect(await read(alertId)).toMatchObject({ phase: "ok", lastValue: 0 });
  });

  it("compares a change with the window before", async () => {
    const { alertId } = await addAlert(world, tenant, {
      windowMinutes: 5,
      condition: { kind: "change", direction: "down", threshold: 50 },
    });
    await call(world, tenant, { calls: 100, minutesAgo: 7 });
    await call(world, tenant, { calls: 40, minutesAgo: 2 });
    expect(await evaluate(world)).toBe(1);
    expect(await read(alertId)).toMatchObject({
      phase: "firing",
      lastValue: 40,
      lastPrevious: 100,
    });
    expect((await listNotices(database, tenant))[0]?.body).toContain(
      "Measured: 40 requests, against 100 requests before (-60.0%).",
    );
  });

  it("notices when requests stop", async () => {
    await addAlert(world, tenant, { windowMinutes: 5, condition: { kind: "no_data" } });
    await call(world, tenant, { calls: 1, minutesAgo: 1 });
    expect(await evaluate(world)).toBe(0);
    expect(await passMinutes(world, 6)).toEqual([0, 0, 0, 0, 1, 0]);
  });

  it("sends reminders while it fires, at the chosen interval", async () => {
    await addAlert(world, tenant, {
      condition: { kind: "below", threshold: 1 },
      renotifyMinutes: 5,
    });
    expect(await evaluate(world)).toBe(1);
    expect(await passMinutes(world, 10)).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    expect(await kinds()).toEqual(["alert.firing", "alert.reminder", "alert.reminder"]);
    const events = await listPublishedEvents(database, tenant);
    expect(events.map((event) => event.data["isReminder"])).toEqual([false, true, true]);
  });

  it("sends one notice after hours without evaluations", async () => {
    await addAlert(world, tenant, { renotifyMinutes: 5 });
    await evaluate(world);
    for (let hour = 0; hour < 5; hour += 1) {
      await call(world, tenant, { calls: 500, minutesAgo: 0 });
      world.clock.advance(60 * MINUTE_MS);
    }
    await call(world, tenant, { calls: 500, minutesAgo: 1 });
    expect(await evaluate(world)).toBe(1);
    expect(await evaluate(world)).toBe(0);
    expect(await kinds()).toEqual(["alert.firing"]);
  });

  it("evaluates a window only once its usage is in the ledger, and never twice", async () => {
    const { alertId } = await addAlert(world, tenant);
    await evaluate(world);
    world.clock.advance(MINUTE_MS - 10_000);
    await evaluate(world);
    expect(await read(alertId)).toMatchObject({ evaluatedTo: "2026-11-20T12:00:00.000Z" });
    // Usage of that minute that arrives late.
    await call(world, tenant, { calls: 500, minutesAgo: 2 });
    expect(await evaluate(world)).toBe(0);
    world.clock.advance(10_000);
    expect(await evaluate(world)).toBe(0);
    expect(await read(alertId)).toMatchObject({ evaluatedTo: "2026-11-20T12:01:00.000Z" });
  });
});

describe("a paused alert", () => {
  it("is ok and silent until it is resumed, and then starts over", async () => {
    const { alertId } = await addAlert(world, tenant, { condition: { kind: "no_data" } });
    expect(await evaluate(world)).toBe(1);
    const paused = await pauseAlert(world, OPERATOR_CONTEXT, one(alertId));
    expect(paused).toMatchObject({ isPaused: true, pausedUntil: null, phase: "ok" });
    expect(await passMinutes(world, 3)).toEqual([0, 0, 0]);
    await resumeAlert(world, OPERATOR_CONTEXT, one(alertId));
    expect(await evaluate(world)).toBe(1);
    expect(await kinds()).toEqual(["alert.firing", "alert.firing"]);
  });

  it("resumes by itself at the chosen time, and records that in its history", async () => {
    const { alertId } = await addAlert(world, tenant, { condition: { kind: "no_data" } });
    const until = new Date(world.clock.now().getTime() + 3 * MINUTE_MS).toISOString();
    await pauseAlert(world, OPERATOR_CONTEXT, { ...one(alertId), until });
    expect(await passMinutes(world, 3)).toEqual([0, 0, 1]);
    expect(await read(alertId)).toMatchObject({ isPaused: false, pausedUntil: null });
    const { items } = await listAlertHistory(world, OPERATOR_CONTEXT, {
      ...one(alertId),
      limit: 9,
    });
    expect(items.map((item) => item.what)).toEqual(["firing", "resumed", "paused"]);
  });
});

describe("an alert whose question cannot be answered", () => {
  it("says so once, is retried every quarter of an hour, and goes on when it can be answered", async () => {
    const { alertId } = await addAlert(world, tenant);
    await database.sql`
      update alerts set query = '{"measure":"meter:gone","filters":{}}' where alert_id = ${alertId}`;
    expect(await evaluate(world)).toBe(0);
    expect((await read(alertId)).lastError).toContain("gone");
    expect(await passMinutes(world, 16)).toEqual(Array.from({ length: 16 }, () => 0));
    expect(await kinds()).toEqual(["alert.failed"]);
    await database.sql`
      update alerts set query = '{"measure":"requests","filters":{}}' where alert_id = ${alertId}`;
    await passMinutes(world, 15);
    expect(await read(alertId)).toMatchObject({ lastError: null, lastValue: 0 });
  });
});

describe("an alert whose question takes too long", () => {
  const busyWorld = (): AlertsWorld => ({
    ...world,
    transact: {
      ...world.transact,
      asAnalyst: (input, work) =>
        world.transact.asAnalyst({ ...input, timeoutMs: 1 }, async (tx) => {
          await tx`select pg_sleep(60)`;
          return await work(tx);
        }),
    },
  });
  const look = async (deps: AlertsWorld) => {
    world.clock.advance(MINUTE_MS);
    return await evaluate(deps);
  };

  it("is retried the next minute, and keeps counting its row", async () => {
    const { alertId } = await addAlert(world, tenant, {
      condition: { kind: "no_data" },
      forEvaluations: 2,
    });
    expect(await evaluate(world)).toBe(0);
    expect([await look(busyWorld()), await look(busyWorld())]).toEqual([0, 0]);
    expect(await read(alertId)).toMatchObject({ phase: "pending", lastError: null });
    expect(await look(world)).toBe(1);
    // Two more after an answered one are not three in a row.
    await look(busyWorld());
    await look(busyWorld());
    expect(await kinds()).toEqual(["alert.firing"]);
  });

  it("sends a notice after three timeouts in a row, once, and is then retried every quarter of an hour", async () => {
    const { alertId } = await addAlert(world, tenant);
    for (let count = 0; count < 2; count += 1) {
      await look(busyWorld());
      expect(await kinds()).toEqual([]);
    }
    await look(busyWorld());
    expect(await kinds()).toEqual(["alert.failed"]);
    expect((await read(alertId)).lastError).toContain("takes longer");
    await look(world);
    expect((await read(alertId)).evaluatedTo).toBeNull();
    world.clock.advance(14 * MINUTE_MS);
    await evaluate(busyWorld());
    expect(await kinds()).toEqual(["alert.failed"]);
    world.clock.advance(15 * MINUTE_MS);
    await evaluate(world);
    expect(await read(alertId)).toMatchObject({ lastError: null, lastValue: 0 });
  });
});

describe("evaluators", () => {
  it("evaluate each alert once when they run concurrently", async () => {
    const count = 12;
    for (let index = 0; index < count; index += 1) {
      await addAlert(world, tenant, { condition: { kind: "no_data" }, name: `A${String(index)}` });
    }
    const runs = await Promise.all(Array.from({ length: 4 }, () => evaluateAlerts(world, SIGNAL)));
    expect(runs.reduce((sum, run) => sum + run.notified, 0)).toBe(count);
    expect(await kinds()).toHaveLength(count);
    expect(await listMails(database, tenant.ownerEmail)).toHaveLength(count);
  });

  it("ask several questions at once, but few of one tenant, and finish all tenants", async () => {
    const other = await createTenantWithOwner(world, database, "Other");
    for (let index = 0; index < 6; index += 1) {
      await addAlert(world, tenant, { condition: { kind: "no_data" } });
      await addAlert(world, other, { condition: { kind: "no_data" } });
    }
    let running = 0;
    let most = 0;
    const { promise: met, resolve: meet } = Promise.withResolvers<void>();
    const counted: AlertsWorld = {
      ...world,
      transact: {
        ...world.transact,
        asAnalyst: async (input, work) => {
          running += 1;
          most = Math.max(most, running);
          if (running === 3) {
            meet();
          }
          await met;
          const answer = await world.transact.asAnalyst(input, work);
          running -= 1;
          return answer;
        },
      },
    };
    expect(await evaluateAlerts(counted, SIGNAL)).toEqual({ evaluated: 12, notified: 12 });
    expect(most).toBe(3);
  });

  it("take tenants in turns, least recently evaluated first, and the alerts of one by due time", async () => {
    const many: string[] = [];
    for (let index = 0; index < 8; index += 1) {
      many.push((await addAlert(world, tenant)).alertId);
      world.clock.advance(1);
    }
    const few = await createTenantWithOwner(world, database, "Few");
    const last = await addAlert(world, few);
    const take = async (perTenant: number) => {
      const now = world.clock.now();
      const until = new Date(now.getTime() + CLAIM_MS);
      const rows = await world.transact.asOperator((tx) =>
        claimAlertRows(tx, { now, until, limit: 3, perTenant }),
      );
      return rows.map((row) => row.alert_id).sort();
    };
    expect(await take(2)).toEqual([many[0], many[1], last.alertId].sort());
    expect(await take(1)).toEqual([many[2]]);
    // An alert of a recently evaluated tenant comes later, even if it has been due for longer.
    await database.sql`update alerts set claimed_until = null`;
    await database.sql`update alerts set evaluated_to = ${world.clock.now()} where alert_id = ${many[7] ?? ""}`;
    const now = world.clock.now();
    const [first] = await world.transact.asOperator((tx) =>
      claimAlertRows(tx, { now, until: now, limit: 1, perTenant: 2 }),
    );
    expect(first?.alert_id).toBe(last.alertId);
  });

  it("notify of what takes several evaluations in a row, even when they are late for hours", async () => {
    await addAlert(world, tenant, { forEvaluations: 2, renotifyMinutes: null });
    const late = async (calls: number) => {
      world.clock.advance(4 * MINUTE_MS);
      await call(world, tenant, { calls, minutesAgo: 1 });
      return await evaluate(world);
    };
    const notified: number[] = [];
    for (const calls of [500, 500, 500, 1, 1, 1]) {
      notified.push(await late(calls));
    }
    expect(notified).toEqual([0, 1, 0, 0, 1, 0]);
  });

  it("do not decide on an alert that was changed, paused or deleted while they asked", async () => {
    const changes = {
      changed: (alertId: string) =>
        updateAlert(world, OPERATOR_CONTEXT, { ...one(alertId), name: "Other" }),
      paused: (alertId: string) => pauseAlert(world, OPERATOR_CONTEXT, one(alertId)),
      deleted: (alertId: string) => deleteAlert(world, OPERATOR_CONTEXT, one(alertId)),
    };
    for (const change of Object.values(changes)) {
      const { alertId } = await addAlert(world, tenant, { condition: { kind: "no_data" } });
      const slow: AlertsWorld = {
        ...world,
        transact: {
          ...world.transact,
          asAnalyst: async (input, work) => {
            const answer = await world.transact.asAnalyst(input, work);
            await change(alertId);
            return answer;
          },
        },
      };
      expect(await evaluateAlerts(slow, SIGNAL)).toMatchObject({ notified: 0 });
      await database.sql`delete from alerts`;
    }
    expect(await kinds()).toEqual([]);
  });

  it("evaluate the other alerts when one of them fails temporarily", async () => {
    const alerts = [
      await addAlert(world, tenant, { condition: { kind: "no_data" } }),
      await addAlert(world, tenant, { condition: { kind: "no_data" }, name: "Other" }),
    ];
    let asked = 0;
    const flaky: AlertsWorld = {
      ...world,
      transact: {
        ...world.transact,
        asAnalyst: async (input, work) => {
          asked += 1;
          if (asked === 1) {
            throw new Error("connection lost");
          }
          return await world.transact.asAnalyst(input, work);
        },
      },
    };
    expect(await evaluateAlerts(flaky, SIGNAL)).toEqual({ evaluated: 1, notified: 1 });
    // Several are asked at once, so either can be the first.
    const after = await Promise.all(alerts.map(({ alertId }) => read(alertId)));
    expect(after.map(({ lastError }) => lastError)).toEqual([null, null]);
    expect(after.filter(({ evaluatedTo }) => evaluatedTo === null)).toHaveLength(1);
    world.clock.advance(CLAIM_MS);
    expect(await evaluate(world)).toBe(1);
  });
});

it("has German for all that its mails and notices say", async () => {
  for (const list of [listUntranslatedMails, listUntranslatedNotices]) {
    const { count, unknown } = await list(database.sql);
    expect(count).toBeGreaterThan(0);
    expect(unknown).toEqual([]);
  }
});
