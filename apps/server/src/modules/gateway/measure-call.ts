import type { CallMeasure } from "#modules/metering/index.ts";
import type { CallOutcome, CallTraffic } from "./proxy/call-outcome.ts";

/** Instants of a call by the monotonic clock, in milliseconds. */
export type CallTimes = { startedAtMs: number; outcomeAtMs: number; endedAtMs: number };

/**
 * Measures a call as its client sees it: from the head of the request to the last byte of the answer. Event streams and
 * WebSockets last as long as someone listens, so theirs ends with the head of the answer. A client that left before the
 * answer says nothing about the speed of the API.
 */
export function measureCall(
  outcome: CallOutcome,
  times: CallTimes,
  traffic: CallTraffic,
): CallMeasure {
  const isStream = outcome.kind === "status" && outcome.isStream;
  const isLeft = outcome.kind === "failed" && outcome.code === "CLIENT_ABORTED";
  return {
    latencyMs: isLeft
      ? undefined
      : (isStream ? times.outcomeAtMs : times.endedAtMs) - times.startedAtMs,
    bytesIn: traffic.requestBytes,
    bytesOut: traffic.responseBytes,
  };
}
