import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/apply-catalog.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import { listAllRejectedEvents, listRejectedEvents } from "./list-rejected-events.ts";
import { createEventsWorld, type EventsWorld, TOKENS } from "./testing/events.fixture.ts";

// Meters belong to the whole installation, so each case has its own database.
let database: TestDatabase;
let world: EventsWorld;
beforeEach(async () => {
  database = await createTestDatabase();
  world = createEventsWorld(database);
});
afterEach(() => database.close());

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe("takeEvents", () => {
  it("counts an event in the ledger, the balance and the rollups, exactly", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    const receipt = await world.take([
      world.event(tenantId, { data: { tokens: 0.1, model: "a" } }),
      world.event(tenantId, { data: { tokens: 0.2, model: "a" } }),
      world.event(tenantId, {
        data: { tokens: "9007199254740993.000000000001".slice(1), model: "b" },
      }),
    ]);
    expect(receipt).toMatchObject({ accepted: 3, duplicates: 0, rejected: 0 });
    expect(receipt.results.map(({ status }) => status)).toEqual(Array(3).fill("accepted"));
    const report = await world.usage(tenantId, { dimensions: "event:model" });
    expect(await world.countedOf(tenantId)).toEqual({
      value: "7199254740993.300000000001",
      events: 3,
    });
    expect(report.rows.map(({ group, values }) => [group, values])).toEqual([
      [{ "event:model": "b" }, { "meter:tokens": "7199254740993.000000000001" }],
      [{ "event:model": "a" }, { "meter:tokens": "0.3" }],
    ]);
    const [ledger] = await database.sql<{ quantity: string; calls: bigint }[]>`
      select sum(quantity)::text as quantity, sum(calls)::bigint as calls from ledger_entries`;
    expect(ledger).toEqual({ quantity: "7199254740993.300000000001", calls: 3n });
    await world.expectNoDrift();
  });

  it("records an event once: resent, twice in a batch, or with another time, but not from another source", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    const first = world.event(tenantId, { data: { tokens: 5 } });
    const changed = { ...first, time: world.clock.now().toISOString(), data: { tokens: 6 } };
    expect(await world.take([first, first])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await world.take([changed])).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await world.take([{ ...first, source: "/other" }])).toMatchObject({ accepted: 1 });
    expect(await world.countedOf(tenantId)).toEqual({ value: "10", events: 2 });
    await world.expectNoDrift();
  });

  it("recognises a recorded event even if it could no longer be recorded", async () => {
    const { ours, theirs } = await createTwoTenants(world);
    await world.defineMeter(TOKENS);
    const first = world.event(ours.tenantId, { data: { tokens: 5 } });
    const again = [
      { ...first, data: { tokens: -1 } },
      { ...first, data: { text: "x".repeat(65_536) } },
      { ...first, type: "no.such" },
      { ...first, time: "2020-01-01T00:00:00Z" },
    ];
    expect(await world.take([again[0], first])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await world.take(again)).toMatchObject({ accepted: 0, duplicates: 4, rejected: 0 });
    // An identity belongs to its tenant, and an invalid event has none.
    const foreign = { ...again[0], subject: theirs.tenantId };
    expect(await world.take([foreign, { ...first, specversion: "0.3" }])).toMatchObject({
      duplicates: 0,
      rejected: 2,
    });
    expect(await world.countedOf(ours.tenantId)).toEqual({ value: "5", events: 1 });
    await world.expectNoDrift();
  });

  it("keeps tenants apart: an identity of one is not that of another", async () => {
    const { ours, theirs } = await createTwoTenants(world);
    await world.defineMeter(TOKENS);
    const mine = world.event(ours.tenantId, { data: { tokens: 1 } });
    expect(await world.take([mine, { ...mine, subject: theirs.tenantId }])).toMatchObject({
      accepted: 2,
    });
    expect((await world.countedOf(ours.tenantId)).value).toBe("1");
    expect((await world.countedOf(theirs.tenantId)).value).toBe("1");
    await world.expectNoDrift();
  });

  it("takes the operator's own name for a tenant", async () => {
    const { tenantId } = await createTestTenant(world);
    await database.sql`update tenants set external_id = 'acme-1' where tenant_id = ${tenantId}`;
    await world.defineMeter(TOKENS);
    expect(await world.take([world.event("acme-1", { data: { tokens: 2 } })])).toMatchObject({
      accepted: 1,
    });
    expect(await world.balanceOf(tenantId)).toBe(2);
  });

  it("rejects each bad event by itself, says why, and lists it", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    const now = world.clock.now().getTime();
    const at = (ms: number) => new Date(now + ms).toISOString();
    const data = { tokens: 1 };
    const cases: [string, unknown][] = [
      ["INVALID_EVENT", null],
      ["INVALID_EVENT", [world.event(tenantId)]],
      ["INVALID_EVENT", world.event(tenantId, { data, specversion: "0.3" })],
      ["INVALID_EVENT", world.event(tenantId, { data, id: "" })],
      ["INVALID_EVENT", world.event(tenantId, { data, source: "x".repeat(257) })],
      ["INVALID_EVENT", world.event(tenantId, { data, id: "a\0b" })],
      ["INVALID_EVENT", world.event(tenantId, { data, time: "2026-02-30T00:00:00Z" })],
      ["INVALID_EVENT", world.event(tenantId, { data, data_base64: "e30=" })],
      ["UNKNOWN_TYPE", world.event(tenantId, { data, type: "no.such" })],
      ["UNKNOWN_SUBJECT", world.event(undefined, { data })],
      ["UNKNOWN_SUBJECT", world.event(`ten_${"1".repeat(32)}`, { data })],
      ["TOO_OLD", world.event(tenantId, { data, time: at(-35 * DAY_MS - 1) })],
      ["TOO_FAR_AHEAD", world.event(tenantId, { data, time: at(5 * MINUTE_MS + 1) })],
      ["INVALID_VALUE", world.event(tenantId, { data: {} })],
      ["INVALID_VALUE", world.event(tenantId, {})],
      ["INVALID_VALUE", world.event(tenantId, { data: { tokens: -1 } })],
      ["INVALID_VALUE", world.event(tenantId, { data: { tokens: "many" } })],
      ["INVALID_VALUE", world.event(tenantId, { data: { tokens: 1e16 } })],
      ["EVENT_TOO_LARGE", world.event(tenantId, { data: { tokens: 1, text: "x".repeat(65_536) } })],
    ];
    const good = world.event(tenantId, { data });
    const receipt = await world.take([...cases.map(([, value]) => value), good]);
    expect(receipt.results.map(({ code }) => code)).toEqual([
      ...cases.map(([code]) => code),
      undefined,
    ]);
    expect(receipt).toMatchObject({ accepted: 1, rejected: cases.length });
    for (const { status, reason } of receipt.results.slice(0, -1)) {
      expect([status, typeof reason]).toEqual(["rejected", "string"]);
    }
    const all = await listAllRejectedEvents(world, OPERATOR_CONTEXT, { limit: 100 });
    expect(all.items.map(({ code }) => code)).toEqual(cases.map(([code]) => code).reverse());
    const own = await listRejectedEvents(world, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    // All that name the tenant and can be read as far as that.
    expect(own.items.map(({ code }) => code)).toEqual(
      cases
        .slice(2)
        .map(([code]) => code)
        .filter((code) => code !== "UNKNOWN_SUBJECT")
        .reverse(),
    );
    expect(await world.balanceOf(tenantId)).toBe(1);
  });

  it("takes what occurred 35 days ago to 5 minutes ahead, on charts then, in the period of now", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    const now = world.clock.now().getTime();
    const old = new Date(now - 35 * DAY_MS).toISOString();
    const ahead = new Date(now + 5 * MINUTE_MS).toISOString();
    const data = { tokens: 1 };
    expect(
      await world.take([
        world.event(tenantId, { data, time: old }),
        world.event(tenantId, { data, time: ahead }),
      ]),
    ).toMatchObject({ accepted: 2 });
    const report = await world.usage(tenantId, {
      from: new Date(now - 36 * DAY_MS).toISOString(),
      to: new Date(now + DAY_MS).toISOString(),
      grain: "day",
    });
    expect(report.rows.map(({ time }) => time?.slice(0, 10))).toEqual([
      old.slice(0, 10),
      ahead.slice(0, 10),
    ]);
    const rows = await database.sql<{ period_start: Date; used: string }[]>`
      select period_start, used::text from balances where tenant_id = ${tenantId}`;
    expect(rows).toHaveLength(1);
    expect(rows[0]?.period_start.getTime()).toBeLessThanOrEqual(now);
    await world.expectNoDrift();
  });

  it("lets a tenant's key report for its own tenant alone, in its own balance too", async () => {
    const { ours, theirs } = await createTwoTenants(world);
    await world.defineMeter(TOKENS);
    const data = { tokens: 3 };
    const receipt = await world.take(
      [
        world.event(undefined, { data }),
        world.event(ours.tenantId, { data }),
        world.event(theirs.tenantId, { data }),
      ],
      ours.context,
    );
    expect(receipt.results.map(({ status, code }) => code ?? status)).toEqual([
      "accepted",
      "accepted",
      "FOREIGN_SUBJECT",
    ]);
    const [row] = await database.sql<{ key_id: string; used: string }[]>`
      select key_id, used::text from usage_of_keys where tenant_id = ${ours.tenantId}`;
    expect(row).toEqual({ key_id: ours.context.actor.id, used: "6" });
    expect(await world.balanceOf(theirs.tenantId)).toBe(0);
    await world.expectNoDrift();
  });

  it("counts events of the operator's programs under the empty key, which can be filtered by", async () => {
    const { tenantId, context } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    await world.take([world.event(tenantId, { data: { tokens: 3 } })]);
    await world.take([world.event(undefined, { data: { tokens: 4 } })], context);
    const counted = async (query: Record<string, string>) =>
      (await world.usage(tenantId, query)).totals["meter:tokens"];
    expect(await counted({ key: "" })).toBe("3");
    expect(await counted({ key: context.actor.id })).toBe("4");
    expect(await counted({ key: `,${context.actor.id}` })).toBe("7");
  });

  it("needs events:write", async () => {
    const { tenantId } = await createTestTenant(world);
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["usage:read"] });
    expect((await refusalOf(world.take([world.event(tenantId)], reader))).code).toBe(
      "INSUFFICIENT_SCOPE",
    );
  });

  it("counts beyond a hard quota, because the usage has already happened", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    const free = SAMPLE_CATALOG.plans.filter(({ planId }) => planId === "free");
    const quotas = [{ meter: "tokens", limit: 5, kind: "hard" as const }];
    await applyCatalog(world, OPERATOR_CONTEXT, {
      meters: [],
      plans: free.map((plan) => ({ ...plan, quotas })),
    });
    await updateTenant(world, OPERATOR_CONTEXT, { tenantId, planId: "free" });
    expect(await world.take([world.event(tenantId, { data: { tokens: 50 } })])).toMatchObject({
      accepted: 1,
    });
    expect(await world.balanceOf(tenantId)).toBe(50);
  });

  it("answers a batch of 10,000 and refuses more", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    const many = Array.from({ length: 10_000 }, () =>
      world.event(tenantId, { data: { tokens: 1 } }),
    );
    expect((await refusalOf(world.take([...many, world.event(tenantId)]))).code).toBe(
      "PAYLOAD_TOO_LARGE",
    );
    expect(await world.take(many)).toMatchObject({ accepted: 10_000 });
    expect(await world.take(many)).toMatchObject({ accepted: 0, duplicates: 10_000 });
    expect(await world.balanceOf(tenantId)).toBe(10_000);
    await world.expectNoDrift();
  });
});
