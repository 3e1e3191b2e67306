import type { LiveCall } from "@turnpike/contract/live-calls";
import type { CallMeasure, MeteredCall } from "#modules/metering/index.ts";

/** A call as people are shown it: nothing of an address, a raw path or a body. */
export function toLiveCall(call: MeteredCall, measure: CallMeasure | undefined): LiveCall {
  return {
    requestId: call.requestId ?? "",
    at: new Date(call.occurredAtMs).toISOString(),
    keyId: call.keyId,
    environment: call.environment,
    method: call.method ?? "",
    route: call.route ?? "",
    status: call.status,
    outcome: call.outcome,
    latencyMs: measure?.latencyMs === undefined ? null : Number(measure.latencyMs.toFixed(1)),
    bytesIn: measure?.bytesIn ?? null,
    bytesOut: measure?.bytesOut ?? null,
    model: call.model ?? "",
    tokens: measure?.tokens ?? null,
  };
}
