import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import {
  addLatency,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { commitGroups, rollUpUsage } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Calls of an hour, counted back from the current one. */
export type RecordedCalls = {
  hour: number;
  key: KeyId;
  route: string;
  calls: number;
  status?: number;
  outcome?: Outcome;
  latencyMs?: number;
  /** Left out: none. */
  model?: string;
  /** Left out: calls, each one unit. */
  meter?: string;
  units?: number;
};

function toLatencies({ calls, latencyMs }: RecordedCalls): LatencyHistogram {
  const latencies = emptyLatencies();
  if (latencyMs !== undefined) {
    addLatency(latencies, latencyMs, calls);
  }
  return latencies;
}

/** Stores calls as the gateway does, and sums them as the jobs do. */
export async function recordCalls(
  deps: AppServices,
  tenantId: TenantId,
  calls: readonly RecordedCalls[],
): Promise<void> {
  const nowMs = Math.floor(deps.clock.now().getTime() / HOUR_MS) * HOUR_MS;
  await commitGroups(deps, [
    {
      groupId: deps.newId("group"),
      processId: deps.newId("process"),
      recordedAtMs: null,
      spends: [],
      entries: calls
        .filter((call) => call.calls > 0)
        .map((call) => ({
          tenantId,
          keyId: call.key,
          environment: "live" as const,
          meterId: call.meter ?? "requests",
          outcome: call.outcome ?? "VALID",
          status: call.status ?? 200,
          method: "GET" as const,
          route: call.route,
          ...(call.model === undefined ? {} : { model: call.model }),
          minuteMs: nowMs - call.hour * HOUR_MS,
          periodStartMs: nowMs - 60 * DAY_MS,
          periodEndMs: nowMs + 60 * DAY_MS,
          calls: call.calls,
          quantity: call.outcome === undefined ? (call.units ?? call.calls) : 0,
          bytesIn: 0,
          bytesOut: 0,
          latencies: toLatencies(call),
        })),
    },
  ]);
  const { signal } = new AbortController();
  await rollUpUsage(deps, "minutes", { signal });
  await rollUpUsage(deps, "hours", { signal });
}
