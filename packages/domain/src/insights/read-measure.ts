import type { WatchedMeasure } from "./incident.ts";

/** Calls that were summed: of an hour, or of a part of them. `latencyMs` is their mean, if any was measured; `spend` is in minor units. */
export type SummedCalls = {
  requests: number;
  errors: number;
  denied: number;
  latencyMs: number | null;
  spend: number;
};

const PERCENT = 100;
/** A share of fewer calls than these says little; a mean says less, because one slow call can make it. */
const CALLS_FOR_RATE = 20;
const CALLS_FOR_MEAN = 60;

/** Reads a measure: 0 for a count of nothing, null for a quotient of nothing, or of too little to tell. */
export function readMeasure(
  calls: SummedCalls | undefined,
  measure: WatchedMeasure,
): number | null {
  const { requests, errors, denied, latencyMs, spend } = calls ?? NOTHING;
  const admitted = requests - denied;
  switch (measure) {
    case "requests":
      return requests;
    case "errors":
      return errors;
    case "denied":
      return denied;
    case "spend":
      return spend;
    case "error_rate":
      return admitted < CALLS_FOR_RATE ? null : (errors / admitted) * PERCENT;
    case "latency_avg":
      return admitted < CALLS_FOR_MEAN ? null : latencyMs;
    default:
      return measure satisfies never;
  }
}

/** The calls of no hour. */
export const NOTHING: SummedCalls = {
  requests: 0,
  errors: 0,
  denied: 0,
  latencyMs: null,
  spend: 0,
};
