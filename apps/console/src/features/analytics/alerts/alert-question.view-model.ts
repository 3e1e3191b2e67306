import { ALERT_WINDOW_MINUTES } from "@turnpike/domain/alerts/alert-rule";
import { meterOfMeasure } from "@turnpike/domain/alerts/describe-alert";
import {
  type AnalyticsSearch,
  parseAnalyticsSearch,
  type RangePreset,
} from "../analytics-search.view-model.ts";
import type { Alert } from "./alerts.queries.ts";

/** Roughly the span of an alert's chart, by the length of its window in minutes. */
const RANGES: readonly { upToMinutes: number; range: RangePreset }[] = [
  { upToMinutes: 1, range: "6h" },
  { upToMinutes: 5, range: "24h" },
  { upToMinutes: 30, range: "7d" },
  { upToMinutes: 360, range: "30d" },
  { upToMinutes: ALERT_WINDOW_MINUTES.at(-1) ?? 1_440, range: "90d" },
];

/** The address of the alert's usage on the analytics screen. */
export function toQuestionSearch({
  query,
  windowMinutes,
}: Pick<Alert, "query" | "windowMinutes">): AnalyticsSearch {
  const meter = meterOfMeasure(query.measure);
  const range = RANGES.find(({ upToMinutes }) => windowMinutes <= upToMinutes)?.range ?? "90d";
  return parseAnalyticsSearch({
    ...query.filters,
    range,
    ...(meter !== undefined && { meter }),
  });
}
