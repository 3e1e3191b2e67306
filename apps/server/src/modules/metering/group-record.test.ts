import type { GroupId, KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeGroup, encodeGroup } from "./group-record.ts";
import type { GroupEntry, UsageGroup } from "./usage-group.ts";

const MINUTE_MS = 60_000;

/** Few of each, so that neighbours are alike and different by turns. */
const entry: fc.Arbitrary<GroupEntry> = fc.record({
  tenantId: fc.constantFrom("ten_a", "ten_b") as fc.Arbitrary<TenantId>,
  keyId: fc.constantFrom("key_a", "key_b", "key_c") as fc.Arbitrary<KeyId>,
  originKeyId: fc.constantFrom(undefined, "key_a") as fc.Arbitrary<KeyId | undefined>,
  environment: fc.constantFrom("live" as const, "test" as const),
  meterId: fc.constantFrom("requests", "ten_a"),
  outcome: fc.constantFrom("VALID" as const, "QUOTA_EXCEEDED" as const),
  status: fc.constantFrom(0, 200, 429),
  method: fc.constantFrom(undefined, "GET" as const, "POST" as const),
  route: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  minuteMs: fc.integer({ min: 0, max: 3 }).map((minute) => minute * MINUTE_MS),
  periodStartMs: fc.constantFrom(0, 1_767_225_600_000),
  periodEndMs: fc.constantFrom(1_769_904_000_000, 1_772_323_200_000),
  calls: fc.integer({ min: 0, max: 3 }),
  quantity: fc.constantFrom(0, 1, 2.5, Number.MAX_SAFE_INTEGER),
  bytesIn: fc.constantFrom(undefined, 0, 1_234),
  bytesOut: fc.constantFrom(undefined, 0, 2 ** 40),
  latencies: fc.option(
    fc.constantFrom({ buckets: [], counts: [] }, { buckets: [3, 40], counts: [1, 2 ** 33] }),
    { nil: undefined },
  ),
});

const group: fc.Arbitrary<UsageGroup> = fc.record({
  groupId: fc.constant("grp_1" as GroupId),
  processId: fc.constant("prc_1" as ProcessId),
  recordedAtMs: fc.constantFrom(null, 0, 1_767_225_612_345),
  entries: fc.array(entry, { maxLength: 12 }),
  spends: fc.array(
    fc.record({
      tenantId: fc.constantFrom("ten_a", "ten_b") as fc.Arbitrary<TenantId>,
      leaseId: fc.constantFrom("lse_a", "lse_b") as fc.Arbitrary<LeaseId>,
      quantity: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 3 },
  ),
});

describe("a record of a group", () => {
  it("reads as the group that was written, whatever its entries share and do not", () => {
    fc.assert(
      fc.property(group, (written) => {
        expect(decodeGroup(encodeGroup(written))).toEqual(written);
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes no more room for calls that differ in their key alone than the names of the keys and their numbers", () => {
    const ofKeys = (count: number): UsageGroup => ({
      groupId: "grp_1" as GroupId,
      processId: "prc_1" as ProcessId,
      recordedAtMs: null,
      entries: Array.from({ length: count }, (_, place) => ({
        tenantId: "ten_a" as TenantId,
        keyId: `key_${String(place).padStart(32, "0")}` as KeyId,
        environment: "live",
        meterId: "requests",
        outcome: "VALID",
        status: 200,
        minuteMs: MINUTE_MS,
        periodStartMs: 0,
        periodEndMs: 1_769_904_000_000,
        calls: 1,
        quantity: 1,
      })),
      spends: [],
    });
    const bytes = encodeGroup(ofKeys(257)).length - encodeGroup(ofKeys(1)).length;
    expect(bytes / 256).toBeLessThan(45);
  });

  it("of a later version is refused, not taken for one without entries", () => {
    expect(() => decodeGroup(Buffer.from('{"form":4,"groupId":"grp_1"}'))).toThrow(/form 4/);
  });

  it("is read as well where a version before wrote rows", () => {
    const line =
      '{"form":2,"groupId":"grp_1","processId":"prc_1","recordedAtMs":null,"texts":["","ten_a","key_a","live","requests","VALID","key_b","GET","/maps"],"instantsMs":[60000,1767225600000,1769904000000],"entries":[1,2,0,3,4,5,200,0,0,0,1,2,3,3,-1,-1,1,6,2,3,4,5,404,7,8,0,1,2,1,0,12,340],"latencies":[[1,[3],[1]]],"spends":[1,2,3]}';
    const times = { minuteMs: 60_000, periodStartMs: 1_767_225_600_000 };
    const shared = {
      tenantId: "ten_a",
      environment: "live",
      meterId: "requests",
      outcome: "VALID",
      ...times,
      periodEndMs: 1_769_904_000_000,
    };
    expect(decodeGroup(Buffer.from(line))).toEqual({
      groupId: "grp_1",
      processId: "prc_1",
      recordedAtMs: null,
      entries: [
        { ...shared, keyId: "key_a", status: 200, calls: 3, quantity: 3 },
        {
          ...shared,
          keyId: "key_b",
          originKeyId: "key_a",
          status: 404,
          method: "GET",
          route: "/maps",
          calls: 1,
          quantity: 0,
          bytesIn: 12,
          bytesOut: 340,
          latencies: { buckets: [3], counts: [1] },
        },
      ],
      spends: [{ tenantId: "ten_a", leaseId: "key_a", quantity: 3 }],
    });
  });
});
