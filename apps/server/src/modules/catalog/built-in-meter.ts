import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";

/** How it is published when no catalogue describes it. */
const REQUESTS: MeterDefinition = {
  meterId: REQUESTS_METER,
  name: "Requests",
  unit: "request",
  aggregation: "count",
};

export function hasRequestsMeter(meters: readonly MeterDefinition[]): boolean {
  return meters.some((meter) => meter.meterId === REQUESTS_METER);
}

/**
 * Adds `requests` to the meters of a catalogue when neither they nor the installation have it: the gateway and verification
 * always count it. It comes last, so that pointers to the others stay right.
 */
export function withRequestsMeter(
  meters: readonly MeterDefinition[],
  known: readonly MeterDefinition[],
): readonly MeterDefinition[] {
  return hasRequestsMeter(meters) || hasRequestsMeter(known) ? meters : [...meters, REQUESTS];
}
