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

const BY_ONE: Readonly<Record<NonNullable<RaisedConfidence["dimension"]>, string>> = {
  key: t`one key`,
  route: t`one route`,
  status: t`one status`,
  outcome: t`one outcome`,
  tenant: t`one tenant`,
  meter: t`one meter`,
};

/** Names anomalies alike: "Changes of requests by one key". */
export function nameLikeness({
  measure,
  dimension,
}: Pick<RaisedConfidence, "measure" | "dimension">): string {
  const changes = MEASURES[measure];
  return dimension === null ? t`${changes} everywhere` : t`${changes} by ${BY_ONE[dimension]}`;
}
