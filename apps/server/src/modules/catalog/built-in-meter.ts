import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";

/** As it is published where no catalogue describes it. */
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
 * count it everywhere, so nobody needs to list it. At the end, so that the places of the others stay.
 */
export function withRequestsMeter(
  meters: readonly MeterDefinition[],
  known: readonly MeterDefinition[],
): readonly MeterDefinition[] {
  return hasRequestsMeter(meters) || hasRequestsMeter(known) ? meters : [...meters, REQUESTS];
}
