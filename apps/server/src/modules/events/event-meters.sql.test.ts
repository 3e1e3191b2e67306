import { meterInput } from "@turnpike/contract/catalog";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { updateMeter } from "#modules/catalog/update-meter.ts";
import { hashEvent } from "./ingest/event-row.ts";
import { listMeterActivity } from "./list-meter-activity.ts";
import { previewMeter } from "./preview-meter.ts";
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
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter({ meterId: "tokens", aggregation, valuePointer });
    const now = world.clock.now().getTime();
    const at = (minutes: number) => new Date(now - minutes * MINUTE_MS).toISOString();
    const values = [
      world.event(tenantId, { time: at(50), data: { n: 3, who: "a" } }),
      world.event(tenantId, { time: at(1), data: { n: 0.5, who: "b" } }),
      world.event(tenantId, { time: at(20), data: { n: 4, who: "a" } }),
      world.event(tenantId, { time: at(90), data: { n: 9, who: 1 } }),
    ];
    // In batches that are not in the order of time.
    expect(await world.take(values.slice(1, 3))).toMatchObject({ accepted: 2 });
    expect(await world.take([...values, values[0]])).toMatchObject({ accepted: 2, duplicates: 3 });
    expect(await world.countedOf(tenantId)).toEqual({ value: expected, events: 4 });
    const hours = await world.usage(tenantId, { grain: "hour" });
    expect(hours.totals["meter:tokens"]).toBe(expected);
    expect(hours.rows.length).toBeGreaterThan(1);
    await world.expectNoDrift();
  });

  it("take as latest, of two at one instant, always the same one", async () => {
    const { ours, theirs } = await createTwoTenants(world);
    await world.defineMeter({ meterId: "tokens", aggregation: "latest", valuePointer: "/n" });
    const time = world.clock.now().toISOString();
    for (const [{ tenantId }, isReversed] of [
      [ours, false],
      [ours, true],
      [theirs, true],
      [theirs, false],
    ] as const) {
      const two = [1, 2].map((n) =>
        world.event(tenantId, { id: `same-${String(n)}`, time, data: { n } }),
      );
      for (const one of isReversed ? two.toReversed() : two) {
        await world.take([one]);
      }
      const [first = "", second = ""] = two.map(({ id }) => hashEvent(tenantId, "/test", id));
      expect((await world.countedOf(tenantId)).value).toBe(first > second ? "1" : "2");
    }
  });

  it("count by the version in force, and leave old numbers alone", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    await world.take([world.event(tenantId, { data: { tokens: 1, total: 100, model: "a" } })]);
    // This process gets no notice: it hears from the database when it records the next event.
    const changed = await updateMeter(world, OPERATOR_CONTEXT, {
      meterId: "tokens",
      valuePointer: "/total",
      dimensions: [
        { name: "region", pointer: "/region" },
        { name: "model", pointer: "/model" },
      ],
    });
    expect(changed.version).toBe(2);
    await world.take([
      world.event(tenantId, { data: { tokens: 1, total: 100, model: "a", region: "eu" } }),
    ]);
    const report = await world.usage(tenantId, {
      dimensions: "event:model,event:region",
      order: "event:region",
    });
    expect(report.totals["meter:tokens"]).toBe("101");
    expect(report.rows.map(({ group, values }) => [group, values["meter:tokens"]])).toEqual([
      [{ "event:model": "a", "event:region": "" }, "1"],
      [{ "event:model": "a", "event:region": "eu" }, "100"],
    ]);
    await world.expectNoDrift();
  });

  it("of one type each count an event; one that finds no value leaves it to the others", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    await world.defineMeter({ meterId: "images", aggregation: "sum", valuePointer: "/images" });
    await world.defineMeter({ meterId: "calls", aggregation: "count" });
    await world.take([world.event(tenantId, { data: { tokens: 7 } })]);
    expect([
      await world.balanceOf(tenantId, "tokens"),
      await world.balanceOf(tenantId, "images"),
      await world.balanceOf(tenantId, "calls"),
    ]).toEqual([7, 0, 1]);
    const { results } = await world.take([
      world.event(tenantId, { data: { tokens: 7, images: "two" } }),
    ]);
    expect(results[0]).toMatchObject({ status: "rejected", code: "INVALID_VALUE" });
    expect(await world.balanceOf(tenantId, "calls")).toBe(1);
    await world.expectNoDrift();
  });

  it("can be many, and each still gets its events", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    await database.sql`
      insert into meters (meter_id, version, name, unit, aggregation, event_type, dimensions, created_at)
      select 'meter-' || place, 1, 'Meter', 'unit', 'count', 'page.read', '[]', now() from generate_series(1, 1000) place`;
    expect(await world.take([world.event(tenantId, { data: { tokens: 2 } })])).toMatchObject({
      accepted: 1,
    });
    expect(await world.countedOf(tenantId)).toEqual({ value: "2", events: 1 });
  });

  it("can be tried on recent events", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter({ meterId: "calls", aggregation: "count" });
    await world.take([
      world.event(tenantId, { data: { seconds: 1.5, model: "a" } }),
      world.event(tenantId, { data: { seconds: 2, model: "a" } }),
      world.event(tenantId, { data: { seconds: "?", model: "b" } }),
    ]);
    const meter = meterInput.parse({
      ...TOKENS,
      meterId: "seconds",
      name: "S",
      unit: "second",
      eventType: "llm.call",
      valuePointer: "/seconds",
    });
    const preview = await previewMeter(world, OPERATOR_CONTEXT, { meter, limit: 100 });
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
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter({ meterId: "calls", aggregation: "count" });
    const large = { seconds: 1, text: "x".repeat(60_000) };
    await world.take(Array.from({ length: 100 }, () => world.event(tenantId, { data: large })));
    const meter = meterInput.parse({
      ...TOKENS,
      name: "S",
      unit: "second",
      eventType: "llm.call",
      valuePointer: "/seconds",
    });
    const preview = await previewMeter(world, OPERATOR_CONTEXT, { meter, limit: 10_000 });
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
    previewMeter(world, OPERATOR_CONTEXT, { meter: meter(parts), limit: 100, events });

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

describe("listMeterActivity", () => {
  it("shows the last day's events and the newest event of each meter, over all tenants", async () => {
    const { ours, theirs } = await createTwoTenants(world);
    await world.defineMeter(TOKENS);
    await world.defineMeter({ meterId: "pages", aggregation: "count", eventType: "page.read" });
    const now = world.clock.now().getTime();
    const at = (hours: number) => new Date(now - hours * 60 * MINUTE_MS).toISOString();
    const data = { tokens: 1 };
    await world.take([
      world.event(ours.tenantId, { data, time: at(1) }),
      world.event(theirs.tenantId, { data, time: at(23) }),
      world.event(theirs.tenantId, { data, time: at(25) }),
    ]);
    const { items } = await listMeterActivity(world, OPERATOR_CONTEXT);
    expect(items).toEqual([
      { meterId: "pages", events: 0, lastEventAt: null },
      { meterId: "tokens", events: 2, lastEventAt: expect.stringMatching(/Z$/) },
    ]);
    const refusal = await refusalOf(listMeterActivity(world, ours.context));
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
  });
});
