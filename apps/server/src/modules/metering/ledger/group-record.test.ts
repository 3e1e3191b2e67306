import type { GroupId, KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeGroup, encodeGroup } from "./group-record.ts";
import type { GroupEntry, UsageGroup } from "./usage-group.ts";

const MINUTE_MS = 60_000;

/** Few values of each, so that neighbours are sometimes alike and sometimes not. */
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
  model: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
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
  it("is read back as the group that was written, with anything shared by its entries", () => {
    fc.assert(
      fc.property(group, (written) => {
        expect(decodeGroup(encodeGroup(written))).toEqual(written);
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes little more than the key for a call that differs only in its key", () => {
    const ofKeys = (count: number): UsageGroup => ({
      groupId: "grp_1" as GroupId,
      processId: "prc_1" as ProcessId,
      recordedAtMs: null,
      entries: Array.from({ length: count }, (_, index) => ({
        tenantId: "ten_a" as TenantId,
        keyId: `key_${String(index).padStart(32, "0")}` as KeyId,
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

  it("in another form is refused, not read as a group without entries", () => {
    expect(() => decodeGroup(Buffer.from('{"form":4,"groupId":"grp_1"}'))).toThrow(/form 4/);
  });
});
