import { t } from "@lingui/core/macro";
import type { TimeSeries } from "@turnpike/ui/charts/chart-types";
import { type TimeBucket, toBuckets } from "@turnpike/ui/charts/time-buckets.view-model";
import type { MeterForecast } from "#platform/forecast-queries.ts";
import { formatPercent } from "#platform/format.ts";
import { formatQuantity } from "#platform/format-measure.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export const HORIZONS = [30, 90] as const;
export type Horizon = (typeof HORIZONS)[number];

export type ForecastChart = { buckets: readonly TimeBucket[]; series: TimeSeries[] };

/** The chart of a forecast: the past, and as many days ahead with the tint in which four of five will be. */
export function toForecastChart(
  { past, days, name }: MeterForecast,
  ahead: Horizon,
): ForecastChart {
  const coming = days.slice(0, ahead);
  const startsMs = [...past, ...coming].map(({ from }) => Date.parse(from));
  const fromMs = startsMs[0] ?? 0;
  const toMs = Date.parse(days[coming.length]?.from ?? "") || (startsMs.at(-1) ?? 0) + DAY_MS;
  const after = (values: readonly number[]) => [...past.map(() => null), ...values];
  const lower = after(coming.map(({ lower80 }) => lower80));
  return {
    buckets: toBuckets(startsMs, { fromMs, toMs }),
    series: [
      {
        key: "past",
        label: name,
        tone: "accent",
        values: [...past.map(({ value }) => value), ...coming.map(() => null)],
      },
      {
        key: "forecast",
        label: t`Forecast`,
        tone: "info",
        values: after(coming.map(({ mean }) => mean)),
      },
      {
        key: "high",
        label: t`${formatPercent(0.8)} high`,
        tone: "info",
        look: "level",
        values: after(coming.map(({ upper80 }) => upper80)),
        downTo: lower,
      },
      {
        key: "low",
        label: t`${formatPercent(0.8)} low`,
        tone: "info",
        look: "level",
        values: lower,
      },
    ],
  };
}

export type Outlook = { label: string; mean: string; range: string };

function toOutlook(
  label: string,
  { mean, lower80, upper80 }: { mean: number; lower80: number; upper80: number },
): Outlook {
  const whole = (value: number) => formatQuantity(Math.round(value));
  return {
    label,
    mean: whole(mean),
    range: `${formatPercent(0.8)}: ${whole(lower80)} – ${whole(upper80)}`,
  };
}

/** Sums that are to come: the running billing period, then days from now. */
export function listOutlooks({ period, totals }: MeterForecast): Outlook[] {
  return [
    ...(period === null ? [] : [toOutlook(t`This billing period`, period.total)]),
    ...totals.map((total) => toOutlook(t`Next ${String(total.days)} days`, total)),
  ];
}

const NOTES: Record<MeterForecast["notes"][number], string> = {
  sparse: t`Most days have no usage: trust the sums more than single days.`,
  growing: t`The last four weeks have at least twice as much as the four before. The forecast lets growth fade, so it may be too low.`,
  falling: t`The last four weeks have at most half of the four before. The forecast lets the fall fade, so it may be too high.`,
};

export function describeNotes({ notes }: MeterForecast): string[] {
  return notes.map((note) => NOTES[note]);
}

/** The meters to choose from: those that are used, calls first. */
export function listShown(meters: readonly MeterForecast[]): MeterForecast[] {
  const used = meters.filter(({ state }) => state !== "no_usage");
  return used.length > 0 ? used : meters.slice(0, 1);
}
