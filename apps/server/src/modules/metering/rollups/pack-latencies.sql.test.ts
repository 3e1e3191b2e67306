import {
  LATENCY_BUCKET_MAX,
  type LatencyHistogram,
  packLatencies,
} from "@turnpike/domain/metering/latency-histogram";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

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
  it("are the same number in SQL and in TypeScript, and are read back unchanged", async () => {
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
