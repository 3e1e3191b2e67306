import type { RaisedConfidence } from "#components/insights/insights.queries.ts";

const MEASURES: Readonly<Record<RaisedConfidence["measure"], string>> = {
  requests: "Changes of requests",
  error_rate: "Changes of the share of errors",
  errors: "Changes of errors",
  denied: "Changes of refused requests",
  latency_avg: "Changes of latency",
  spend: "Changes of charges",
};

/** Names anomalies alike: "Changes of requests by one key". */
export function nameLikeness({
  measure,
  dimension,
}: Pick<RaisedConfidence, "measure" | "dimension">): string {
  return `${MEASURES[measure]} ${dimension === null ? "everywhere" : `by one ${dimension}`}`;
}
