import { t } from "@lingui/core/macro";
import { formatMeasured, type MeterWords } from "@turnpike/domain/alerts/describe-alert";
import { LazyTimeLines } from "#components/usage/lazy-charts.tsx";
import { createChartFormats, readOwnTimeZone } from "#platform/chart-formats.ts";
import { formatCompact } from "#platform/format-measure.ts";
import { valueInLanguage } from "#platform/server-words/server-words.ts";
import type { AlertTimeline } from "./alert-chart.view-model.ts";

export type AlertChartProps = {
  label: string;
  measure: string;
  meter: MeterWords | undefined;
  timeline: AlertTimeline;
  heightPx: number;
  view: "chart" | "table";
  onViewChange: (view: "chart" | "table") => void;
};

/** Measures whose axis needs a unit: a bare number would mean nothing. */
const HAS_UNIT = /^(error_rate|latency_|bytes_)/;

/** A measure over time with its threshold lines and the times when the alert fires. */
export function AlertChart({ label, measure, meter, timeline, ...props }: AlertChartProps) {
  const timeZone = readOwnTimeZone();
  const exact = (value: number) => valueInLanguage(formatMeasured(measure, value, meter));
  return (
    <LazyTimeLines
      {...props}
      {...timeline}
      label={label}
      unit=""
      timeZone={timeZone}
      formats={createChartFormats(timeZone, {
        value: HAS_UNIT.test(measure) ? exact : formatCompact,
        exact,
      })}
      emptyText={t`No data in this range.`}
    />
  );
}
