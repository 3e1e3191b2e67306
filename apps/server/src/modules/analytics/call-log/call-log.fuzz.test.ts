import { setImmediate as nextTurn } from "node:timers/promises";
import { allCallsQuery, type TenantCall } from "@turnpike/contract/calls";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { type ClickHouseServer, startClickHouse } from "@turnpike/testkit/clickhouse-server";
import { PeerUnavailableError } from "@turnpike/testkit/install-peer";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createLiveServices,
  insertTestTenant,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallMeasure, MeteredCall } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type ClickHouse, openClickHouse } from "#platform/clickhouse.ts";
import { newUuidId } from "#platform/new-id.ts";
import { toRequestIdBound } from "../calls/request-id-bound.ts";
import { makeDice } from "../testing/invented-calls.fixture.ts";
import type { CallLog } from "./call-log.ts";
import { getCallLogState } from "./get-log-state.ts";
import { keepCallLog } from "./keep-call-log.ts";
import { type CallLogger, createCallLogger } from "./log-calls.ts";
import { openCallLog } from "./open-call-log.ts";
import { searchCallLog } from "./search-call-log.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;
/** As many as may wait. */
const WAITING_MAX = 50_000;
const STOP_MS = 30_000;

const server: ClickHouseServer | string = await startClickHouse().catch((error: unknown) => {
  if (error instanceof PeerUnavailableError) {
    return error.message;
  }
  throw error;
});
const available = typeof server === "string" ? undefined : server;
if (available === undefined) {
  process.stdout.write(`The log of calls is not tested: ${String(server)}\n`);
}

let database: TestDatabase;
let services: AppServices;
let clickhouse: ClickHouse;
let callLog: CallLog;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createLiveServices(database);
  clickhouse = openClickHouse(
    available?.settings ?? {
      url: "http://127.0.0.1:9",
      database: "x",
      user: "x",
      password: "x",
      timeoutMs: 1,
    },
  );
  callLog = openCallLog({ ...services, clickhouse }, DAYS);
});
afterAll(async () => {
  await clickhouse.close();
  await database.close();
  await available?.[Symbol.asyncDispose]();
});

/** The id of a request that began at an instant. */
function idAt(atMs: number, n: number): string {
  return `${toRequestIdBound(atMs)}7${String(n).padStart(19, "0")}`;
}

function callOf(tenantId: TenantId, overrides: Partial<MeteredCall> = {}): MeteredCall {
  return {
    tenantId,
    requestId: newUuidId("request"),
    keyId: newUuidId("key"),
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

const start = (): CallLogger => createCallLogger({ ...services, callLog });

/** Logs calls of committed groups. */
async function log(calls: readonly MeteredCall[], measure?: CallMeasure): Promise<void> {
  const logger = start();
  for (const call of calls) {
    logger.observer.see(call, measure);
  }
  await logger.stop(STOP_MS);
}

/** What an operator finds on one page. */
function find(query: Record<string, unknown> = {}, log_ = callLog) {
  const deps = { ...services, callLog: log_ };
  return searchCallLog(deps, OPERATOR_CONTEXT, allCallsQuery.parse(query));
}

/** All pages. */
async function findAll(query: Record<string, unknown>): Promise<TenantCall[]> {
  const items: TenantCall[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await find({ ...query, ...(cursor == null ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

const idsOf = (calls: readonly { requestId?: string | undefined }[]) =>
  calls.map(({ requestId }) => requestId);

async function countOmitted(): Promise<number> {
  return (await getCallLogState({ ...services, callLog })).leftOutOfDay;
}

describe.skipIf(available === undefined)("the log of calls in ClickHouse", () => {
  it("finds nothing before anything was logged", async () => {
    expect(await find()).toMatchObject({ items: [], nextCursor: null, omitted: 0 });
    expect(await getCallLogState({ ...services, callLog })).toEqual({
      days: DAYS,
      newestAt: null,
      leftOutOfDay: 0,
    });
  });

  it("has every call of every tenant with its details and the tenant's name", async () => {
    const [ours, theirs] = [
      await insertTestTenant(database.sql),
      await insertTestTenant(database.sql),
    ];
    const call = callOf(ours, { model: "large", quantity: 3 });
    const tokens = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
    await log([call], { latencyMs: 12.34, bytesIn: 7, bytesOut: 42, tokens });
    const other = callOf(theirs);
    await log([other]);
    const { items } = await find({ tenant: `${ours},${theirs}` });
    expect(items).toEqual([
      expect.objectContaining({ requestId: other.requestId, tenantId: theirs, latencyMs: null }),
      {
        requestId: call.requestId,
        at: new Date(call.occurredAtMs).toISOString(),
        tenantId: ours,
        tenantName: expect.any(String),
        keyId: call.keyId,
        environment: "live",
        method: "GET",
        route: "/v1/cities/{name}",
        status: 200,
        outcome: "VALID",
        latencyMs: 12.3,
        bytesIn: 7,
        bytesOut: 42,
        model: "large",
        tokens,
        meterId: "requests",
        units: 3,
      },
    ]);
    expect(await find({ tenant: theirs })).toMatchObject({ items: [{ tenantId: theirs }] });
  });

  it("is for operators alone, and says how it is switched on where it is off", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const key = { type: "key", id: newUuidId("key"), tenantId, scopes: ["usage:read"] } as const;
    const query = allCallsQuery.parse({ tenant: tenantId });
    await expect(
      searchCallLog({ ...services, callLog }, contextOf(key), query),
    ).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    await expect(
      searchCallLog({ ...services, callLog: undefined }, OPERATOR_CONTEXT, query),
    ).rejects.toMatchObject({ code: "CALL_LOG_OFF" });
    await expect(find({ cursor: "no-cursor" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("gives each call once, by any filter and page size, though it was written twice and more", async () => {
    const { roll, pick } = makeDice(28);
    const tenants = [
      await insertTestTenant(database.sql),
      await insertTestTenant(database.sql),
    ] as const;
    const keys: readonly [KeyId, ...KeyId[]] = [newUuidId("key"), newUuidId("key")];
    const nowMs = Date.now();
    const calls = Array.from({ length: 700 }, (_, n) => {
      // Some in one millisecond, most of them days apart.
      const atMs = nowMs - roll(20) * DAY_MS - roll(3) * 3_600_000 - roll(40);
      return callOf(pick(tenants), {
        requestId: idAt(atMs, n),
        occurredAtMs: atMs,
        keyId: pick(keys),
        status: pick([200, 404, 429, 500]),
        outcome: pick(["VALID", "RATE_LIMITED", "UPSTREAM_TIMEOUT"]),
        method: pick(["GET", "POST"]),
        route: pick(["/a", "/b/{id}", "/it's"]),
        environment: pick(["live", "test"]),
        model: pick([undefined, "large"]),
      });
    });
    await log(calls);
    await log(calls.slice(100, 400));
    await log(calls.slice(300));
    const newestFirst = calls.toSorted((one, other) =>
      (one.requestId ?? "") < (other.requestId ?? "") ? 1 : -1,
    );
    const mine = { tenant: tenants.join(",") };
    expect(idsOf(await findAll({ ...mine, limit: 100 }))).toEqual(idsOf(newestFirst));

    const list = <Value extends string>(...values: Value[]) =>
      fc.option(fc.subarray(values, { minLength: 1 }), { nil: undefined });
    const question = fc.record({
      tenant: list<string>(...tenants),
      key: list<string>(...keys),
      status: list("200", "404", "500"),
      status_class: list("4xx", "5xx"),
      outcome: list("VALID", "UPSTREAM_TIMEOUT"),
      method: list("GET", "POST"),
      route: list("/a", "/b/{id}", "/it's"),
      environment: list("live", "test"),
      model: list("large"),
      fromMs: fc.integer({ min: nowMs - 25 * DAY_MS, max: nowMs }),
      limit: fc.integer({ min: 1, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ fromMs, limit, ...asked }) => {
        const filters: [string, readonly string[] | undefined][] = Object.entries({
          ...asked,
          tenant: asked.tenant ?? [...tenants],
        });
        const wanted = newestFirst.filter(
          (call) =>
            Number.parseInt((call.requestId ?? "").slice(4, 16), 16) >= fromMs &&
            filters.every(
              ([name, values]) => values === undefined || values.includes(of(call, name)),
            ),
        );
        const query = Object.fromEntries(
          filters.flatMap(([name, values]) =>
            values === undefined ? [] : [[name, values.join(",")]],
          ),
        );
        const pageSize = Math.max(limit, Math.ceil(wanted.length / 8));
        const from = new Date(fromMs).toISOString();
        const found = await findAll({ ...query, from, limit: Math.min(100, pageSize) });
        expect(idsOf(found)).toEqual(idsOf(wanted));
      }),
      { numRuns: 25 },
    );
    const some = calls[17];
    expect(idsOf((await find({ requestId: some?.requestId })).items)).toEqual([some?.requestId]);
  });

  it("shows a call only when the ledger has its group, and counts those that it refuses", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const before = await countOmitted();
    const logger = start();
    const [early, refused, late] = [1, 2, 2].map((group) => callOf(tenantId, { group }));
    logger.observer.see(early ?? expect.fail());
    logger.observer.see(refused ?? expect.fail());
    await nextTurn();
    expect(logger.health().waiting).toBe(2);
    logger.groups.settle(1, true);
    await pollUntil("the first is found", async () => {
      const { items } = await find({ tenant: tenantId });
      return items.length === 1 && items[0]?.requestId === early?.requestId;
    });
    logger.groups.settle(2, false);
    logger.observer.see(late ?? expect.fail());
    // Its group was never settled.
    logger.observer.see(callOf(tenantId, { group: 3 }));
    await logger.stop(STOP_MS);
    expect(idsOf((await find({ tenant: tenantId })).items)).toEqual([early?.requestId]);
    expect(logger.health()).toEqual({ waiting: 0, leftOut: 3, isFailing: false });
    expect((await countOmitted()) - before).toBe(3);
  });

  it("deletes what is older than it is kept, also when that becomes fewer days", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const idOf = (days: number) => idAt(Date.now() - days * DAY_MS, days);
    const calls = [1, 5, DAYS + 2].map((days) => callOf(tenantId, { requestId: idOf(days) }));
    await log(calls);
    const mine = { tenant: tenantId };
    const kept = calls.slice(0, 2);
    expect(idsOf((await find(mine)).items)).toEqual(idsOf(kept));
    const [row] = await database.sql<{ log_id: string }[]>`select log_id from call_log`;
    const countStored = async () => {
      await clickhouse.command(`optimize table calls_${row?.log_id ?? ""} final`);
      const [stored] = await clickhouse.select<{ calls: string }>(
        `select count() as calls from calls_${row?.log_id ?? ""} where tenant_id = '${tenantId}'`,
      );
      return Number(stored?.calls);
    };
    expect(await countStored()).toBe(2);
    const shorter = openCallLog({ ...services, clickhouse }, 3);
    expect(idsOf((await find(mine, shorter)).items)).toEqual(idsOf(calls.slice(0, 1)));
    await keepCallLog({ ...services, callLog: shorter });
    await pollUntil("it is deleted", async () => (await countStored()) === 1);
    await callLog.ensure();
  });

  it("keeps nothing of a tenant of which nothing may be left", async () => {
    const [purged, other] = [
      await insertTestTenant(database.sql),
      await insertTestTenant(database.sql),
    ];
    await log([callOf(purged), callOf(other), callOf(purged)]);
    await keepCallLog({ ...services, callLog });
    const both = { tenant: `${purged},${other}` };
    expect((await find(both)).items).toHaveLength(3);
    await database.sql`
      update tenants set deleted_at = now() - interval '31 days', deleted_by = 'test', purged_at = now(),
        name = 'Deleted tenant'
      where tenant_id = ${purged}`;
    await keepCallLog({ ...services, callLog });
    expect((await find(both)).items).toMatchObject([{ tenantId: other }]);
  });

  it("takes calls while ClickHouse is killed, counts what has no room, and has the rest afterwards", {
    timeout: 240_000,
  }, async () => {
    const tenantId = await insertTestTenant(database.sql);
    const before = await countOmitted();
    const logger = start();
    const mine = { tenant: tenantId };
    const route = "/before";
    logger.observer.see(callOf(tenantId, { route }));
    await pollUntil("it is logged", async () => (await find(mine)).items.length === 1);

    await available?.kill();
    for (let n = 0; n < WAITING_MAX + 1_234; n += 1) {
      logger.observer.see(callOf(tenantId));
      if (n % 1_000 === 0) {
        await nextTurn();
      }
    }
    await pollUntil("it says so", () => logger.health().isFailing);
    expect(logger.health()).toMatchObject({ waiting: WAITING_MAX, leftOut: 1_234 });
    await expect(find(mine)).rejects.toMatchObject({ code: "CLICKHOUSE_UNAVAILABLE" });
    await keepCallLog({ ...services, callLog });
    const [known] = await database.sql<{ calls: number }[]>`
      select sum(calls)::int as calls from unlogged_calls`;
    expect((known?.calls ?? 0) - before).toBe(1_234);

    await available?.start();
    await pollUntil("all that waited is logged", () => logger.health().waiting === 0, 60_000);
    expect(logger.health().isFailing).toBe(false);
    await logger.stop(STOP_MS);
    const [row] = await database.sql<{ log_id: string }[]>`select log_id from call_log`;
    const [stored] = await clickhouse.select<{ calls: string }>(
      `select uniqExact(request_id) as calls from calls_${row?.log_id ?? ""} where tenant_id = '${tenantId}'`,
    );
    expect(Number(stored?.calls)).toBe(WAITING_MAX + 1);
    expect((await find({ ...mine, limit: 1 })).omitted - before).toBe(1_234);
  });

  it("ends with a process in time while ClickHouse is away, and counts what is lost with it", async () => {
    const tenantId = await insertTestTenant(database.sql);
    const before = await countOmitted();
    await available?.kill();
    const logger = start();
    logger.observer.see(callOf(tenantId));
    logger.observer.see(callOf(tenantId, { group: 9 }));
    await logger.stop(1_000);
    expect(logger.health()).toMatchObject({ waiting: 0, leftOut: 2 });
    await available?.start();
    expect((await countOmitted()) - before).toBe(2);
  });

  it("is deleted as a whole where calls are no longer logged", async () => {
    await log([callOf(await insertTestTenant(database.sql))]);
    expect((await find()).items.length).toBeGreaterThan(0);
    await keepCallLog({ ...services, callLog: openCallLog({ ...services, clickhouse }, 0) });
    expect((await find()).items).toEqual([]);
  });
});

/** A field of a call as filters name it. */
function of(call: MeteredCall, name: string): string {
  switch (name) {
    case "tenant":
      return call.tenantId;
    case "key":
      return call.keyId;
    case "status_class":
      return `${String(Math.floor(call.status / 100))}xx`;
    default:
      return String(call[name as keyof MeteredCall] ?? "");
  }
}
