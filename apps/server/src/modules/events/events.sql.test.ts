import { meterInput } from "@turnpike/contract/catalog";
import type { EventReceipt } from "@turnpike/contract/events";
import { type UsageReport, usageQuery } from "@turnpike/contract/usage";
import type { CallContext } from "@turnpike/domain/access/actor";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { queryUsage } from "#modules/analytics/index.ts";
import { applyCatalog } from "#modules/catalog/apply-catalog.ts";
import { createMeter } from "#modules/catalog/create-meter.ts";
import { updateMeter } from "#modules/catalog/update-meter.ts";
import { reconcile } from "#modules/metering/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import { hashEvent } from "./ingest/event-row.ts";
import { openEvents } from "./ingest/open-events.ts";
import { takeEvents } from "./ingest/take-events.ts";
import { listMeterActivity } from "./list-meter-activity.ts";
import { listAllRejectedEvents, listRejectedEvents } from "./list-rejected-events.ts";
import { previewMeter } from "./preview-meter.ts";
import { pruneEvents } from "./prune-events.ts";

// Meters belong to the whole installation, so each case has its own database.
let database: TestDatabase;
let services: TestServices;
let events: ReturnType<typeof openEvents>;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  events = openEvents(services);
});
afterEach(() => database.close());

const PROGRAM = contextOf({ type: "service_key", id: "svc_1", scopes: ["events:write"] });
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let serial = 0;
function event(subject: string | undefined, fields: Record<string, unknown> = {}) {
  serial += 1;
  return {
    specversion: "1.0",
    id: `e${String(serial)}`,
    source: "/test",
    type: "llm.call",
    subject,
    ...fields,
  };
}

const take = (values: readonly unknown[], context: CallContext = PROGRAM): Promise<EventReceipt> =>
  takeEvents(events, context, values);

function defineMeter(fields: Record<string, unknown>) {
  return createMeter(
    services,
    OPERATOR_CONTEXT,
    meterInput.parse({ name: "Meter", unit: "unit", eventType: "llm.call", ...fields }),
  );
}

const TOKENS = {
  meterId: "tokens",
  aggregation: "sum",
  valuePointer: "/tokens",
  dimensions: [{ name: "model", pointer: "/model" }],
};

function usage(tenantId: TenantId, query: Record<string, string> = {}): Promise<UsageReport> {
  const input = usageQuery.parse({ tenantId, measures: "meter:tokens", ...query });
  return queryUsage(services, OPERATOR_CONTEXT, input);
}

/** The result of the meter, and how many events it counted. */
async function countedOf(tenantId: TenantId): Promise<{ value: unknown; events: unknown }> {
  const { totals } = await usage(tenantId);
  const counted = await usage(tenantId, { measures: "requests", meter: "tokens" });
  return { value: totals["meter:tokens"], events: counted.totals.requests };
}

async function balanceOf(tenantId: TenantId, meterId = "tokens"): Promise<number> {
  const [row] = await database.sql<{ used: number }[]>`
    select coalesce(sum(used), 0)::float8 as used from balances
    where tenant_id = ${tenantId} and meter_id = ${meterId}`;
  return row?.used ?? 0;
}

async function expectNoDrift(): Promise<void> {
  const { drift, findings } = await reconcile(services, OPERATOR_CONTEXT);
  expect(drift, JSON.stringify(findings)).toBe(0);
}

describe("takeEvents", () => {
  it("counts an event in the ledger, the balance and the rollups, exactly", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    const receipt = await take([
      event(tenantId, { data: { tokens: 0.1, model: "a" } }),
      event(tenantId, { data: { tokens: 0.2, model: "a" } }),
      event(tenantId, { data: { tokens: "9007199254740993.000000000001".slice(1), model: "b" } }),
    ]);
    expect(receipt).toMatchObject({ accepted: 3, duplicates: 0, rejected: 0 });
    expect(receipt.results.map(({ status }) => status)).toEqual(Array(3).fill("accepted"));
    const report = await usage(tenantId, { dimensions: "event:model" });
    expect(await countedOf(tenantId)).toEqual({ value: "7199254740993.300000000001", events: 3 });
    expect(report.rows.map(({ group, values }) => [group, values])).toEqual([
      [{ "event:model": "b" }, { "meter:tokens": "7199254740993.000000000001" }],
      [{ "event:model": "a" }, { "meter:tokens": "0.3" }],
    ]);
    const [ledger] = await database.sql<{ quantity: string; calls: bigint }[]>`
      select sum(quantity)::text as quantity, sum(calls)::bigint as calls from ledger_entries`;
    expect(ledger).toEqual({ quantity: "7199254740993.300000000001", calls: 3n });
    await expectNoDrift();
  });

  it("records an event once: resent, twice in a batch, or with another time, but not from another source", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    const first = event(tenantId, { data: { tokens: 5 } });
    const changed = { ...first, time: services.clock.now().toISOString(), data: { tokens: 6 } };
    expect(await take([first, first])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await take([changed])).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await take([{ ...first, source: "/other" }])).toMatchObject({ accepted: 1 });
    expect(await countedOf(tenantId)).toEqual({ value: "10", events: 2 });
    await expectNoDrift();
  });

  it("recognises a recorded event even if it could no longer be recorded", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter(TOKENS);
    const first = event(ours.tenantId, { data: { tokens: 5 } });
    const again = [
      { ...first, data: { tokens: -1 } },
      { ...first, data: { text: "x".repeat(65_536) } },
      { ...first, type: "no.such" },
      { ...first, time: "2020-01-01T00:00:00Z" },
    ];
    expect(await take([again[0], first])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await take(again)).toMatchObject({ accepted: 0, duplicates: 4, rejected: 0 });
    // An identity belongs to its tenant, and an invalid event has none.
    const foreign = { ...again[0], subject: theirs.tenantId };
    expect(await take([foreign, { ...first, specversion: "0.3" }])).toMatchObject({
      duplicates: 0,
      rejected: 2,
    });
    expect(await countedOf(ours.tenantId)).toEqual({ value: "5", events: 1 });
    await expectNoDrift();
  });

  it("keeps tenants apart: an identity of one is not that of another", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter(TOKENS);
    const mine = event(ours.tenantId, { data: { tokens: 1 } });
    expect(await take([mine, { ...mine, subject: theirs.tenantId }])).toMatchObject({
      accepted: 2,
    });
    expect((await countedOf(ours.tenantId)).value).toBe("1");
    expect((await countedOf(theirs.tenantId)).value).toBe("1");
    await expectNoDrift();
  });

  it("takes the operator's own name for a tenant", async () => {
    const { tenantId } = await createTestTenant(services);
    await database.sql`update tenants set external_id = 'acme-1' where tenant_id = ${tenantId}`;
    await defineMeter(TOKENS);
    expect(await take([event("acme-1", { data: { tokens: 2 } })])).toMatchObject({ accepted: 1 });
    expect(await balanceOf(tenantId)).toBe(2);
  });

  it("rejects each bad event by itself, says why, and lists it", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    const now = services.clock.now().getTime();
    const at = (ms: number) => new Date(now + ms).toISOString();
    const data = { tokens: 1 };
    const cases: [string, unknown][] = [
      ["INVALID_EVENT", null],
      ["INVALID_EVENT", [event(tenantId)]],
      ["INVALID_EVENT", event(tenantId, { data, specversion: "0.3" })],
      ["INVALID_EVENT", event(tenantId, { data, id: "" })],
      ["INVALID_EVENT", event(tenantId, { data, source: "x".repeat(257) })],
      ["INVALID_EVENT", event(tenantId, { data, id: "a\0b" })],
      ["INVALID_EVENT", event(tenantId, { data, time: "2026-02-30T00:00:00Z" })],
      ["INVALID_EVENT", event(tenantId, { data, data_base64: "e30=" })],
      ["UNKNOWN_TYPE", event(tenantId, { data, type: "no.such" })],
      ["UNKNOWN_SUBJECT", event(undefined, { data })],
      ["UNKNOWN_SUBJECT", event(`ten_${"1".repeat(32)}`, { data })],
      ["TOO_OLD", event(tenantId, { data, time: at(-35 * DAY_MS - 1) })],
      ["TOO_FAR_AHEAD", event(tenantId, { data, time: at(5 * MINUTE_MS + 1) })],
      ["INVALID_VALUE", event(tenantId, { data: {} })],
      ["INVALID_VALUE", event(tenantId, {})],
      ["INVALID_VALUE", event(tenantId, { data: { tokens: -1 } })],
      ["INVALID_VALUE", event(tenantId, { data: { tokens: "many" } })],
      ["INVALID_VALUE", event(tenantId, { data: { tokens: 1e16 } })],
      ["EVENT_TOO_LARGE", event(tenantId, { data: { tokens: 1, text: "x".repeat(65_536) } })],
    ];
    const good = event(tenantId, { data });
    const receipt = await take([...cases.map(([, value]) => value), good]);
    expect(receipt.results.map(({ code }) => code)).toEqual([
      ...cases.map(([code]) => code),
      undefined,
    ]);
    expect(receipt).toMatchObject({ accepted: 1, rejected: cases.length });
    for (const { status, reason } of receipt.results.slice(0, -1)) {
      expect([status, typeof reason]).toEqual(["rejected", "string"]);
    }
    const all = await listAllRejectedEvents(services, OPERATOR_CONTEXT, { limit: 100 });
    expect(all.items.map(({ code }) => code)).toEqual(cases.map(([code]) => code).reverse());
    const own = await listRejectedEvents(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    // All that name the tenant and can be read as far as that.
    expect(own.items.map(({ code }) => code)).toEqual(
      cases
        .slice(2)
        .map(([code]) => code)
        .filter((code) => code !== "UNKNOWN_SUBJECT")
        .reverse(),
    );
    expect(await balanceOf(tenantId)).toBe(1);
  });

  it("takes what occurred 35 days ago to 5 minutes ahead, on charts then, in the period of now", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    const now = services.clock.now().getTime();
    const old = new Date(now - 35 * DAY_MS).toISOString();
    const ahead = new Date(now + 5 * MINUTE_MS).toISOString();
    const data = { tokens: 1 };
    expect(
      await take([event(tenantId, { data, time: old }), event(tenantId, { data, time: ahead })]),
    ).toMatchObject({ accepted: 2 });
    const report = await usage(tenantId, {
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
    await expectNoDrift();
  });

  it("lets a tenant's key report for its own tenant alone, in its own balance too", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter(TOKENS);
    const data = { tokens: 3 };
    const receipt = await take(
      [
        event(undefined, { data }),
        event(ours.tenantId, { data }),
        event(theirs.tenantId, { data }),
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
    expect(await balanceOf(theirs.tenantId)).toBe(0);
    await expectNoDrift();
  });

  it("counts events of the operator's programs under the empty key, which can be filtered by", async () => {
    const { tenantId, context } = await createTestTenant(services);
    await defineMeter(TOKENS);
    await take([event(tenantId, { data: { tokens: 3 } })]);
    await take([event(undefined, { data: { tokens: 4 } })], context);
    const counted = async (query: Record<string, string>) =>
      (await usage(tenantId, query)).totals["meter:tokens"];
    expect(await counted({ key: "" })).toBe("3");
    expect(await counted({ key: context.actor.id })).toBe("4");
    expect(await counted({ key: `,${context.actor.id}` })).toBe("7");
  });

  it("needs events:write", async () => {
    const { tenantId } = await createTestTenant(services);
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["usage:read"] });
    expect((await refusalOf(take([event(tenantId)], reader))).code).toBe("INSUFFICIENT_SCOPE");
  });

  it("counts beyond a hard quota, because the usage has already happened", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    const free = SAMPLE_CATALOG.plans.filter(({ planId }) => planId === "free");
    const quotas = [{ meter: "tokens", limit: 5, kind: "hard" as const }];
    await applyCatalog(services, OPERATOR_CONTEXT, {
      meters: [],
      plans: free.map((plan) => ({ ...plan, quotas })),
    });
    await updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "free" });
    expect(await take([event(tenantId, { data: { tokens: 50 } })])).toMatchObject({ accepted: 1 });
    expect(await balanceOf(tenantId)).toBe(50);
  });

  it("answers a batch of 10,000 and refuses more", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    const many = Array.from({ length: 10_000 }, () => event(tenantId, { data: { tokens: 1 } }));
    expect((await refusalOf(take([...many, event(tenantId)]))).code).toBe("PAYLOAD_TOO_LARGE");
    expect(await take(many)).toMatchObject({ accepted: 10_000 });
    expect(await take(many)).toMatchObject({ accepted: 0, duplicates: 10_000 });
    expect(await balanceOf(tenantId)).toBe(10_000);
    await expectNoDrift();
  });
});

describe("meters", () => {
  it.each([
    ["count", undefined, "4"],
    ["sum", "/n", "16.5"],
    ["avg", "/n", "4.125"],
    ["min", "/n", "0.5"],
    ["max", "/n", "9"],
    ["latest", "/n", "0.5"],
    ["unique_count", "/who", "3"],
  ])("aggregate by %s", async (aggregation, valuePointer, expected) => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter({ meterId: "tokens", aggregation, valuePointer });
    const now = services.clock.now().getTime();
    const at = (minutes: number) => new Date(now - minutes * MINUTE_MS).toISOString();
    const values = [
      event(tenantId, { time: at(50), data: { n: 3, who: "a" } }),
      event(tenantId, { time: at(1), data: { n: 0.5, who: "b" } }),
      event(tenantId, { time: at(20), data: { n: 4, who: "a" } }),
      event(tenantId, { time: at(90), data: { n: 9, who: 1 } }),
    ];
    // In batches that are not in the order of time.
    expect(await take(values.slice(1, 3))).toMatchObject({ accepted: 2 });
    expect(await take([...values, values[0]])).toMatchObject({ accepted: 2, duplicates: 3 });
    expect(await countedOf(tenantId)).toEqual({ value: expected, events: 4 });
    const hours = await usage(tenantId, { grain: "hour" });
    expect(hours.totals["meter:tokens"]).toBe(expected);
    expect(hours.rows.length).toBeGreaterThan(1);
    await expectNoDrift();
  });

  it("take as latest, of two at one instant, always the same one", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter({ meterId: "tokens", aggregation: "latest", valuePointer: "/n" });
    const time = services.clock.now().toISOString();
    for (const [{ tenantId }, isReversed] of [
      [ours, false],
      [ours, true],
      [theirs, true],
      [theirs, false],
    ] as const) {
      const two = [1, 2].map((n) =>
        event(tenantId, { id: `same-${String(n)}`, time, data: { n } }),
      );
      for (const one of isReversed ? two.toReversed() : two) {
        await take([one]);
      }
      const [first = "", second = ""] = two.map(({ id }) => hashEvent(tenantId, "/test", id));
      expect((await countedOf(tenantId)).value).toBe(first > second ? "1" : "2");
    }
  });

  it("count by the version in force, and leave old numbers alone", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    await take([event(tenantId, { data: { tokens: 1, total: 100, model: "a" } })]);
    // This process gets no notice: it hears from the database when it records the next event.
    const changed = await updateMeter(services, OPERATOR_CONTEXT, {
      meterId: "tokens",
      valuePointer: "/total",
      dimensions: [
        { name: "region", pointer: "/region" },
        { name: "model", pointer: "/model" },
      ],
    });
    expect(changed.version).toBe(2);
    await take([event(tenantId, { data: { tokens: 1, total: 100, model: "a", region: "eu" } })]);
    const report = await usage(tenantId, {
      dimensions: "event:model,event:region",
      order: "event:region",
    });
    expect(report.totals["meter:tokens"]).toBe("101");
    expect(report.rows.map(({ group, values }) => [group, values["meter:tokens"]])).toEqual([
      [{ "event:model": "a", "event:region": "" }, "1"],
      [{ "event:model": "a", "event:region": "eu" }, "100"],
    ]);
    await expectNoDrift();
  });

  it("of one type each count an event; one that finds no value leaves it to the others", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    await defineMeter({ meterId: "images", aggregation: "sum", valuePointer: "/images" });
    await defineMeter({ meterId: "calls", aggregation: "count" });
    await take([event(tenantId, { data: { tokens: 7 } })]);
    expect([
      await balanceOf(tenantId, "tokens"),
      await balanceOf(tenantId, "images"),
      await balanceOf(tenantId, "calls"),
    ]).toEqual([7, 0, 1]);
    const { results } = await take([event(tenantId, { data: { tokens: 7, images: "two" } })]);
    expect(results[0]).toMatchObject({ status: "rejected", code: "INVALID_VALUE" });
    expect(await balanceOf(tenantId, "calls")).toBe(1);
    await expectNoDrift();
  });

  it("can be many, and each still gets its events", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    await database.sql`
      insert into meters (meter_id, version, name, unit, aggregation, event_type, dimensions, created_at)
      select 'meter-' || place, 1, 'Meter', 'unit', 'count', 'page.read', '[]', now() from generate_series(1, 1000) place`;
    expect(await take([event(tenantId, { data: { tokens: 2 } })])).toMatchObject({ accepted: 1 });
    expect(await countedOf(tenantId)).toEqual({ value: "2", events: 1 });
  });

  it("can be tried on recent events", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter({ meterId: "calls", aggregation: "count" });
    await take([
      event(tenantId, { data: { seconds: 1.5, model: "a" } }),
      event(tenantId, { data: { seconds: 2, model: "a" } }),
      event(tenantId, { data: { seconds: "?", model: "b" } }),
    ]);
    const meter = meterInput.parse({
      ...TOKENS,
      meterId: "seconds",
      name: "S",
      unit: "second",
      eventType: "llm.call",
      valuePointer: "/seconds",
    });
    const preview = await previewMeter(services, OPERATOR_CONTEXT, { meter, limit: 100 });
    expect(preview).toMatchObject({
      tried: 3,
      counted: 2,
      uncounted: 1,
      value: "3.5",
      dimensions: [{ name: "model", values: [{ value: "a", events: 2 }] }],
    });
    expect(preview.reason).toContain("/seconds");
    const [row] = await database.sql<
      { count: number }[]
    >`select count(*)::int from meters where meter_id = 'seconds'`;
    expect(row?.count).toBe(0);
  });

  it("are tried on at most 4 MB of recent events, however many may be read", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter({ meterId: "calls", aggregation: "count" });
    const large = { seconds: 1, text: "x".repeat(60_000) };
    await take(Array.from({ length: 100 }, () => event(tenantId, { data: large })));
    const meter = meterInput.parse({
      ...TOKENS,
      name: "S",
      unit: "second",
      eventType: "llm.call",
      valuePointer: "/seconds",
    });
    const preview = await previewMeter(services, OPERATOR_CONTEXT, { meter, limit: 10_000 });
    expect(preview).toMatchObject({ tried: 69, counted: 69, value: "69" });
  });
});

describe("previewMeter on sample events", () => {
  const meter = (parts: object) =>
    meterInput.parse({ name: "Meter", unit: "unit", ...TOKENS, eventType: "llm.call", ...parts });
  const sample = (data: unknown, parts: object = {}) => ({
    specversion: "1.0",
    type: "llm.call",
    source: "/sample",
    id: "1",
    data,
    ...parts,
  });
  const preview = (parts: object, events: unknown[]) =>
    previewMeter(services, OPERATOR_CONTEXT, { meter: meter(parts), limit: 100, events });

  it("counts them as the endpoint would, records none, and says why one is not counted", async () => {
    const found = await preview({}, [
      sample({ tokens: 7, model: "small" }),
      sample(undefined, { data_base64: Buffer.from('{"tokens":5}').toString("base64") }),
      sample({ tokens: "many" }),
    ]);
    expect(found).toMatchObject({ tried: 3, since: null, counted: 2, uncounted: 1, value: "12" });
    expect(found.reason).toContain("/tokens");
    const [row] = await database.sql<
      { count: number }[]
    >`select count(*)::int from usage_events where source = '/sample'`;
    expect(row?.count).toBe(0);
  });

  it.each([
    ["no event", { tokens: 7 }, "specversion"],
    ["not even an object", 7, "JSON object"],
    ["an event of another type", sample({ tokens: 7 }, { type: "image" }), "not image"],
  ])("says what is wrong with %s", async (_, value, reason) => {
    const found = await preview({}, [value]);
    expect(found).toMatchObject({ tried: 1, counted: 0, uncounted: 1 });
    expect(found.reason).toContain(reason);
  });

  it("takes as latest the event that occurred last; one without a time occurs on arrival", async () => {
    const latest = { meterId: "level", aggregation: "latest" };
    const early = sample({ tokens: 1 }, { time: "2026-11-21T10:00:00Z" });
    const late = sample({ tokens: 2 }, { time: "2026-11-21T11:00:00Z" });
    expect((await preview(latest, [late, early])).value).toBe("2");
    expect((await preview(latest, [sample({ tokens: 3 }), late])).value).toBe("3");
    expect((await preview(latest, [sample({ tokens: 3 }), sample({ tokens: 4 })])).value).toBe("4");
  });
});

describe("the filters of rejected events", () => {
  it("narrow by reason and by part of the type, page by page, and show tenant and sender", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    await take([
      event(tenantId, { type: "nothing.counts", data: {} }),
      event(tenantId, { type: "nothing.either", data: {} }),
      event(tenantId, { data: {} }),
    ]);
    const own = (filter: object, limit = 100) =>
      listRejectedEvents(services, OPERATOR_CONTEXT, { tenantId, limit, ...filter });
    const unknown = await own({ code: "UNKNOWN_TYPE" }, 1);
    expect(unknown.items.map(({ type }) => type)).toEqual(["nothing.either"]);
    const next = await own({ code: "UNKNOWN_TYPE", cursor: unknown.nextCursor ?? "" }, 1);
    expect(next.items.map(({ type }) => type)).toEqual(["nothing.counts"]);
    expect(next.nextCursor).toBe(null);
    expect((await own({ type: "counts" })).items).toHaveLength(1);
    expect((await own({ type: "%" })).items).toEqual([]);
    expect((await own({ type: "nothing", code: "INVALID_VALUE" })).items).toEqual([]);
    const all = await listAllRejectedEvents(services, OPERATOR_CONTEXT, {
      limit: 100,
      type: "nothing.",
    });
    expect(all.items.map(({ tenantName }) => tenantName)).toEqual(["Acme", "Acme"]);
  });

  it("show a tenant neither another tenant's rejections nor names of the operator's keys", async () => {
    const { tenantId } = await createTestTenant(services);
    const other = await createTestTenant(services);
    await defineMeter(TOKENS);
    await take([event(tenantId, { type: "nothing.counts", data: {} })]);
    const filter = { limit: 100, type: "nothing.counts" };
    const own = await listRejectedEvents(services, OPERATOR_CONTEXT, { tenantId, ...filter });
    expect(own.items).toMatchObject([{ tenantName: "Acme", senderName: null }]);
    const foreign = await listRejectedEvents(services, OPERATOR_CONTEXT, {
      tenantId: other.tenantId,
      ...filter,
    });
    expect(foreign.items).toEqual([]);
  });
});

describe("listMeterActivity", () => {
  it("shows the last day's events and the newest event of each meter, over all tenants", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter(TOKENS);
    await defineMeter({ meterId: "pages", aggregation: "count", eventType: "page.read" });
    const now = services.clock.now().getTime();
    const at = (hours: number) => new Date(now - hours * 60 * MINUTE_MS).toISOString();
    const data = { tokens: 1 };
    await take([
      event(ours.tenantId, { data, time: at(1) }),
      event(theirs.tenantId, { data, time: at(23) }),
      event(theirs.tenantId, { data, time: at(25) }),
    ]);
    const { items } = await listMeterActivity(services, OPERATOR_CONTEXT);
    expect(items).toEqual([
      { meterId: "pages", events: 0, lastEventAt: null },
      { meterId: "tokens", events: 2, lastEventAt: expect.stringMatching(/Z$/) },
    ]);
    const refusal = await refusalOf(listMeterActivity(services, ours.context));
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("pruneEvents", () => {
  const retention = { eventsDays: 35, rejectedEventsDays: 14 };

  it("creates the partitions of the coming days, drops old ones, and keeps identities longer than events can be resent", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    const kept = event(tenantId, { data: { tokens: 1 } });
    await take([kept]);
    await database.sql`
      create table usage_events_20200101 partition of usage_events
      for values from ('2020-01-01Z') to ('2020-01-02Z')`;
    const [owner] = await database.sql<{ name: string }[]>`
      select tableowner as name from pg_tables where tablename = 'usage_events'`;
    await database.sql`alter table usage_events_20200101 owner to ${database.sql(owner?.name ?? "")}`;
    const listDays = async (): Promise<string[]> => {
      const rows = await database.sql<{ name: string }[]>`
        select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'usage_events'::regclass and inhrelid::regclass::text ~ '\\d{8}$'
        order by 1`;
      return rows.map(({ name }) => name);
    };
    // As on the next day, when the prepared partitions end one day too early.
    const days = await listDays();
    const lastDay = days.at(-1) ?? "";
    await database.sql`drop table ${database.sql(lastDay)}`;
    await database.sql`update event_ids set recorded_at = now() - interval '39 days'`;
    const deps = { ...services, retention };
    const run = await pruneEvents(deps);
    expect(run).toMatchObject({ dropped: 1, ids: 0 });
    expect(run.made).toBeGreaterThanOrEqual(1);
    expect(await listDays()).toEqual(expect.arrayContaining(days.slice(1)));
    expect(await take([kept])).toMatchObject({ duplicates: 1 });
    await database.sql`update event_ids set recorded_at = now() - interval '41 days'`;
    expect(await pruneEvents(deps)).toMatchObject({ dropped: 0, ids: 1 });
    expect(await listDays()).not.toContain("usage_events_20200101");
  });

  const listOwn = async (tenantId: TenantId): Promise<(string | null)[]> => {
    const page = { tenantId, limit: 100 };
    const { items } = await listRejectedEvents(services, OPERATOR_CONTEXT, page);
    return items.map(({ id }) => id);
  };

  it("deletes old rejections in steps, and all but the newest of each tenant and of none", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter(TOKENS);
    const bad = (count: number, subject: string, fields = {}) =>
      Array.from({ length: count }, () => event(subject, { data: {}, ...fields }));
    await take([...bad(5, ours.tenantId), ...bad(3, theirs.tenantId)]);
    await take([...bad(8, theirs.tenantId), ...bad(7, "unknown")]);
    const kept = bad(3, theirs.tenantId);
    await take([...kept, ...bad(2, ours.tenantId)]);
    await database.sql`
      update rejected_events
      set rejected_at = now() - case when rejection_id <= 8 then interval '15 days' else interval '13 days' end`;
    const bounds = { rejectionsAtOnce: 2, rejectionsKeptMax: 3, tenantsAtOnce: 1 };
    const deps = { ...services, retention };
    expect(await pruneEvents(deps, bounds)).toMatchObject({ rejections: 8 + 8 + 4 });
    expect(await listOwn(theirs.tenantId)).toEqual(kept.map(({ id }) => id).toReversed());
    expect(await listOwn(ours.tenantId)).toHaveLength(2);
    expect(
      (await listAllRejectedEvents(services, OPERATOR_CONTEXT, { limit: 100 })).items,
    ).toHaveLength(8);
    expect(await pruneEvents(deps, bounds)).toMatchObject({ rejections: 0 });
  });

  it("deletes all identities that are old enough, however many arrived between two runs", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    await take(Array.from({ length: 9 }, () => event(tenantId, { data: { tokens: 1 } })));
    await database.sql`update event_ids set recorded_at = now() - interval '41 days'`;
    const deps = { ...services, retention };
    const isOver = { idsAtOnce: 4, signal: AbortSignal.abort() };
    expect(await pruneEvents(deps, isOver)).toMatchObject({ ids: 0 });
    expect(await pruneEvents(deps, { idsAtOnce: 4 })).toMatchObject({ ids: 9 });
  });
});

describe("the list of rejected events", () => {
  it("accepts a bounded number per sender and minute, separately for each sender", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter(TOKENS);
    const countKept = async () => {
      const rows = await database.sql<{ kept: number }[]>`
        select count(*)::int as kept from rejected_events group by tenant_id order by 1`;
      return rows.map(({ kept }) => kept);
    };
    const bad = (count: number) => Array.from({ length: count }, () => event(undefined, {}));
    expect(await take(bad(1_200), ours.context)).toMatchObject({ rejected: 1_200 });
    expect(await take(bad(1), ours.context)).toMatchObject({ rejected: 1 });
    await take(bad(10), theirs.context);
    expect(await countKept()).toEqual([10, 1_000]);
    services.clock.advance(MINUTE_MS);
    await take(bad(1), ours.context);
    expect(await countKept()).toEqual([10, 1_001]);
  });
});
