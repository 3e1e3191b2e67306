import { t } from "@lingui/core/macro";
import type { TimeSeries, TimeStretches } from "@turnpike/ui/charts/chart-types";
import type { TimeBucket } from "@turnpike/ui/charts/time-buckets.view-model";
import type { Evidence } from "#components/insights/insights.queries.ts";
import { labelMeasure } from "#components/insights/insights.view-model.ts";

const HOUR_MS = 3_600_000;

/** The hours of an anomaly and the days before, with the edges of what is usual for each, and the anomaly marked. */
export function toEvidenceChart({ measure, currency, points, from, to }: Evidence): {
  buckets: TimeBucket[];
  series: TimeSeries[];
  stretches: TimeStretches;
} {
  return {
    buckets: points.map(({ time }) => {
      const fromMs = Date.parse(time);
      return { fromMs, toMs: fromMs + HOUR_MS };
    }),
    series: [
      {
        key: "value",
        label: labelMeasure({ measure, currency }),
        tone: "accent",
        values: points.map(({ value }) => value),
      },
      {
        key: "high",
        label: t`Usual at most`,
        tone: "neutral",
        look: "level",
        values: points.map(({ high }) => high),
      },
      {
        key: "low",
        label: t`Usual at least`,
        tone: "neutral",
        look: "level",
        values: points.map(({ low }) => low),
      },
    ],
    stretches: {
      label: t`Unusual`,
      tone: "warning",
      spans: [{ fromMs: Date.parse(from), toMs: Date.parse(to) }],
    },
  };
}
