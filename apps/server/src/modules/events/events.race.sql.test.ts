import { meterInput } from "@turnpike/contract/catalog";
import { AGGREGATIONS } from "@turnpike/domain/catalog/meter";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMeter } from "#modules/catalog/create-meter.ts";
import { commitGroups, reconcile, rollUpUsage, type UsageGroup } from "#modules/metering/index.ts";
import { newUuidId } from "#platform/new-id.ts";
import { openEvents } from "./ingest/open-events.ts";
import { takeEvents } from "./ingest/take-events.ts";

const PROGRAM = contextOf({ type: "service_key", id: "svc_1", scopes: ["events:write"] });
const MINUTE_MS = 60_000;
const RUNS = IS_SOAK ? 100 : 8;

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  // Ids must differ across processes although the clock does not advance.
  services = { ...createTestServices(database), newId: newUuidId };
  await createTestTenant(services);
  for (const aggregation of AGGREGATIONS) {
    const meter = {
      meterId: aggregation.replace("_", "-"),
      name: aggregation,
      unit: "unit",
      aggregation,
      eventType: "race",
      ...(aggregation === "count" ? {} : { valuePointer: "/n" }),
      dimensions: [{ name: "kind", pointer: "/kind" }],
    };
    await createMeter(services, OPERATOR_CONTEXT, meterInput.parse(meter));
  }
});
afterAll(() => database.close());

type TestEvent = Record<string, unknown> & { subject: TenantId };

/** All meter results, ledger entries and balances of a tenant, without what differs from run to run. */
async function stateOf(tenantId: TenantId): Promise<unknown> {
  const rollups = await database.sql`
    select meter_id, meter_version, occurred_at, dimensions, events, total::text, smallest::text, largest::text,
      latest::text, latest_at
    from meter_rollups where tenant_id = ${tenantId} order by 1, 2, 3, 4`;
  const uniques = await database.sql`
    select meter_id, meter_version, occurred_at, dimensions, value_hash
    from meter_uniques where tenant_id = ${tenantId} order by 1, 2, 3, 4, 5`;
  const minutes = await database.sql`
    select meter_id, occurred_at, sum(calls)::bigint as calls, sum(quantity)::text as quantity
    from ledger_entries where tenant_id = ${tenantId} group by 1, 2 order by 1, 2`;
  const charts = await database.sql`
    select meter_id, occurred_at, sum(calls)::bigint as calls, sum(quantity)::text as quantity
    from usage_by_minute where tenant_id = ${tenantId} group by 1, 2, key_id order by 1, 2`;
  const balances = await database.sql`
    select meter_id, period_start, used::text from balances where tenant_id = ${tenantId} order by 1`;
  return [rollups, uniques, minutes, charts, balances].map((rows) => [...rows]);
}

function shuffled<Item>(items: readonly Item[], keys: readonly number[]): Item[] {
  return items
    .map((item, place) => ({ item, key: keys[place % keys.length] ?? 0, place }))
    .sort((a, b) => a.key - b.key || b.place - a.place)
    .map(({ item }) => item);
}

describe("recording events", () => {
  const values = fc.record({
    id: fc.integer({ min: 0, max: 30 }),
    source: fc.constantFrom("/a", "/b"),
    minutesAgo: fc.integer({ min: -5, max: 200 }),
    n: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(0.1, 0.2, "0.3")),
    kind: fc.constantFrom("x", "y", undefined),
  });

  it("gives the same numbers for any order, batches, repetitions and concurrency", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(values, {
          minLength: 1,
          maxLength: 60,
          selector: (one) => `${one.id} ${one.source}`,
        }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
        async (drawn, sizes, keys) => {
          const plain = await createTestTenant(services, `Plain ${newUuidId("tenant")}`);
          const wild = await createTestTenant(services, `Wild ${newUuidId("tenant")}`);
          const now = services.clock.now().getTime();
          const toEvent = (subject: TenantId) => (one: (typeof drawn)[number]) => ({
            specversion: "1.0",
            id: String(one.id),
            source: one.source,
            type: "race",
            subject,
            // No two at the same instant: a tie for the latest is broken by identity, which includes the tenant.
            time: new Date(
              now - one.minutesAgo * MINUTE_MS - one.id * 2 - (one.source === "/a" ? 1 : 0),
            ).toISOString(),
            data: { n: one.n, kind: one.kind },
          });
          const once = await takeEvents(
            openEvents(services),
            PROGRAM,
            drawn.map(toEvent(plain.tenantId)),
          );
          expect(once.accepted).toBe(drawn.length);

          // Sent to two processes concurrently, split and shuffled differently, everything at least twice.
          const events: TestEvent[] = drawn.map(toEvent(wild.tenantId));
          const processes = [openEvents(services), openEvents(services)];
          const sent = [events, shuffled(events, keys), shuffled(events, [...keys].reverse())];
          const receipts = await Promise.all(
            sent.flatMap((list, index) => {
              const batches: TestEvent[][] = [];
              for (let start = 0, turn = 0; start < list.length; turn += 1) {
                const size = sizes[(turn + index) % sizes.length] ?? 1;
                batches.push(list.slice(start, start + size));
                start += size;
              }
              return batches.map((batch, place) =>
                takeEvents(processes[(place + index) % 2] ?? openEvents(services), PROGRAM, batch),
              );
            }),
          );
          const count = (name: "accepted" | "duplicates" | "rejected") =>
            receipts.reduce((sum, receipt) => sum + receipt[name], 0);
          expect([count("accepted"), count("duplicates"), count("rejected")]).toEqual([
            drawn.length,
            drawn.length * 2,
            0,
          ]);
          expect(await stateOf(wild.tenantId)).toEqual(await stateOf(plain.tenantId));
          runs += 1;
        },
      ),
      { numRuns: RUNS },
    );
    expect(runs).toBeGreaterThanOrEqual(RUNS);
    expect(await reconcile(services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
  });

  it("never deadlocks: eight writers in different orders, beside the writers of calls", async () => {
    const tenants = await Promise.all(
      Array.from({ length: 6 }, (_, place) =>
        createTestTenant(services, `Tenant ${String(place)}`),
      ),
    );
    const now = services.clock.now().getTime();
    const events = Array.from({ length: 600 }, (_, place) => ({
      specversion: "1.0",
      id: `d${String(place)}`,
      source: "/race",
      type: "race",
      subject: tenants[place % tenants.length]?.tenantId,
      time: new Date(now - (place % 7) * MINUTE_MS).toISOString(),
      data: { n: place % 10, kind: ["x", "y"][place % 2] },
    }));
    const before = await deadlocks();
    const periodStartMs = Date.UTC(2026, 0, 1);
    const group = (turn: number): UsageGroup => ({
      groupId: newUuidId("group"),
      processId: newUuidId("process"),
      recordedAtMs: null,
      spends: [],
      entries: shuffled(tenants, [turn * 7 + 3, turn * 3 + 1, 5]).map(({ tenantId }) => ({
        tenantId,
        keyId: newUuidId("key"),
        environment: "live",
        meterId: "requests",
        outcome: "VALID",
        status: 200,
        minuteMs: now - (now % MINUTE_MS),
        periodStartMs,
        periodEndMs: Date.UTC(2026, 1, 1),
        calls: 1,
        quantity: 1,
      })),
    });
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const process = openEvents(services);
      const list = shuffled(events, [writer * 31, writer ** 3 % 17, 13 - writer, writer * 5]);
      let accepted = 0;
      for (let start = 0; start < list.length; start += 100) {
        const receipt = await takeEvents(process, PROGRAM, list.slice(start, start + 100));
        expect(receipt.rejected).toBe(0);
        accepted += receipt.accepted;
      }
      return accepted;
    });
    const calls = Array.from({ length: 2 }, async (_, writer) => {
      for (let turn = 0; turn < 20; turn += 1) {
        await commitGroups(services, [group(turn * 2 + writer)]);
      }
    });
    let isWriting = true;
    const rollUps = (["minutes", "hours"] as const).map(async (grain) => {
      while (isWriting) {
        await rollUpUsage(services, grain);
      }
    });
    const accepted = await Promise.all(writers);
    await Promise.all(calls);
    isWriting = false;
    await Promise.all(rollUps);
    expect(accepted.reduce((sum, count) => sum + count, 0)).toBe(events.length);
    expect(await deadlocks()).toBe(before);
    expect(await reconcile(services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
  });
});

/** Deadlocks in this test's own database so far. */
async function deadlocks(): Promise<number> {
  await database.sql`select pg_stat_clear_snapshot()`;
  const [row] = await database.sql<{ deadlocks: number }[]>`
    select deadlocks::int from pg_stat_database where datname = current_database()`;
  return row?.deadlocks ?? -1;
}
