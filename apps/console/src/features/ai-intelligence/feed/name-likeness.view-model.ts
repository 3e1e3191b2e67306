import { t } from "@lingui/core/macro";
import type { RaisedConfidence } from "#components/insights/insights.queries.ts";

const MEASURES: Readonly<Record<RaisedConfidence["measure"], string>> = {
  requests: t`Changes of requests`,
  error_rate: t`Changes of the share of errors`,
  errors: t`Changes of errors`,
  denied: t`Changes of denied calls`,
  latency_avg: t`Changes of latency`,
  spend: t`Changes of charges`,
};

/** Names anomalies alike: "Changes of requests by one key". */
export function nameLikeness({
  measure,
  dimension,
}: Pick<RaisedConfidence, "measure" | "dimension">): string {
  return `${MEASURES[measure]} ${dimension === null ? "everywhere" : `by one ${dimension}`}`;
}
