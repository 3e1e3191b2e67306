import type { CallMeasure } from "#modules/metering/index.ts";
import type { CallOutcome, CallTraffic } from "./proxy/call-outcome.ts";

/** Instants of a call by the monotonic clock, in milliseconds. */
export type CallTimes = { startedAtMs: number; outcomeAtMs: number; endedAtMs: number };

/**
 * What a call is measured by: as its client sees it, from the request's head to the last byte of the answer. Event streams
 * and WebSockets last as long as somebody listens, so that of them it is the time to the head of the answer that tells how
 * fast the API is. How long a client waited before it left says nothing about the API.
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
