import { ADMITTED_OUTCOMES, type Outcome } from "@turnpike/domain/metering/outcome";
import type { CallMeasure } from "#modules/metering/index.ts";
import type { CallOutcome, CallTraffic } from "./proxy/call-outcome.ts";

/** Instants of a call by the monotonic clock, in milliseconds. */
export type CallTimes = { startedAtMs: number; outcomeAtMs: number; endedAtMs: number };

const ADMITTED: ReadonlySet<Outcome> = new Set(ADMITTED_OUTCOMES);

/**
 * Measures a call as its client sees it: from the head of the request to the last byte of the answer. Event streams and
 * WebSockets last as long as someone listens, so theirs ends with the head of the answer. A client that left before the
 * answer says nothing about the speed of the API, and neither does a call whose rights ended before it.
 */
export function measureCall(
  outcome: CallOutcome,
  times: CallTimes,
  traffic: CallTraffic,
): CallMeasure {
  const isStream = outcome.kind === "status" && outcome.isStream;
  const isCutShort =
    outcome.kind !== "status" && (outcome.code === "CLIENT_ABORTED" || !ADMITTED.has(outcome.code));
  return {
    latencyMs: isCutShort
      ? undefined
      : (isStream ? times.outcomeAtMs : times.endedAtMs) - times.startedAtMs,
    bytesIn: traffic.requestBytes,
    bytesOut: traffic.responseBytes,
  };
}
