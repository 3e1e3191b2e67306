import type { TickUnit } from "./time-axis.view-model.ts";
import type { TimeBucket, TimeRange } from "./time-buckets.view-model.ts";

/**
 * The colours of the charts. `accent` is the primary series; the semantic ones mean what they mean everywhere; the rest
 * tell categories apart.
 */
export const SERIES_TONES = [
  "accent",
  "info",
  "teal",
  "violet",
  "ok",
  "warning",
  "danger",
  "neutral",
] as const;
export type SeriesTone = (typeof SERIES_TONES)[number];

/** Values over the buckets of a chart. A null is something that is not known and is never drawn as zero. */
export type TimeSeries = {
  key: string;
  label: string;
  tone: SeriesTone;
  /** One for each bucket. */
  values: readonly (number | null)[];
  /** `level` is what values are held against, such as a threshold: drawn broken, without points. Left out: `line`. */
  look?: "line" | "level";
  /** What the values are the upper edge of: the area down to these is tinted, where both are known. */
  downTo?: readonly (number | null)[];
  /** The same buckets of the period before, by position; left out when nothing is compared. */
  previous?: readonly (number | null)[];
};

/** Stretches of time that are marked behind the data, such as those in which an alert was firing. */
export type TimeStretches = { label: string; tone: SeriesTone; spans: readonly TimeRange[] };

/** How a chart writes what it shows. The chart decides where, the caller how. */
export type ChartFormats = {
  /** On the axis: short, "1.2K". */
  value: (value: number) => string;
  /** In the readout and the table: exact, with its unit. */
  exact: (value: number) => string;
  tick: (instantMs: number, unit: TickUnit) => string;
  /** A bucket as a whole: "Nov 21, 13:00 – 14:00". */
  bucket: (bucket: TimeBucket) => string;
  /** Day or days of the axis, where its labels name only hours: "Nov 21, 2026". */
  span: (bucket: TimeBucket) => string;
};

export type ChartView = "chart" | "table";

/** What time-bars and time-lines have in common. */
export type TimeChartProps = {
  /** What is shown, for screen readers and as the caption of the table: "Requests by outcome". */
  label: string;
  /** Label of the value axis: "requests", "ms". */
  unit: string;
  buckets: readonly TimeBucket[];
  series: readonly TimeSeries[];
  /** IANA name; shown below the chart. */
  timeZone: string;
  formats: ChartFormats;
  /** The box of the chart, which never changes its size, in pixels. */
  heightPx?: number;
  view: ChartView;
  onViewChange: (view: ChartView) => void;
  /** Left out: nothing is marked. */
  stretches?: TimeStretches;
  /** A range chosen by brush, click or keyboard, half-open, epoch milliseconds. */
  onSelectRange?: (fromMs: number, toMs: number) => void;
};
