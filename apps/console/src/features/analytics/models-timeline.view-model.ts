import { t } from "@lingui/core/macro";
import type { MeterMeasure } from "@turnpike/contract/meter-measure";
import type { SeriesTone, TimeSeries } from "@turnpike/ui/charts/chart-types";
import type { Timeline } from "#components/usage/timeline.view-model.ts";
import type { UsageReport } from "#platform/usage-query.ts";
import {
  readMeasure,
  toMeasureValues,
  toPreviousValues,
  toReportBuckets,
} from "#platform/usage-series.ts";
import { toDimensionName } from "./breakdown.view-model.ts";
import { type Meter, toMeasure } from "./meters.view-model.ts";

/** One for each model that is drawn by itself; what means good or bad elsewhere is no model. */
const TONES = ["accent", "info", "teal", "violet"] as const satisfies readonly SeriesTone[];

/** What is drawn: the units of a meter, or requests without one. */
export function toModelMeasure(meter: Meter | undefined): "requests" | MeterMeasure {
  return meter === undefined ? "requests" : toMeasure(meter);
}

/**
 * Makes the stacked series of models: those with the most in the range by name, the others together, so that bars are as high
 * as all of them. Calls without a model are left out.
 */
export function toModelsTimeline(report: UsageReport, meter: Meter | undefined): Timeline {
  const measure = toModelMeasure(meter);
  const sizes = new Map<string, number>();
  for (const { group, values } of report.rows) {
    const model = group.model ?? "";
    if (model !== "") {
      sizes.set(model, (sizes.get(model) ?? 0) + (readMeasure(values, measure) ?? 0));
    }
  }
  const ranked = [...sizes]
    .filter(([, size]) => size > 0)
    .toSorted(([one, size], [other, otherSize]) => otherSize - size || one.localeCompare(other))
    .map(([model]) => model);
  const others = new Set(ranked.slice(TONES.length));
  const toSeries = (
    named: Pick<TimeSeries, "key" | "label" | "tone">,
    isOwn: (model: string) => boolean,
  ): TimeSeries => {
    const own = report.rows.filter(({ group }) => isOwn(group.model ?? ""));
    const models = new Set(own.map(({ group }) => group.model ?? ""));
    const add = (toValues: (model: string) => (number | null)[] | undefined) =>
      [...models].map(toValues).reduce<number[]>(
        (sum, values) => sum.map((value, at) => value + (values?.[at] ?? 0)),
        report.times.map(() => 0),
      );
    return {
      ...named,
      values: add((model) =>
        toMeasureValues(
          report,
          own.filter(({ group }) => group.model === model),
          measure,
          0,
        ),
      ),
      ...(report.previous === null
        ? {}
        : {
            previous: add((model) =>
              toPreviousValues(report, ({ group }) => group.model === model, measure, 0),
            ),
          }),
    };
  };
  const named = ranked.slice(0, TONES.length).map((model, at) =>
    toSeries(
      {
        key: model,
        label: toDimensionName("model", model, new Map()).label,
        tone: TONES[at] ?? "neutral",
      },
      (one) => one === model,
    ),
  );
  const together =
    others.size === 0
      ? []
      : [
          toSeries({ key: "", label: t`${others.size} other models`, tone: "neutral" }, (one) =>
            others.has(one),
          ),
        ];
  return { buckets: toReportBuckets(report), series: [...named, ...together] };
}
