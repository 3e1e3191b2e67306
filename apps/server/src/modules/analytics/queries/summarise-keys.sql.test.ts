import { keySummaries, summariseKeysQuery } from "@turnpike/contract/usage";
import type { KeyId } from "@turnpike/domain/ids/ids";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTwoTenants,
  type TestServices,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commitGroups, rollUpUsage } from "#modules/metering/index.ts";
import { toGroup } from "../testing/invented-calls.fixture.ts";
import type { ReferenceCalls } from "../testing/usage-reference.fixture.ts";
import { summariseKeys } from "./summarise-keys.ts";

/** Two weeks after summer time ended in Berlin, on a Sunday evening. */
const NOW = "2026-11-08T21:30:00Z";

let database: TestDatabase;
let services: TestServices;
let tenants: TwoTenants;
let keys: { busy: KeyId; old: KeyId; unused: KeyId; theirs: KeyId };
beforeAll(async () => {
  database = await createTestDatabase();
  services = { ...createTestServices(database), clock: createFakeClock(NOW) };
  tenants = await createTwoTenants(services);
  const { newId } = services;
  keys = { busy: newId("key"), old: newId("key"), unused: newId("key"), theirs: newId("key") };
  await commitGroups(services, [
    toGroup(
      [
        callsOf(keys.busy, "2026-11-08T21:14:00Z", { calls: 3 }),
        callsOf(keys.busy, "2026-11-08T21:02:00Z", {
          calls: 2,
          outcome: "RATE_LIMITED",
          status: 429,
        }),
        // Just before and just after midnight in Berlin.
        callsOf(keys.busy, "2026-11-07T22:59:00Z", { calls: 5 }),
        callsOf(keys.busy, "2026-11-07T23:00:00Z", { calls: 7 }),
        // The first minute of the fourteen days, and the one before it.
        callsOf(keys.busy, "2026-10-25T23:00:00Z", { calls: 11 }),
        callsOf(keys.busy, "2026-10-25T22:59:00Z", { calls: 13 }),
        callsOf(keys.old, "2026-02-03T04:05:00Z", { calls: 1 }),
        callsOf(keys.theirs, "2026-11-08T21:00:00Z", {
          calls: 99,
          tenant: tenants.theirs.tenantId,
        }),
      ],
      newId,
    ),
  ]);
});
afterAll(() => database.close());

function callsOf(key: KeyId, minute: string, more: Partial<ReferenceCalls>): ReferenceCalls {
  return {
    tenant: tenants.ours.tenantId,
    plan: "free",
    key,
    route: "",
    method: "GET",
    status: 200,
    outcome: "VALID",
    environment: "live",
    model: "",
    minuteMs: Date.parse(minute),
    calls: 1,
    quantity: 0,
    bytesIn: 0,
    bytesOut: 0,
    latenciesMs: [],
    ...more,
  };
}

function summarise(asked: readonly KeyId[], timeZone = "Europe/Berlin") {
  const { tenantId, context } = tenants.ours;
  const input = summariseKeysQuery.parse({ tenantId, keys: asked.join(","), timeZone });
  return summariseKeys(services, context, input);
}

it("counts the calls and denials of fourteen days of the zone, and finds the minute of the last call", async () => {
  const summary = keySummaries.parse(await summarise([keys.busy, keys.unused, keys.old]));
  expect(summary.times).toHaveLength(14);
  expect(summary.times.at(0)).toBe("2026-10-25T23:00:00.000Z");
  expect(summary.times.at(-1)).toBe("2026-11-07T23:00:00.000Z");
  expect(summary.items).toEqual([
    {
      keyId: keys.busy,
      lastUsedAt: "2026-11-08T21:14:00.000Z",
      requests: 28,
      denied: 2,
      requestsByDay: [11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 12],
    },
    {
      keyId: keys.unused,
      lastUsedAt: null,
      requests: 0,
      denied: 0,
      requestsByDay: Array(14).fill(0),
    },
    {
      keyId: keys.old,
      lastUsedAt: "2026-02-03T04:05:00.000Z",
      requests: 0,
      denied: 0,
      requestsByDay: Array(14).fill(0),
    },
  ]);
});

it("finds the last call in rows of several keys and in later rows of its own", async () => {
  const { tenantId } = tenants.ours;
  const { newId } = services;
  const several = Array.from({ length: 200 }, () => newId("key"));
  const [one, other, late] = several as [KeyId, KeyId, KeyId];
  const verified = { method: "", status: 200 } as const;
  const ofAll = several.map((key) => callsOf(key, "2026-11-05T10:20:00Z", verified));
  await commitGroups(services, [
    toGroup(
      [
        ...ofAll,
        callsOf(other, "2026-11-05T10:50:00Z", { bytesIn: 5 }),
        callsOf(one, "2026-11-05T10:10:00Z", { bytesIn: 5 }),
      ],
      newId,
    ),
  ]);
  await rollUpUsage(services, "minutes");
  await rollUpUsage(services, "hours");
  // What comes late for an hour that is rolled up does not make it earlier.
  await commitGroups(services, [toGroup([callsOf(late, "2026-11-05T10:05:00Z", verified)], newId)]);
  const { items } = await summarise([one, other, late]);
  expect(items.map(({ lastUsedAt }) => lastUsedAt)).toEqual([
    "2026-11-05T10:20:00.000Z",
    "2026-11-05T10:50:00.000Z",
    "2026-11-05T10:20:00.000Z",
  ]);
  const rows = await database.sql`
    select 1 from usage_rollups where tenant_id = ${tenantId} and key_id is null`;
  expect(rows.length).toBeGreaterThan(1);
});

it("begins its days by the clocks of the question's zone", async () => {
  const { times, items } = await summarise([keys.busy], "UTC");
  expect(times.at(-1)).toBe("2026-11-08T00:00:00.000Z");
  expect(items[0]?.requestsByDay.slice(-2)).toEqual([12, 5]);
  const sums = await Promise.all(
    ["Asia/Kolkata", "America/New_York"].map(
      async (zone) => (await summarise([keys.busy], zone)).items[0],
    ),
  );
  for (const sum of sums) {
    expect(sum?.requestsByDay).toHaveLength(14);
    expect(sum?.lastUsedAt).toBe("2026-11-08T21:14:00.000Z");
  }
});

it("has nothing about another tenant's key, and refuses another tenant and a missing scope", async () => {
  const { items } = await summarise([keys.theirs]);
  expect(items).toEqual([
    {
      keyId: keys.theirs,
      lastUsedAt: null,
      requests: 0,
      denied: 0,
      requestsByDay: Array(14).fill(0),
    },
  ]);
  const { ours, theirs } = tenants;
  const input = summariseKeysQuery.parse({ tenantId: theirs.tenantId, keys: keys.theirs });
  expect(await refusalOf(summariseKeys(services, ours.context, input))).toMatchObject({
    code: "RESOURCE_NOT_FOUND",
  });
  const weak = contextOf({
    type: "key",
    id: "key_x",
    tenantId: theirs.tenantId,
    scopes: ["keys:read"],
  });
  expect(await refusalOf(summariseKeys(services, weak, input))).toMatchObject({
    code: "INSUFFICIENT_SCOPE",
  });
});

it("takes at most a hundred keys", async () => {
  const many = Array.from({ length: 101 }, () => services.newId("key"));
  expect((await summarise(many.slice(1))).items).toHaveLength(100);
  const { tenantId } = tenants.ours;
  expect(summariseKeysQuery.safeParse({ tenantId, keys: many.join(",") }).success).toBe(false);
});

it("finds an old last call by the index on keys", async () => {
  const rows = await database.sql<{ "QUERY PLAN": string }[]>`
    explain select occurred_at from usage_rollups_hourly
    where tenant_id = ${tenants.ours.tenantId} and key_id = ${keys.old} order by occurred_at desc limit 1`;
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  // In each partition, from the newest on.
  expect(plan).toContain("Index Only Scan Backward");
  expect(plan).not.toContain("Seq Scan");
});
