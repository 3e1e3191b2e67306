import type { UsageReport } from "@turnpike/contract/usage";
import { allUsageQuery, USAGE_MEASURES, usageQuery } from "@turnpike/contract/usage-query";
import type { KeyId } from "@turnpike/domain/ids/ids";
import { type ClickHouseServer, startClickHouse } from "@turnpike/testkit/clickhouse-server";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { PeerUnavailableError } from "@turnpike/testkit/install-peer";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changePlan } from "#modules/entitlements/index.ts";
import { commitGroups, rollUpUsage } from "#modules/metering/index.ts";
import { type ClickHouse, openClickHouse } from "#platform/clickhouse.ts";
import { queryUsage, queryUsageOfAll } from "../queries/query-usage.ts";
import { inventCalls, toGroup } from "../testing/invented-calls.fixture.ts";
import { someQuestionOf } from "../testing/some-question.fixture.ts";
import type { ReferenceCalls } from "../testing/usage-reference.fixture.ts";
import { prepareCopies, withoutHours } from "./copied-sums.ts";
import { copyUsage, copyUsageLater, rebuildCopies } from "./copy-usage.ts";

const CALLS = 1_200;
const YEAR = { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" };

const server: ClickHouseServer | string = await startClickHouse().catch((error: unknown) => {
  if (error instanceof PeerUnavailableError) {
    return error.message;
  }
  throw error;
});
const available = typeof server === "string" ? undefined : server;
if (available === undefined) {
  process.stdout.write(`ClickHouse is not tested: ${String(server)}\n`);
}

let database: TestDatabase;
let services: TestServices;
let clickhouse: ClickHouse;
let tenants: TwoTenants;
let calls: ReferenceCalls[];
let keyIds: KeyId[];
beforeAll(async () => {
  database = await createTestDatabase();
  services = { ...createTestServices(database), clock: createFakeClock("2026-11-20T10:00:30Z") };
  clickhouse = openClickHouse(
    available?.settings ?? {
      url: "http://127.0.0.1:9",
      database: "x",
      user: "x",
      password: "x",
      timeoutMs: 1,
    },
  );
  tenants = await createTwoTenants(services);
  const { ours, theirs } = tenants;
  await changePlan(services, OPERATOR_CONTEXT, { tenantId: theirs.tenantId, planId: "pro" });
  const { newId } = services;
  calls = inventCalls(
    [
      { tenantId: ours.tenantId, plan: "free", keys: [newId("key"), newId("key"), newId("key")] },
      { tenantId: theirs.tenantId, plan: "pro", keys: [newId("key"), newId("key"), newId("key")] },
    ],
    CALLS,
  );
  keyIds = [...new Set(calls.map(({ key }) => key))].toSorted();
});
afterAll(async () => {
  await clickhouse.close();
  await database.close();
  await available?.[Symbol.asyncDispose]();
});

const copyDeps = () => ({ ...services, clickhouse });

type Question = Record<string, string>;

function askRollups(question: Question): Promise<UsageReport> {
  return queryUsageOfAll(services, OPERATOR_CONTEXT, allUsageQuery.parse(question));
}

function askCopies(question: Question): Promise<UsageReport> {
  const deps = { ...services, sumAllTenants: prepareCopies(clickhouse) };
  return queryUsageOfAll(deps, OPERATOR_CONTEXT, allUsageQuery.parse(question));
}

async function expectEqual(question: Question): Promise<void> {
  expect(await askCopies(question), JSON.stringify(question)).toEqual(await askRollups(question));
}

/** Every measure by every kind of call. */
const EVERYTHING = {
  ...YEAR,
  measures: USAGE_MEASURES.join(","),
  dimensions: "tenant,plan,key,route,method,status,outcome,environment,model",
};

async function commit(from: number, to: number): Promise<void> {
  await commitGroups(services, [toGroup(calls.slice(from, to), services.newId)]);
}

async function countCopied(): Promise<{ copied: number; hours: number }> {
  const [row] = await database.sql<{ copied: number; hours: number }[]>`
    select count(*) filter (where copied_changes = changes)::int as copied, count(*)::int as hours from changed_hours`;
  return row ?? { copied: 0, hours: 0 };
}

describe("hours that are taken out of intervals", () => {
  it("tile what was there together with what is left", () => {
    const hour = 3_600_000;
    expect(
      withoutHours(
        [
          { fromMs: 0, toMs: 4 * hour },
          { fromMs: 9 * hour, toMs: 10 * hour },
        ],
        [hour, 3 * hour],
      ),
    ).toEqual({
      kept: [
        { fromMs: 0, toMs: hour },
        { fromMs: 2 * hour, toMs: 3 * hour },
        { fromMs: 9 * hour, toMs: 10 * hour },
      ],
      taken: [
        { fromMs: hour, toMs: 2 * hour },
        { fromMs: 3 * hour, toMs: 4 * hour },
      ],
    });
  });
});

describe.skipIf(available === undefined)("usage over all tenants in ClickHouse", () => {
  it("is that of PostgreSQL before anything is copied, and while half of it is", async () => {
    await commit(0, CALLS / 2);
    await rollUpUsage(services, "minutes");
    await rollUpUsage(services, "hours");
    await expectEqual(EVERYTHING);
    // An attempt that is ended after its first batch.
    const ending = new AbortController();
    await copyUsage(copyDeps(), { signal: ending.signal, onProgress: () => ending.abort() });
    const { copied, hours } = await countCopied();
    expect(copied).toBeGreaterThan(0);
    expect(copied).toBeLessThan(hours);
    await expectEqual(EVERYTHING);
    expect(await copyUsage(copyDeps())).toBe(hours - copied);
    await expectEqual(EVERYTHING);
  });

  it("is the same for any question, with hours that changed and calls that are in no rollup yet", async () => {
    // Calls of copied hours, some rolled up after that, some not.
    await commit(CALLS / 2, (CALLS * 3) / 4);
    await rollUpUsage(services, "minutes");
    await expectEqual(EVERYTHING);
    await rollUpUsage(services, "hours");
    await expectEqual(EVERYTHING);
    await copyUsage(copyDeps());
    await commit((CALLS * 3) / 4, CALLS);
    await expectEqual(EVERYTHING);
    await fc.assert(
      fc.asyncProperty(
        someQuestionOf(() => keyIds),
        async (question) => {
          await expectEqual(question);
        },
      ),
      { numRuns: IS_SOAK ? 500 : 20 },
    );
  });

  it("is the same in any order, cut at a limit, and compared with the period before", async () => {
    const question = {
      ...YEAR,
      dimensions: "route,outcome,plan",
      measures: USAGE_MEASURES.join(","),
    };
    for (const order of [...USAGE_MEASURES, "route,-outcome", "plan"]) {
      await expectEqual({ ...question, order: `-${order}`, limit: "5" });
    }
    await expectEqual({
      ...question,
      grain: "month",
      compare: "previous",
      timeZone: "Australia/Lord_Howe",
    });
    await expectEqual({ ...YEAR, measures: "requests", tenant: tenants.ours.tenantId });
    await expectEqual({ from: "2025-01-01T00:00:00Z", to: "2025-02-01T00:00:00Z" });
  });

  it("takes every text as a value, in filters, in copies and in what is not copied yet", async () => {
    const routes = ["it's", "a\\b", "') or 1=1 --", "{f_route:String}", "naïve\t😀", "$x$"];
    const { newId } = services;
    const [first] = calls;
    const hostile = routes.flatMap((route) => (first === undefined ? [] : [{ ...first, route }]));
    const asked = {
      ...YEAR,
      measures: "requests",
      dimensions: "route",
      route: routes.map((route) => route.replace(/[\\,]/g, "\\$&")).join(","),
    };
    const expectAll = async () => {
      const { rows } = await askCopies(asked);
      expect(new Set(rows.map(({ group }) => group["route"]))).toEqual(new Set(routes));
      await expectEqual(asked);
    };
    await commitGroups(services, [toGroup(hostile, newId)]);
    await expectAll();
    await rollUpUsage(services, "minutes");
    await rollUpUsage(services, "hours");
    await copyUsage(copyDeps());
    await expectAll();
  });

  it("is read from ClickHouse, not from PostgreSQL, where it is copied", async () => {
    const plain = { ...YEAR, measures: "requests,billable" };
    const before = await askCopies(plain);
    await database.sql`delete from usage_rollups_hourly where key_id = ${keyIds[0] ?? ""}`;
    expect(await askCopies(plain)).toEqual(before);
    expect(await askRollups(plain)).not.toEqual(before);
    // Made anew from the rollups, it is what they are.
    await rebuildCopies(copyDeps());
    await expectEqual(EVERYTHING);
  });

  it("follows usage that is no longer kept, and deletes copies that nothing reads", async () => {
    await database.sql`update usage_copies set changed_at = now() - interval '2 hours' where not is_current`;
    await database.sql`
      update usage_history set kept_from = '2026-06-01T00:00:00Z' where class = 'hours'`;
    await database.sql`delete from usage_rollups_hourly where occurred_at < '2026-06-01T00:00:00Z'`;
    await expectEqual(EVERYTHING);
    await copyUsage(copyDeps());
    await database.sql`update usage_copies set changed_at = now() - interval '2 hours' where not is_current`;
    await copyUsage(copyDeps());
    const [feed] = await database.sql<{ feed_id: string }[]>`select feed_id from usage_feed`;
    const [there] = await clickhouse.select<{ hours: string; first: string }>(
      `select uniqExact(copy) as hours, toString(min(occurred_at)) as first from usage_hours_${feed?.feed_id ?? ""}`,
    );
    expect(there?.first.startsWith("2026-1")).toBe(true);
    const [kept] = await database.sql<{ hours: number }[]>`
      select count(distinct occurred_at)::int as hours from usage_rollups_hourly`;
    expect(Number(there?.hours)).toBe(kept?.hours);
    await expectEqual(EVERYTHING);
  });

  it("is made anew when the database was restored and knows fewer copies", async () => {
    await database.sql`update usage_feed set last_copy = 1`;
    await database.sql`delete from usage_copies`;
    await copyUsage(copyDeps());
    await expectEqual(EVERYTHING);
  });

  it("says so while ClickHouse is away, alone, and goes on when it is back", async () => {
    const plain = { ...YEAR, measures: "requests" };
    const whole = await askRollups(plain);
    await available?.kill();
    expect(await refusalOf(askCopies(plain))).toMatchObject({ code: "CLICKHOUSE_UNAVAILABLE" });
    expect(await clickhouse.findTrouble()).toContain("does not answer");
    const { tenantId, context } = tenants.ours;
    const deps = { ...services, sumAllTenants: prepareCopies(clickhouse) };
    const own = usageQuery.parse({ tenantId, ...plain });
    expect((await queryUsage(deps, context, own)).totals.requests).toBeGreaterThan(0);
    // The job gives up and is not a failure; what changes meanwhile waits.
    await commit(0, 50);
    await rollUpUsage(services, "minutes");
    await rollUpUsage(services, "hours");
    await copyUsageLater(copyDeps(), new AbortController().signal);
    await available?.start();
    expect(await clickhouse.findTrouble()).toBeUndefined();
    await expectEqual(EVERYTHING);
    expect(await copyUsage(copyDeps())).toBeGreaterThan(0);
    const after = await askCopies(plain);
    expect(after.totals.requests).toBeGreaterThan(whole.totals.requests ?? 0);
    await expectEqual(EVERYTHING);
  });
});
