import type { GroupId, KeyId, TenantId } from "@turnpike/domain/ids/ids";
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
import { commitGroups } from "./commit-groups.ts";
import { decodeGroup, encodeGroup } from "./group-record.ts";
import { reconcile } from "./reconcile.ts";
import {
  type CallMeasure,
  GroupBuilder,
  type MeteredCall,
  type UsageGroup,
} from "./usage-group.ts";

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
  calls: string;
  quantity: string;
  bytes_in: string;
  bytes_out: string;
  buckets: number[];
  counts: number[];
};

async function readRollups(table: string, tenantId: TenantId): Promise<StoredRow[]> {
  const { sql } = database;
  return [
    ...(await sql<StoredRow[]>`
      select occurred_at as at, key_id, outcome, status::int, method, route, calls::text, quantity::text, bytes_in::text,
        bytes_out::text, array_to_json(latency_buckets) as buckets, array_to_json(latency_counts) as counts
      from ${sql(table)} ${table === "usage_rollups" ? sql`` : sql`, unpack_latencies(latencies) as h (latency_buckets, latency_counts)`}
      where tenant_id = ${tenantId}`),
  ];
}

/** One call and what was measured of it, if anything was. */
type Sample = { call: MeteredCall; measure: CallMeasure | undefined };

/** What the rollups must hold, summed the plainest way. */
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
    const { method = "", route = "", status, outcome } = call;
    const place = JSON.stringify([at, call.keyId, outcome, status, method, route]);
    const sum = sums.get(place) ?? {
      ...{ at, key_id: call.keyId, outcome, status, method, route },
      numbers: [0, 0, 0, 0],
      latencies: emptyLatencies(),
    };
    sums.set(place, sum);
    sum.numbers[0] += 1;
    sum.numbers[1] += call.quantity;
    sum.numbers[2] += measure?.bytesIn ?? 0;
    sum.numbers[3] += measure?.bytesOut ?? 0;
    if (measure?.latencyMs !== undefined) {
      addLatency(sum.latencies, measure.latencyMs);
    }
  }
  return [...sums.values()].map(({ numbers, latencies, ...place }) => {
    const [calls = "", quantity = "", bytes_in = "", bytes_out = ""] = numbers.map(String);
    return { ...place, calls, quantity, bytes_in, bytes_out, ...latencies };
  });
}

function sorted(rows: readonly StoredRow[]): string[] {
  return rows
    .map(({ at, key_id, outcome, status, method, route, ...rest }) =>
      JSON.stringify([
        at,
        key_id,
        outcome,
        status,
        method,
        route,
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
  measure: fc.option(measure, { nil: undefined }),
  /** Which group counts it, and which gets what was measured. */
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
      occurredAtMs: Date.UTC(2026, 0, 10, 12) + draw.offsetMs,
      periodStartMs: PERIOD_START_MS,
      periodEndMs: PERIOD_END_MS,
      quantity: draw.status === 200 ? 1 : 0,
      leaseId: undefined,
    },
    measure: draw.measure,
  };
}

/** Spreads calls and what was measured of them over groups, as their draws say. */
function toGroups(draws: readonly SampleDraw[], samples: readonly Sample[]): UsageGroup[] {
  const builders = Array.from({ length: 5 }, () => new GroupBuilder());
  for (const [place, draw] of draws.entries()) {
    const one = samples[place];
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

describe("the rollups", () => {
  it("are the same at both grains however calls are split into groups, ordered, committed and repeated", async () => {
    const plan = fc.record({
      draws: fc.array(sample, { minLength: 1, maxLength: 40 }),
      /** Which groups are committed together, in which order; some come twice. */
      commits: fc.array(fc.subarray([0, 1, 2, 3, 4]), { maxLength: 5 }),
      isAtOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ draws, commits, isAtOnce }) => {
        const tenantId = newUuidId("tenant");
        const keyIds = [newUuidId("key"), newUuidId("key")];
        const samples = draws.map((draw) => toSample(draw, tenantId, keyIds));
        const groups = toGroups(draws, samples).map((group) => decodeGroup(encodeGroup(group)));
        const batches = [...commits, [0, 1, 2, 3, 4]].map((places) =>
          places.flatMap((place) => groups[place] ?? []),
        );
        if (isAtOnce) {
          await Promise.all(batches.map(commit));
        } else {
          for (const batch of batches) {
            await commit(batch);
          }
        }
        const minutes = sorted(await readRollups("usage_rollups", tenantId));
        const hours = sorted(await readRollups("usage_rollups_hourly", tenantId));
        expect(minutes).toEqual(sorted(expectedRollups(samples, MINUTE_MS)));
        expect(hours).toEqual(sorted(expectedRollups(samples, HOUR_MS)));
        const [entries] = await database.sql<{ calls: number; rows: number; places: number }[]>`
          select sum(calls)::int as calls, count(*)::int as rows,
            count(distinct (group_id, key_id, outcome, status, occurred_at))::int as places
          from ledger_entries where tenant_id = ${tenantId}`;
        expect(entries?.calls).toBe(samples.length);
        expect(entries?.rows).toBe(entries?.places);
      }),
      { numRuns: 60 },
    );
    expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
  });

  it("take a group from the journal of a version that knew no methods, routes and latencies", async () => {
    const tenantId = newUuidId("tenant");
    const keyId = newUuidId("key");
    const groupId: GroupId = newUuidId("group");
    const line = `{"groupId":"${groupId}","processId":"${processId}","recordedAtMs":null,"entries":[{"tenantId":"${tenantId}","keyId":"${keyId}","environment":"live","meterId":"requests","outcome":"VALID","status":200,"minuteMs":1768046400000,"periodStartMs":1767225600000,"periodEndMs":1769904000000,"calls":3,"quantity":3}],"spends":[]}`;
    expect(await commit([decodeGroup(Buffer.from(line))])).toBe(1);
    for (const table of ["usage_rollups", "usage_rollups_hourly"]) {
      expect(await readRollups(table, tenantId)).toEqual([
        {
          at: new Date(1_768_046_400_000),
          key_id: keyId,
          outcome: "VALID",
          status: 200,
          method: "",
          route: "",
          calls: "3",
          quantity: "3",
          bytes_in: "0",
          bytes_out: "0",
          buckets: [],
          counts: [],
        },
      ]);
    }
  });

  it("stay out of a tenant's reach when they are another's", async () => {
    const [mine, theirs] = [newUuidId("tenant"), newUuidId("tenant")];
    const builder = new GroupBuilder();
    for (const tenantId of [mine, theirs]) {
      const draw = {
        keyNumber: 2,
        offsetMs: 0,
        status: 200,
        method: "GET",
        route: "/users",
      } as const;
      builder.add(
        toSample({ ...draw, measure: undefined, group: 0, measureGroup: 0 }, tenantId, []).call,
      );
    }
    await commit([builder.build({ groupId: newUuidId("group"), processId, recordedAtMs: null })]);
    for (const table of ["usage_rollups", "usage_rollups_hourly"]) {
      const seen = await transact.asTenant(mine, (tx) => tx`select tenant_id from ${tx(table)}`);
      expect([...seen]).toEqual([{ tenant_id: mine }]);
      const change = transact.asTenant(mine, (tx) => tx`update ${tx(table)} set calls = 0`);
      await expect(change).rejects.toMatchObject({ code: "42501" });
    }
  });

  it.each([
    ["calls", "calls = calls + 1"],
    ["bytes", "bytes_out = bytes_out + 1"],
    ["latencies", "latencies = 2 * latencies"],
    ["the bucket of a latency", "latencies = latencies * 1e12"],
    ["a route", "route = '/elsewhere'"],
  ])("are found to drift when %s of an hour were changed by hand", async (_what, change) => {
    const tenantId = newUuidId("tenant");
    const draw = {
      keyNumber: 0,
      offsetMs: 0,
      status: 200,
      method: "GET",
      route: "/users",
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
