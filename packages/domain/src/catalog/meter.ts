/**
 * How usage becomes one number. `count` and `sum` are additive, so limits and invoices can use them; the others only describe.
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

/** The maximum number of dimensions of a meter, and the maximum length of a value, in UTF-16 units. */
export const METER_DIMENSIONS_MAX = 8;
export const DIMENSION_LENGTH_MAX = 80;

/** The maximum of meters in an installation and of versions of a meter. All are read at once, and each event runs through those of its type. */
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
  /** JSON pointer to the value in the data of an event; undefined for `count` alone. */
  valuePointer?: string | undefined;
  dimensions?: MeterDimension[] | undefined;
  /** The highest value of one event, as a decimal; for `sum` alone. Without it, one event can cost any amount. */
  valueMax?: string | undefined;
};

/** True for additive aggregations, the only ones that a quota can cap. */
export function isAdditive(aggregation: Aggregation): boolean {
  return aggregation === "count" || aggregation === "sum";
}
