import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { isStorableText } from "@turnpike/domain/text/storable-text";

/** The result of a meter, by its aggregation: the measure `meter:tokens` of the meter `tokens`. */
export type MeterMeasure = `meter:${string}`;
/** A dimension of a meter: `event:model` for meters with a dimension `model`. */
export type EventDimension = `event:${string}`;
/** One value of such a dimension, as a filter. */
export type EventFilter = { name: string; value: string };

const METER_PREFIX = "meter:";
const EVENT_PREFIX = "event:";
/** The name of a dimension. */
const DIMENSION_NAME_PATTERN = /^[a-z][a-z0-9_]{0,39}$/;
/** The longest stored value of a dimension. `(other)` is shorter. */
const DIMENSION_VALUE_LENGTH_MAX = 80;

export function isMeterMeasure(name: string): name is MeterMeasure {
  return name.startsWith(METER_PREFIX) && SLUG_PATTERN.test(name.slice(METER_PREFIX.length));
}

/** `meter:tokens` gives `tokens`. */
export function meterOf(measure: MeterMeasure): string {
  return measure.slice(METER_PREFIX.length);
}

export function isEventDimension(name: string): name is EventDimension {
  return (
    name.startsWith(EVENT_PREFIX) && DIMENSION_NAME_PATTERN.test(name.slice(EVENT_PREFIX.length))
  );
}

/** `event:model` gives `model`. */
export function nameOfDimension(dimension: EventDimension): string {
  return dimension.slice(EVENT_PREFIX.length);
}

/** Reads `model:small`. The value may contain colons, and may be empty. */
export function parseEventFilter(text: string): EventFilter | undefined {
  const colon = text.indexOf(":");
  const name = text.slice(0, Math.max(0, colon));
  const value = text.slice(colon + 1);
  const isFilter =
    DIMENSION_NAME_PATTERN.test(name) &&
    value.length <= DIMENSION_VALUE_LENGTH_MAX &&
    isStorableText(value);
  return isFilter ? { name, value } : undefined;
}
