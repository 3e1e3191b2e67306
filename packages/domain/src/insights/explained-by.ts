import type { CauseDimension } from "./explain-change.ts";
import type { WatchedMeasure } from "./incident.ts";

/** The dimensions that can explain each measure, the most useful first. */
export type DimensionsOf = Readonly<Record<WatchedMeasure, readonly CauseDimension[]>>;

export const EXPLAINED_OF_TENANT: DimensionsOf = {
  requests: ["key", "route"],
  error_rate: ["route", "key"],
  errors: ["route", "key", "status"],
  denied: ["key", "outcome", "route"],
  latency_avg: ["route", "key"],
};

export const EXPLAINED_OF_ALL: DimensionsOf = {
  requests: ["tenant", "route"],
  error_rate: ["route", "tenant"],
  errors: ["route", "tenant", "status"],
  denied: ["tenant", "outcome", "route"],
  latency_avg: ["route", "tenant"],
};
