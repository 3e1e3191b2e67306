import type { CauseDimension } from "./explain-change.ts";
import type { WatchedMeasure } from "./incident.ts";

/** The dimensions that can explain each measure, the most useful first. */
export type DimensionsOf = Readonly<Record<WatchedMeasure, readonly CallDimension[]>>;

/** By what calls can be split. Charges can be split by meter as well. */
export type CallDimension = Exclude<CauseDimension, "meter">;

export const EXPLAINED_OF_TENANT: DimensionsOf = {
  requests: ["key", "route"],
  error_rate: ["route", "key"],
  errors: ["route", "key", "status"],
  denied: ["key", "outcome", "route"],
  latency_avg: ["route", "key"],
  spend: ["key", "route"],
};

export const EXPLAINED_OF_ALL: DimensionsOf = {
  requests: ["tenant", "route"],
  error_rate: ["route", "tenant"],
  errors: ["route", "tenant", "status"],
  denied: ["tenant", "outcome", "route"],
  latency_avg: ["route", "tenant"],
  spend: ["tenant", "route"],
};
