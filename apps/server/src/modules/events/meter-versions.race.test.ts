import { meterInput } from "@turnpike/contract/catalog";
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
import { updateMeter } from "#modules/catalog/update-meter.ts";
import { reconcile } from "#modules/metering/index.ts";
import { newUuidId } from "#platform/new-id.ts";
import { openEvents } from "./ingest/open-events.ts";
import { takeEvents } from "./ingest/take-events.ts";

const RUNS = IS_SOAK ? 60 : 6;
const PROGRAM = contextOf({ type: "service_key", id: "svc_1", scopes: ["events:write"] });
const HOUR_MS = 3_600_000;
const METER = "tokens";
/** The fields with an event's values. The version of the meter decides which one counts. */
const POINTERS = ["/v0", "/v1", "/v2", "/v3"] as const;
/** Values that stay distinct in a sum: it shows how many of each it contains. */
const WORTH = [1n, 1_000n, 1_000_000n, 1_000_000_000n] as const;

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = { ...createTestServices(database), newId: newUuidId };
  await createTestTenant(services);
  const meter = {
    meterId: METER,
    name: "Tokens",
    unit: "token",
    aggregation: "sum",
    eventType: "versions",
    valuePointer: POINTERS[0],
    dimensions: [{ name: "kind", pointer: "/kind" }],
  };
  await createMeter(services, OPERATOR_CONTEXT, meterInput.parse(meter));
});
afterAll(() => database.close());

type VersionRow = { version: number; events: number; total: string; dimensions: string };

/** What each version has counted for a tenant. */
async function countedByVersion(tenantId: TenantId): Promise<VersionRow[]> {
  const rows = await database.sql<VersionRow[]>`
    select meter_version as version, sum(events)::int as events, sum(total)::text as total,
      max(cardinality(dimensions))::text as dimensions
    from meter_rollups where tenant_id = ${tenantId} and meter_id = ${METER} group by 1 order by 1`;
  return [...rows];
}

async function newestVersion(): Promise<number> {
  const [row] = await database.sql<{ version: number }[]>`
    select version from meters where meter_id = ${METER}`;
  return row?.version ?? 0;
}

/** Which field a version counts: they take turns. */
const indexOf = (version: number): number => (version - 1) % POINTERS.length;

async function publishNext(): Promise<number> {
  const next = (await newestVersion()) + 1;
  const changed = await updateMeter(services, OPERATOR_CONTEXT, {
    meterId: METER,
    valuePointer: POINTERS[indexOf(next)] ?? expect.fail("no pointer"),
    dimensions: next % 2 === 0 ? null : [{ name: "kind", pointer: "/kind" }],
  });
  expect(changed.version).toBe(next);
  return next;
}

describe("a meter that changes while events arrive", () => {
  const change = fc.record({
    /** Batches of each process between two versions. */
    sizes: fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 4 }),
    lateHours: fc.integer({ min: 0, max: 800 }),
    repeats: fc.boolean(),
  });

  it("counts each event once and by one version, and never changes what older versions counted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 3 }),
        async (rounds, processCount) => {
          const { tenantId } = await createTestTenant(services, `Run ${newUuidId("tenant")}`);
          const processes = Array.from({ length: processCount }, () => openEvents(services));
          const first = await newestVersion();
          const settled = new Map<number, VersionRow>();
          let sent = 0;
          for (const { sizes, lateHours, repeats } of rounds) {
            const versionBefore = await newestVersion();
            const batches = sizes.map((size) =>
              Array.from({ length: size }, () => {
                sent += 1;
                return {
                  specversion: "1.0",
                  id: `${tenantId} ${String(sent)}`,
                  source: "/versions",
                  type: "versions",
                  subject: tenantId,
                  time: new Date(
                    services.clock.now().getTime() - lateHours * HOUR_MS,
                  ).toISOString(),
                  data: {
                    ...Object.fromEntries(
                      WORTH.map((worth, place) => [`v${String(place)}`, Number(worth)]),
                    ),
                    kind: sent % 2 === 0 ? "even" : "odd",
                  },
                };
              }),
            );
            // The meter changes while batches are in flight to different processes. Some are sent twice at once.
            const [changed, ...receipts] = await Promise.all([
              publishNext(),
              ...batches.flatMap((batch, place) =>
                Array.from({ length: repeats ? 2 : 1 }, (_, turn) =>
                  takeEvents(
                    processes[(place + turn) % processCount] ?? openEvents(services),
                    PROGRAM,
                    batch,
                  ),
                ),
              ),
            ]);
            const accepted = receipts.reduce((sum, receipt) => sum + receipt.accepted, 0);
            expect(accepted).toBe(sizes.reduce((sum, size) => sum + size, 0));
            expect(receipts.every(({ rejected }) => rejected === 0)).toBe(true);

            for (const row of await countedByVersion(tenantId)) {
              // Versions that were replaced before this round counted none of its events.
              if (row.version < versionBefore) {
                expect(row).toEqual(settled.get(row.version));
              }
              const worth = WORTH[indexOf(row.version)] ?? 0n;
              expect(BigInt(row.total)).toBe(BigInt(row.events) * worth);
              expect(row.dimensions).toBe(row.version % 2 === 0 ? "0" : "1");
              settled.set(row.version, row);
            }
            // Events that are sent after the change was answered are counted by it.
            expect(await newestVersion()).toBe(changed);
          }
          const counted = await countedByVersion(tenantId);
          expect(counted.reduce((sum, { events }) => sum + events, 0)).toBe(sent);
          expect(counted.every(({ version }) => version >= first)).toBe(true);
          const [ledger] = await database.sql<{ calls: number; units: string; used: string }[]>`
            select sum(calls)::int as calls, sum(quantity)::text as units,
              (select sum(used)::text from balances where tenant_id = ${tenantId}) as used
            from ledger_entries where tenant_id = ${tenantId}`;
          const units = counted.reduce((sum, { total }) => sum + BigInt(total), 0n).toString();
          expect(ledger).toEqual({ calls: sent, units, used: units });
        },
      ),
      { numRuns: RUNS },
    );
    const { drift, findings } = await reconcile(services, OPERATOR_CONTEXT);
    expect(drift, JSON.stringify(findings)).toBe(0);
  });

  it("counts by the new version what is sent after the change was answered, on processes that have not heard of it", async () => {
    const { tenantId } = await createTestTenant(services, "After");
    const processes = [openEvents(services), openEvents(services)];
    const send = async (place: number, id: string) => {
      const event = {
        specversion: "1.0",
        id,
        source: "/after",
        type: "versions",
        subject: tenantId,
        data: { v0: 1, v1: 1, v2: 1, v3: 1 },
      };
      const receipt = await takeEvents(processes[place] ?? openEvents(services), PROGRAM, [event]);
      expect(receipt.accepted).toBe(1);
    };
    const before = await newestVersion();
    await send(0, "a");
    await send(1, "b");
    await publishNext();
    await send(0, "c");
    await send(1, "d");
    const counted = await countedByVersion(tenantId);
    expect(counted.map(({ version, events }) => [version, events])).toEqual([
      [before, 2],
      [before + 1, 2],
    ]);
  });
});
