import { recordedCallsQuery } from "@turnpike/contract/calls";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MeteredCall } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { newUuidId } from "#platform/new-id.ts";
import { KEPT_A_MINUTE } from "./call-budget.ts";
import { getCall, listCalls } from "./find-calls.ts";
import { forgetCalls } from "./forget-calls.ts";
import { createRecentCalls } from "./recent-calls.ts";
import { toRequestIdBound, toRequestTimeMs } from "./request-id-bound.ts";

const DAY_MS = 86_400_000;
const KEY = newUuidId("key");

let database: TestDatabase;
let services: AppServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createLiveServices(database);
});
afterAll(() => database.close());

function callOf(tenantId: TenantId, overrides: Partial<MeteredCall> = {}): MeteredCall {
  return {
    tenantId,
    requestId: newUuidId("request"),
    keyId: KEY,
    environment: "live",
    meterId: "requests",
    outcome: "VALID",
    status: 200,
    method: "GET",
    route: "/v1/cities/{name}",
    occurredAtMs: Date.now(),
    periodStartMs: 0,
    periodEndMs: 1,
    quantity: 1,
    leaseId: undefined,
    ...overrides,
  };
}

async function keep(calls: readonly MeteredCall[]): Promise<void> {
  const recent = createRecentCalls(services);
  for (const call of calls) {
    recent.observer.see(call, { latencyMs: 12.34, bytesIn: 7, bytesOut: 42 });
  }
  await recent.stop();
}

/** What a program of the tenant finds. */
function find(tenantId: TenantId, query: Record<string, unknown> = {}, callsDays = 7) {
  const actor = { type: "key", id: KEY, tenantId, scopes: ["usage:read"] } as const;
  const input = recordedCallsQuery.parse({ tenantId, ...query });
  return listCalls({ ...services, callsDays }, contextOf(actor), input);
}

describe("recent calls", () => {
  it("are found with all that is known of them, newest first, page by page", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const calls = Array.from({ length: 5 }, () => callOf(tenantId));
    await keep(calls);
    const first = await find(tenantId, { limit: 3 });
    const second = await find(tenantId, { limit: 3, cursor: first.nextCursor });
    const ids = calls.map(({ requestId }) => requestId).toReversed();
    expect([...first.items, ...second.items].map(({ requestId }) => requestId)).toEqual(ids);
    expect(second).toMatchObject({ nextCursor: null, omitted: 0 });
    expect(first.items[0]).toEqual({
      requestId: ids[0],
      at: new Date(calls[4]?.occurredAtMs ?? 0).toISOString(),
      keyId: KEY,
      environment: "live",
      method: "GET",
      route: "/v1/cities/{name}",
      status: 200,
      outcome: "VALID",
      latencyMs: 12.3,
      bytesIn: 7,
      bytesOut: 42,
      model: "",
      tokens: null,
      meterId: "requests",
      units: 1,
    });
  });

  it("are found by request, key, route, method, status, outcome, environment and time", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const other = newUuidId("key");
    const odd = callOf(tenantId, {
      keyId: other,
      route: "/odd",
      method: "POST",
      status: 429,
      outcome: "RATE_LIMITED",
      environment: "test",
    });
    await keep([callOf(tenantId), odd, callOf(tenantId)]);
    const { requestId = "" } = odd;
    const beganMs = toRequestTimeMs(requestId);
    for (const query of [
      { requestId },
      { key: other },
      { route: "/odd" },
      { method: "POST" },
      { status: "429" },
      { status_class: "4xx" },
      { outcome: "RATE_LIMITED" },
      { environment: "test" },
    ]) {
      const { items } = await find(tenantId, query);
      expect(
        items.map((call) => call.requestId),
        JSON.stringify(query),
      ).toEqual([requestId]);
    }
    const at = (ms: number) => new Date(ms).toISOString();
    const within = await find(tenantId, { from: at(beganMs), to: at(beganMs + 1) });
    expect(within.items.map((call) => call.requestId)).toContain(requestId);
    expect((await find(tenantId, { to: at(beganMs - 1_000) })).items).toEqual([]);
    expect((await find(tenantId, { from: at(beganMs + 60_000) })).items).toEqual([]);
  });

  it("of another tenant do not exist, not even by their id", async () => {
    const ours = await insertTestTenant(database.sql);
    const theirs = await insertTestTenant(database.sql);
    const call = callOf(theirs);
    await keep([call]);
    const actor = { type: "key", id: KEY, tenantId: ours, scopes: ["usage:read"] } as const;
    const deps = { ...services, callsDays: 7 };
    const requestId = call.requestId ?? "";
    await expect(
      getCall(deps, contextOf(actor), { tenantId: ours, requestId }),
    ).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    await expect(
      getCall(deps, contextOf(actor), { tenantId: theirs, requestId }),
    ).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    expect((await find(ours, { requestId })).items).toEqual([]);
    const scopeless = { ...actor, tenantId: theirs, scopes: [] };
    await expect(
      getCall(deps, contextOf(scopeless), { tenantId: theirs, requestId }),
    ).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    const holder = { ...actor, tenantId: theirs };
    expect(await getCall(deps, contextOf(holder), { tenantId: theirs, requestId })).toMatchObject({
      requestId,
    });
  });

  it("that come too fast are omitted and counted, except some that failed", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const flood = Array.from({ length: 2 * KEPT_A_MINUTE.ofTenant }, () => callOf(tenantId));
    const failed = callOf(tenantId, { status: 500 });
    await keep([...flood, failed]);
    const [kept] = await database.sql<
      { calls: number }[]
    >`select count(*)::int as calls from recent_calls where tenant_id = ${tenantId}`;
    const { omitted, items } = await find(tenantId, { status: "500" });
    expect(items.map(({ requestId }) => requestId)).toEqual([failed.requestId]);
    expect((kept?.calls ?? 0) + omitted).toBe(flood.length + 1);
    expect(omitted).toBeGreaterThan(0);
  });

  it("are looked through a bounded number at a time: an empty page says where it goes on", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const [oldMs, newMs] = [Date.now() - 3_600_000, Date.now() - 1_800_000];
    const idAt = (ms: number, n: number) =>
      `${toRequestIdBound(ms)}7${String(n).padStart(19, "0")}`;
    await database.sql`
      insert into recent_calls (tenant_id, request_id, occurred_at, key_id, environment, meter_id, quantity, method, route,
        status, outcome)
      select ${tenantId}, ${toRequestIdBound(newMs)} || '7' || lpad(n::text, 19, '0'), now(), ${KEY}, 'live', 'requests', 1,
        'GET', '/a', 200, 'VALID' from generate_series(1, 20001) as n`;
    await keep([callOf(tenantId, { requestId: idAt(oldMs, 1), status: 404 })]);
    const first = await find(tenantId, { status: "404" });
    expect(first.items).toEqual([]);
    expect(first.searchedFrom).toBe(new Date(newMs).toISOString());
    const second = await find(tenantId, { status: "404", cursor: first.nextCursor });
    expect(second.items).toMatchObject([{ requestId: idAt(oldMs, 1) }]);
    expect(second.nextCursor).toBeNull();
  });

  it("are written while calls go on, and again after the database refused them", async () => {
    const tenantId = await insertTestTenant(database.sql);
    let refusals = 1;
    const recent = createRecentCalls({
      ...services,
      transact: {
        ...services.transact,
        asMeter: (work) => {
          refusals -= 1;
          return refusals >= 0
            ? Promise.reject(new Error("away"))
            : services.transact.asMeter(work);
        },
      },
    });
    recent.observer.see(callOf(tenantId), undefined);
    await pollUntil("it is written", async () => (await find(tenantId)).items.length === 1);
    expect(refusals).toBeLessThan(0);
    await recent.stop();
  });

  it("are forgotten when they are older than they are kept, and not shown before that", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const old = callOf(tenantId, {
      requestId: `${toRequestIdBound(Date.now() - 3 * DAY_MS)}7${"0".repeat(19)}`,
    });
    const young = callOf(tenantId);
    await keep([old, young]);
    const shown = async (days: number) =>
      (await find(tenantId, {}, days)).items.map(({ requestId }) => requestId);
    expect(await shown(7)).toEqual([young.requestId, old.requestId]);
    expect(await shown(2)).toEqual([young.requestId]);
    expect(await forgetCalls({ ...services, callsDays: 2 })).toBe(1);
    expect(await shown(7)).toEqual([young.requestId]);
  });
});
