import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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

describe("the filters of rejected events", () => {
  it("narrow by reason and by part of the type, page by page, and show tenant and sender", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    await world.take([
      world.event(tenantId, { type: "nothing.counts", data: {} }),
      world.event(tenantId, { type: "nothing.either", data: {} }),
      world.event(tenantId, { data: {} }),
    ]);
    const own = (filter: object, limit = 100) =>
      listRejectedEvents(world, OPERATOR_CONTEXT, { tenantId, limit, ...filter });
    const unknown = await own({ code: "UNKNOWN_TYPE" }, 1);
    expect(unknown.items.map(({ type }) => type)).toEqual(["nothing.either"]);
    const next = await own({ code: "UNKNOWN_TYPE", cursor: unknown.nextCursor ?? "" }, 1);
    expect(next.items.map(({ type }) => type)).toEqual(["nothing.counts"]);
    expect(next.nextCursor).toBe(null);
    expect((await own({ type: "counts" })).items).toHaveLength(1);
    expect((await own({ type: "%" })).items).toEqual([]);
    expect((await own({ type: "nothing", code: "INVALID_VALUE" })).items).toEqual([]);
    const all = await listAllRejectedEvents(world, OPERATOR_CONTEXT, {
      limit: 100,
      type: "nothing.",
    });
    expect(all.items.map(({ tenantName }) => tenantName)).toEqual(["Acme", "Acme"]);
  });

  it("show a tenant neither another tenant's rejections nor names of the operator's keys", async () => {
    const { tenantId } = await createTestTenant(world);
    const other = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    await world.take([world.event(tenantId, { type: "nothing.counts", data: {} })]);
    const filter = { limit: 100, type: "nothing.counts" };
    const own = await listRejectedEvents(world, OPERATOR_CONTEXT, { tenantId, ...filter });
    expect(own.items).toMatchObject([{ tenantName: "Acme", senderName: null }]);
    const foreign = await listRejectedEvents(world, OPERATOR_CONTEXT, {
      tenantId: other.tenantId,
      ...filter,
    });
    expect(foreign.items).toEqual([]);
  });
});

describe("the list of rejected events", () => {
  it("accepts a bounded number per sender and minute, separately for each sender", async () => {
    const { ours, theirs } = await createTwoTenants(world);
    await world.defineMeter(TOKENS);
    const countKept = async () => {
      const rows = await database.sql<{ kept: number }[]>`
        select count(*)::int as kept from rejected_events group by tenant_id order by 1`;
      return rows.map(({ kept }) => kept);
    };
    const bad = (count: number) => Array.from({ length: count }, () => world.event(undefined, {}));
    expect(await world.take(bad(1_200), ours.context)).toMatchObject({ rejected: 1_200 });
    expect(await world.take(bad(1), ours.context)).toMatchObject({ rejected: 1 });
    await world.take(bad(10), theirs.context);
    expect(await countKept()).toEqual([10, 1_000]);
    world.clock.advance(MINUTE_MS);
    await world.take(bad(1), ours.context);
    expect(await countKept()).toEqual([10, 1_001]);
  });
});
