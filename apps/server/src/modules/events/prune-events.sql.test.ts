import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listAllRejectedEvents, listRejectedEvents } from "./list-rejected-events.ts";
import { pruneEvents } from "./prune-events.ts";
import { createEventsWorld, type EventsWorld, TOKENS } from "./testing/events.fixture.ts";

// Meters belong to the whole installation, so each case has its own database.
let database: TestDatabase;
let world: EventsWorld;
beforeEach(async () => {
  database = await createTestDatabase();
  world = createEventsWorld(database);
});
afterEach(() => database.close());

describe("pruneEvents", () => {
  const retention = { eventsDays: 35, rejectedEventsDays: 14 };

  it("creates the partitions of the coming days, drops old ones, and keeps identities longer than events can be resent", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    const kept = world.event(tenantId, { data: { tokens: 1 } });
    await world.take([kept]);
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
    const deps = { ...world, retention };
    const run = await pruneEvents(deps);
    expect(run).toMatchObject({ dropped: 1, ids: 0 });
    expect(run.made).toBeGreaterThanOrEqual(1);
    expect(await listDays()).toEqual(expect.arrayContaining(days.slice(1)));
    expect(await world.take([kept])).toMatchObject({ duplicates: 1 });
    await database.sql`update event_ids set recorded_at = now() - interval '41 days'`;
    expect(await pruneEvents(deps)).toMatchObject({ dropped: 0, ids: 1 });
    expect(await listDays()).not.toContain("usage_events_20200101");
  });

  const listOwn = async (tenantId: TenantId): Promise<(string | null)[]> => {
    const page = { tenantId, limit: 100 };
    const { items } = await listRejectedEvents(world, OPERATOR_CONTEXT, page);
    return items.map(({ id }) => id);
  };

  it("deletes old rejections in steps, and all but the newest of each tenant and of none", async () => {
    const { ours, theirs } = await createTwoTenants(world);
    await world.defineMeter(TOKENS);
    const bad = (count: number, subject: string, fields = {}) =>
      Array.from({ length: count }, () => world.event(subject, { data: {}, ...fields }));
    await world.take([...bad(5, ours.tenantId), ...bad(3, theirs.tenantId)]);
    await world.take([...bad(8, theirs.tenantId), ...bad(7, "unknown")]);
    const kept = bad(3, theirs.tenantId);
    await world.take([...kept, ...bad(2, ours.tenantId)]);
    await database.sql`
      update rejected_events
      set rejected_at = now() - case when rejection_id <= 8 then interval '15 days' else interval '13 days' end`;
    const bounds = { rejectionsAtOnce: 2, rejectionsKeptMax: 3, tenantsAtOnce: 1 };
    const deps = { ...world, retention };
    expect(await pruneEvents(deps, bounds)).toMatchObject({ rejections: 8 + 8 + 4 });
    expect(await listOwn(theirs.tenantId)).toEqual(kept.map(({ id }) => id).toReversed());
    expect(await listOwn(ours.tenantId)).toHaveLength(2);
    expect(
      (await listAllRejectedEvents(world, OPERATOR_CONTEXT, { limit: 100 })).items,
    ).toHaveLength(8);
    expect(await pruneEvents(deps, bounds)).toMatchObject({ rejections: 0 });
  });

  it("deletes all identities that are old enough, however many arrived between two runs", async () => {
    const { tenantId } = await createTestTenant(world);
    await world.defineMeter(TOKENS);
    await world.take(
      Array.from({ length: 9 }, () => world.event(tenantId, { data: { tokens: 1 } })),
    );
    await database.sql`update event_ids set recorded_at = now() - interval '41 days'`;
    const deps = { ...world, retention };
    const isOver = { idsAtOnce: 4, signal: AbortSignal.abort() };
    expect(await pruneEvents(deps, isOver)).toMatchObject({ ids: 0 });
    expect(await pruneEvents(deps, { idsAtOnce: 4 })).toMatchObject({ ids: 9 });
  });
});
