import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { CALL_METHODS } from "@turnpike/domain/metering/call-method";
import {
  addLatency,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { commitGroups } from "../ledger/commit-groups.ts";
import { decodeGroup, encodeGroup } from "../ledger/group-record.ts";
import { reconcile } from "../ledger/reconcile.ts";
import {
  type CallMeasure,
  GroupBuilder,
  type MeteredCall,
  type UsageGroup,
} from "../ledger/usage-group.ts";
import { rollUpUsage } from "./roll-up-usage.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const PERIOD_START_MS = Date.UTC(2026, 0, 1);
const PERIOD_END_MS = Date.UTC(2026, 1, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const logger = createLogger({ level: "silent" });
const processId = newUuidId("process");

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterAll(() => database.close());

const commit = (groups: readonly UsageGroup[]) => commitGroups({ transact, logger }, groups);

type StoredRow = {
  at: Date;
  key_id: string;
  outcome: string;
  status: number;
  method: string;
  route: string;
  model: string;
  calls: string;
  quantity: string;
  bytes_in: string;
  bytes_out: string;
  buckets: number[];
  counts: number[];
};

type Source = "usage_by_minute" | "usage_by_hour" | "usage_rollups_hourly";

/** Reads a table or view with a key in each row, summed over the rows of one key. */
async function readSums(source: Source, tenantId: TenantId): Promise<StoredRow[]> {
  const { sql } = database;
  const isPacked = source !== "usage_by_minute";
  return [
    ...(await sql<StoredRow[]>`
      select occurred_at as at, key_id, outcome, status::int, method, route, model, calls::text, quantity::text, bytes_in::text,
        bytes_out::text, array_to_json(buckets) as buckets, array_to_json(counts) as counts
      from (
        select occurred_at, key_id, outcome, status, method, route, model, sum(calls) as calls, sum(quantity) as quantity,
          sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out,
          sum(${isPacked ? sql`latencies` : sql`pack_latencies(latency_buckets, latency_counts)`}) as packed
        from ${sql(source)} where tenant_id = ${tenantId} group by 1, 2, 3, 4, 5, 6, 7
      ) sums, unpack_latencies(packed)`),
  ];
}

async function countRows(source: string, tenantId: TenantId): Promise<number> {
  const { sql } = database;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${sql(source)} where tenant_id = ${tenantId}`;
  return row?.count ?? 0;
}

/** One call and its measure, if it has one. */
type Sample = { call: MeteredCall; measure: CallMeasure | undefined };

/** Sums what the rollups must hold, in the simplest way. */
function expectedRollups(samples: readonly Sample[], grainMs: number): StoredRow[] {
  type Sum = Omit<
    StoredRow,
    "calls" | "quantity" | "bytes_in" | "bytes_out" | "buckets" | "counts"
  > & {
    numbers: [calls: number, quantity: number, bytesIn: number, bytesOut: number];
    latencies: LatencyHistogram;
  };
  const sums = new Map<string, Sum>();
  for (const { call, measure } of samples) {
    const at = new Date(Math.floor(call.occurredAtMs / grainMs) * grainMs);
    const { method = "", route = "", model = "", status, outcome } = call;
    const name = JSON.stringify([at, call.keyId, outcome, status, method, route, model]);
    const sum = sums.get(name) ?? {
      ...{ at, key_id: call.keyId, outcome, status, method, route, model },
      numbers: [0, 0, 0, 0],
      latencies: emptyLatencies(),
    };
    sums.set(name, sum);
    sum.numbers[0] += 1;
    sum.numbers[1] += call.quantity;
    sum.numbers[2] += measure?.bytesIn ?? 0;
    sum.numbers[3] += measure?.bytesOut ?? 0;
    if (measure?.latencyMs !== undefined) {
      addLatency(sum.latencies, measure.latencyMs);
    }
  }
  return [...sums.values()].map(({ numbers, latencies, ...row }) => {
    const [calls = "", quantity = "", bytes_in = "", bytes_out = ""] = numbers.map(String);
    return { ...row, calls, quantity, bytes_in, bytes_out, ...latencies };
  });
}

function sorted(rows: readonly StoredRow[]): string[] {
  return rows
    .map(({ at, key_id, outcome, status, method, route, model, ...rest }) =>
      JSON.stringify([
        at,
        key_id,
        outcome,
        status,
        method,
        route,
        model,
        rest.calls,
        rest.quantity,
        rest.bytes_in,
        rest.bytes_out,
        rest.buckets,
        rest.counts,
      ]),
    )
    .sort();
}

const measure = fc.record({
  latencyMs: fc.option(fc.double({ min: 0, max: 4_000, noNaN: true }), { nil: undefined }),
  bytesIn: fc.nat(10_000),
  bytesOut: fc.nat(1_000_000),
});

const sample = fc.record({
  keyNumber: fc.nat(1),
  offsetMs: fc.constantFrom(0, 30_000, 60_000, 59 * MINUTE_MS, HOUR_MS, HOUR_MS + 61_000),
  status: fc.constantFrom(200, 404, 500),
  method: fc.option(fc.constantFrom(...CALL_METHODS), { nil: undefined }),
  route: fc.option(fc.constantFrom("/users", "/users/{id}", "/a|b", "{other}"), { nil: undefined }),
  model: fc.constantFrom(undefined, "large", "small"),
  measure: fc.option(measure, { nil: undefined }),
  /** The group that counts the call, and the one that gets its measure. */
  group: fc.nat(4),
  measureGroup: fc.nat(4),
});

type SampleDraw = typeof sample extends fc.Arbitrary<infer Draw> ? Draw : never;

function toSample(draw: SampleDraw, tenantId: TenantId, keyIds: readonly KeyId[]): Sample {
  return {
    call: {
      tenantId,
      keyId: keyIds[draw.keyNumber] ?? newUuidId("key"),
      environment: "live",
      meterId: "requests",
      outcome: "VALID",
      status: draw.status,
      method: draw.method,
      route: draw.route,
      model: draw.model,
      occurredAtMs: Date.UTC(2026, 0, 10, 12) + draw.offsetMs,
      periodStartMs: PERIOD_START_MS,
      periodEndMs: PERIOD_END_MS,
      quantity: draw.status === 200 ? 1 : 0,
      leaseId: undefined,
    },
    measure: draw.measure,
  };
}

/** Spreads calls and their measures over groups, as drawn. */
function toGroups(draws: readonly SampleDraw[], samples: readonly Sample[]): UsageGroup[] {
  const builders = Array.from({ length: 5 }, () => new GroupBuilder());
  for (const [index, draw] of draws.entries()) {
    const one = samples[index];
    if (one !== undefined) {
      builders[draw.group]?.add(one.call);
      if (one.measure !== undefined) {
        builders[draw.measureGroup]?.addMeasure(one.call, one.measure);
      }
    }
  }
  return builders
    .filter((builder) => builder.size > 0)
    .map((builder) =>
      builder.build({ groupId: newUuidId("group"), processId, recordedAtMs: null }),
    );
}

/** Steps in any order: some groups are committed, or recent usage is rolled up. */
const step = fc.oneof(
  fc.record({ commit: fc.subarray([0, 1, 2, 3, 4]) }),
  fc.record({ rollUp: fc.constantFrom("minutes" as const, "hours" as const) }),
);

describe("the rollups", () => {
  it("are the same at both grains in any groups and order in which calls are committed, repeated and rolled up", async () => {
    const plan = fc.record({
      draws: fc.array(sample, { minLength: 1, maxLength: 40 }),
      /** Groups that are committed together, in order; some come twice. */
      steps: fc.array(step, { maxLength: 8 }),
      isAtOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ draws, steps, isAtOnce }) => {
        const tenantId = newUuidId("tenant");
        const keyIds = [newUuidId("key"), newUuidId("key")];
        const samples = draws.map((draw) => toSample(draw, tenantId, keyIds));
        const groups = toGroups(draws, samples).map((group) => decodeGroup(encodeGroup(group)));
        const take = (one: typeof step extends fc.Arbitrary<infer Step> ? Step : never) =>
          "commit" in one
            ? commit(one.commit.flatMap((index) => groups[index] ?? []))
            : rollUpUsage({ transact }, one.rollUp);
        const all = [...steps, { commit: [0, 1, 2, 3, 4] }];
        if (isAtOnce) {
          await Promise.all(all.map(take));
        } else {
          for (const one of all) {
            await take(one);
          }
        }
        const [minutes, hours] = [MINUTE_MS, HOUR_MS].map((grainMs) =>
          sorted(expectedRollups(samples, grainMs)),
        );
        expect(sorted(await readSums("usage_by_minute", tenantId))).toEqual(minutes);
        expect(sorted(await readSums("usage_by_hour", tenantId))).toEqual(hours);
        const [entries] = await database.sql<{ calls: number; rows: number; groups: number }[]>`
          select sum(calls)::int as calls, count(*)::int as rows,
            count(distinct (group_id, key_id, outcome, status, occurred_at))::int as groups
          from ledger_entries where tenant_id = ${tenantId}`;
        expect(entries?.calls).toBe(samples.length);
        expect(entries?.rows).toBe(entries?.groups);
        // Everything is in the rollups now. Those of hours have one row for each key.
        await rollUpUsage({ transact }, "minutes");
        await rollUpUsage({ transact }, "hours");
        expect(await countRows("recent_usage", tenantId)).toBe(0);
        expect(sorted(await readSums("usage_by_minute", tenantId))).toEqual(minutes);
        expect(sorted(await readSums("usage_rollups_hourly", tenantId))).toEqual(hours);
        expect(await countRows("usage_rollups_hourly", tenantId)).toBe(hours?.length);
      }),
      { numRuns: 60 },
    );
    expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
  });

  it("are hidden from other tenants and cannot be changed by a tenant", async () => {
    const [mine, theirs] = [newUuidId("tenant"), newUuidId("tenant")];
    const builder = new GroupBuilder();
    for (const tenantId of [mine, theirs]) {
      const draw = {
        keyNumber: 2,
        offsetMs: 0,
        status: 200,
        method: "GET",
        route: "/users",
        model: undefined,
      } as const;
      builder.add(
        toSample({ ...draw, measure: undefined, group: 0, measureGroup: 0 }, tenantId, []).call,
      );
    }
    await commit([builder.build({ groupId: newUuidId("group"), processId, recordedAtMs: null })]);
    const see = async (sources: readonly string[]) => {
      for (const source of sources) {
        const seen = await transact.asTenant(mine, (tx) => tx`select tenant_id from ${tx(source)}`);
        expect([source, ...seen]).toEqual([source, { tenant_id: mine }]);
        const change = transact.asTenant(mine, (tx) => tx`delete from ${tx(source)}`);
        await expect(change).rejects.toThrow(/permission denied|cannot delete from view/);
      }
    };
    const views = ["usage_by_minute", "usage_by_hour"];
    await see([...views, "recent_usage", "recent_usage_of_keys"]);
    await rollUpUsage({ transact }, "minutes");
    await see([...views, "usage_rollups"]);
    await rollUpUsage({ transact }, "hours");
    await see([...views, "usage_rollups_hourly"]);
  });

  it.each([
    ["calls", "calls = calls + 1"],
    ["bytes", "bytes_out = bytes_out + 1"],
    ["latencies", "latencies = 2 * latencies"],
    ["the bucket of a latency", "latencies = latencies * 1e12"],
    ["a route", "route = '/elsewhere'"],
    ["a model", "model = 'another'"],
  ])("show drift when %s of an hour were changed by hand", async (_what, change) => {
    const tenantId = newUuidId("tenant");
    const draw = {
      keyNumber: 0,
      offsetMs: 0,
      status: 200,
      method: "GET",
      route: "/users",
      model: undefined,
    } as const;
    const { call } = toSample(
      { ...draw, measure: undefined, group: 0, measureGroup: 0 },
      tenantId,
      [newUuidId("key")],
    );
    const builder = new GroupBuilder();
    builder.add(call);
    builder.addMeasure(call, { latencyMs: 20, bytesIn: 5, bytesOut: 7 });
    await commit([builder.build({ groupId: newUuidId("group"), processId, recordedAtMs: null })]);
    await rollUpUsage({ transact }, "minutes");
    await rollUpUsage({ transact }, "hours");
    const { sql } = database;
    await sql`update usage_rollups_hourly set ${sql.unsafe(change)} where tenant_id = ${tenantId}`;
    const { findings } = await reconcile({ transact }, OPERATOR);
    const mine = findings.filter((finding) => JSON.stringify(finding.place).includes(tenantId));
    expect(mine.length).toBeGreaterThan(0);
    expect(new Set(mine.map((finding) => finding.what))).toEqual(new Set(["hourly rollup"]));
    await sql`delete from usage_rollups_hourly where tenant_id = ${tenantId}`;
    await sql`delete from usage_rollups where tenant_id = ${tenantId}`;
    await sql`delete from ledger_entries where tenant_id = ${tenantId}`;
    await sql`delete from balances where tenant_id = ${tenantId}`;
  });
});
