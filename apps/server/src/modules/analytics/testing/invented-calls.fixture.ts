import type { KeyId, NewId, TenantId } from "@turnpike/domain/ids/ids";
import { addLatency, emptyLatencies } from "@turnpike/domain/metering/latency-histogram";
import { DAY_MS, MINUTE_MS } from "@turnpike/domain/time/zoned-buckets";
import type { UsageGroup } from "#modules/metering/index.ts";
import type { ReferenceCalls } from "./usage-reference.fixture.ts";

/** Instants at which clocks are changed: in Berlin, New York and on Lord Howe Island, both ways. */
export const CHANGES_MS = [
  Date.parse("2026-03-29T01:00Z"),
  Date.parse("2026-10-25T01:00Z"),
  Date.parse("2026-03-08T07:00Z"),
  Date.parse("2026-11-01T06:00Z"),
  Date.parse("2026-04-04T15:00Z"),
  Date.parse("2026-10-03T15:30Z"),
] as const;

export type Some<Value> = readonly [Value, ...Value[]];

/** How a call may end. */
const ENDS: Some<Pick<ReferenceCalls, "outcome" | "status">> = [
  { outcome: "VALID", status: 200 },
  { outcome: "VALID", status: 404 },
  { outcome: "VALID", status: 500 },
  { outcome: "CLIENT_ABORTED", status: 499 },
  { outcome: "UPSTREAM_TIMEOUT", status: 504 },
  { outcome: "RATE_LIMITED", status: 429 },
  { outcome: "OVERLOADED", status: 503 },
];

/** Chance that is the same in every run. */
export function makeDice(seed: number) {
  let state = seed;
  const roll = (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
  return {
    roll,
    pick: <Value>(values: Some<Value>): Value => values[roll(values.length)] ?? values[0],
  };
}

export type Owner = { tenantId: TenantId; plan: string; keys: Some<KeyId> };

/**
 * Makes up calls of some tenants, within two days of each change of clocks. Every third is a verification, of which nothing is
 * measured; those have few minutes, so that keys share rows.
 */
export function inventCalls(owners: Some<Owner>, count: number): ReferenceCalls[] {
  const { roll, pick } = makeDice(7);
  return Array.from({ length: count }, (): ReferenceCalls => {
    const owner = pick(owners);
    if (roll(3) === 0) {
      const calls = 1 + roll(4);
      return {
        tenant: owner.tenantId,
        plan: owner.plan,
        key: pick(owner.keys),
        route: "",
        method: "",
        status: 200,
        outcome: "VALID",
        environment: "live",
        model: "",
        minuteMs: pick(CHANGES_MS) - 2 * DAY_MS + roll(9) * (DAY_MS / 2) + 7 * MINUTE_MS,
        calls,
        quantity: calls,
        bytesIn: 0,
        bytesOut: 0,
        latenciesMs: [],
      };
    }
    const { outcome, status } = pick(ENDS);
    const calls = 1 + roll(4);
    return {
      tenant: owner.tenantId,
      plan: owner.plan,
      key: pick(owner.keys),
      route: pick(["", "/cities/{city}", "/a,b", "=1+1"]),
      method: pick(["GET", "POST", ""]),
      status,
      outcome,
      environment: pick(["live", "test"]),
      model: pick(["", "large", "small", "{other}"]),
      minuteMs: pick(CHANGES_MS) - 2 * DAY_MS + roll(4 * 1_440) * MINUTE_MS,
      calls,
      quantity: outcome === "VALID" ? calls : 0,
      bytesIn: roll(1_000),
      bytesOut: roll(100_000),
      latenciesMs: roll(3) === 0 ? [] : Array.from({ length: calls }, () => 1 + roll(2_000)),
    };
  });
}

/** The calls as the gateway would hand them to the ledger. */
export function toGroup(all: readonly ReferenceCalls[], newId: NewId): UsageGroup {
  return {
    groupId: newId("group"),
    processId: newId("process"),
    recordedAtMs: null,
    spends: [],
    entries: all.map((one) => {
      const latencies = emptyLatencies();
      for (const latencyMs of one.latenciesMs) {
        addLatency(latencies, latencyMs);
      }
      return {
        tenantId: one.tenant,
        keyId: one.key,
        environment: one.environment,
        meterId: "requests",
        outcome: one.outcome,
        status: one.status,
        method: one.method === "" ? undefined : one.method,
        route: one.route,
        model: one.model === "" ? undefined : one.model,
        minuteMs: one.minuteMs,
        periodStartMs: Date.UTC(2026, 0, 1),
        periodEndMs: Date.UTC(2027, 0, 1),
        calls: one.calls,
        quantity: one.quantity,
        bytesIn: one.bytesIn,
        bytesOut: one.bytesOut,
        latencies,
      };
    }),
  };
}
