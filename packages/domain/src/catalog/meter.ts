/**
 * How usage becomes one number. `count` and `sum` can be added up, so that limits and bills can be made of them; the others
 * describe what was there.
 */
export const AGGREGATIONS = [
  "count",
  "sum",
  "avg",
  "min",
  "max",
  "latest",
  "unique_count",
] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

/** The most dimensions that a meter keeps, and the longest value of one, in UTF-16 units. */
export const METER_DIMENSIONS_MAX = 8;
export const DIMENSION_LENGTH_MAX = 80;

/** The most meters of an installation and versions of a meter: all are read at once, and each event is met by those of its type. */
export const METERS_MAX = 1_000;
export const METER_VERSIONS_MAX = 1_000;

/** A part of an event that usage can be broken down by. */
export type MeterDimension = {
  name: string;
  /** JSON pointer (RFC 6901) into the data of the event. */
  pointer: string;
};

export type MeterDefinition = {
  /** Slug, unique. */
  meterId: string;
  name: string;
  /** What one unit is called, singular: "request". */
  unit: string;
  aggregation: Aggregation;
  /** The type of the events that it counts; undefined for what the gateway and verification count. */
  eventType?: string | undefined;
  /** Where the value stands in the data of an event, as a JSON pointer; undefined for `count` alone. */
  valuePointer?: string | undefined;
  dimensions?: MeterDimension[] | undefined;
};

/** True for what can be added up: the only kind that a quota can cap. */
export function isAdditive(aggregation: Aggregation): boolean {
  return aggregation === "count" || aggregation === "sum";
}
