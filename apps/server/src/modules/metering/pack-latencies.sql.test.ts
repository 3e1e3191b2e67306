import { migrate } from "@turnpike/db/migrate";
import {
  LATENCY_BUCKET_MAX,
  type LatencyHistogram,
  packLatencies,
} from "@turnpike/domain/metering/latency-histogram";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const MIGRATION = "0026_pack_latencies_of_hours.sql";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const histogram = fc
  .uniqueArray(
    fc.tuple(
      fc.integer({ min: 0, max: LATENCY_BUCKET_MAX }),
      fc.integer({ min: 1, max: 999_999_999_999 }),
    ),
    { selector: ([bucket]) => bucket, maxLength: 40 },
  )
  .map((pairs): LatencyHistogram => {
    const sorted = pairs.toSorted(([one], [other]) => one - other);
    return { buckets: sorted.map(([bucket]) => bucket), counts: sorted.map(([, calls]) => calls) };
  });

describe("packed histograms", () => {
  it("are the same number by the database and by us, and are read back as they were", async () => {
    await fc.assert(
      fc.asyncProperty(histogram, async (drawn) => {
        const [row] = await database.sql<
          { is_same: boolean; buckets: number[]; counts: number[] }[]
        >`
          select packed = pack_latencies(${drawn.buckets}::smallint[], ${drawn.counts}::bigint[]) as is_same,
            array_to_json(h.buckets) as buckets, array_to_json(h.counts) as counts
          from (select ${packLatencies(drawn)}::text::numeric as packed) given, unpack_latencies(packed) h`;
        expect(row).toEqual({ is_same: true, ...drawn });
      }),
      { numRuns: 60 },
    );
  });
});

describe("the migration to packed histograms", () => {
  it("keeps the histogram of every hour, in every partition, for an owner whom row-level security binds", async () => {
    await using old = await createOldDatabase(database, MIGRATION);
    const { sql } = old;
    await sql`select make_usage_partitions(3, 1000)`;
    await sql.begin(async (tx) => {
      await tx`set local role turnpike_meter`;
      await tx`
        insert into usage_rollups_hourly (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, calls, quantity,
          latency_buckets, latency_counts)
        select 'ten_1', date_trunc('hour', now(), 'UTC') + month * interval '1 month', 'requests', 'live', 'key_1', 'VALID', 200,
          3, 3, case when month = 0 then '{}' else array[7, 100 + month] end::smallint[],
          case when month = 0 then '{}' else array[1, 2] end::bigint[]
        from generate_series(-2, 2) as month`;
    });
    expect((await migrate(sql)).applied[0]).toBe(MIGRATION);
    const rows = await sql.begin(async (tx) => {
      await tx`set local role turnpike_operator`;
      return await tx`
        select array_to_json(h.buckets) as buckets, array_to_json(h.counts) as counts
        from usage_rollups_hourly, unpack_latencies(latencies) h order by occurred_at`;
    });
    expect([...rows]).toEqual([
      { buckets: [7, 98], counts: [1, 2] },
      { buckets: [7, 99], counts: [1, 2] },
      { buckets: [], counts: [] },
      { buckets: [7, 101], counts: [1, 2] },
      { buckets: [7, 102], counts: [1, 2] },
    ]);
  });
});
