import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { newUuidId } from "#platform/new-id.ts";
import type { GroupEntry, UsageGroup } from "../ledger/usage-group.ts";

export const MINUTE_MS = 60_000;
/** In the middle of a billing period, like everything that {@link groupOf} makes. */
export const NOON_MS = Date.UTC(2026, 0, 10, 12);
export const PERIOD = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 1, 1) };

export const keysOf = (count: number): KeyId[] =>
  Array.from({ length: count }, () => newUuidId("key"));

/** A group with one call of one unit by each key by default. */
export function groupOf(
  tenantId: TenantId,
  keyIds: readonly KeyId[],
  more: Partial<GroupEntry> = {},
): UsageGroup {
  return {
    groupId: newUuidId("group"),
    processId: newUuidId("process"),
    recordedAtMs: null,
    entries: keyIds.map((keyId) => ({
      tenantId,
      keyId,
      environment: "live",
      meterId: "requests",
      outcome: "VALID",
      status: 200,
      minuteMs: NOON_MS,
      periodStartMs: PERIOD.startMs,
      periodEndMs: PERIOD.endMs,
      calls: 1,
      quantity: 1,
      ...more,
    })),
    spends: [],
  };
}
