import type { TimeChartProps } from "./chart-types.ts";
import type { PlotGeometry } from "./plot-geometry.ts";
import { findLargestSum, sumSeries, toBarLayers } from "./time-bars.view-model.ts";
import {
  BAR_GAP_PX,
  BAR_WIDTH_MIN_PX,
  mergeBuckets,
  pickMergeStep,
  sumMerged,
  type TimeGrain,
} from "./time-buckets.view-model.ts";
import { type ChartKind, type Drawing, TimeChart } from "./time-chart.tsx";
import { TONE_CLASSES } from "./tone-classes.ts";

export type TimeBarsProps = TimeChartProps & {
  /** Width of the given buckets. Those that would be drawn too narrow are joined and added up. */
  grain: TimeGrain;
  /** False when the values have fractions. */
  isWhole?: boolean;
  /** What is said where nothing was counted. */
  emptyText: string;
};

/** Room beside the plot that is not known before it is laid out, in pixels. */
const MARGINS_PX = 60;
/** One bar alone is a bar, not a wall. */
const BAR_WIDTH_MAX_PX = 56;

/** Counts over time as stacked bars. No bar is narrower than 3 px: neighbours are joined instead. */
export function TimeBars({ grain, isWhole = true, emptyText, ...props }: TimeBarsProps) {
  const kind: ChartKind = {
    order: "stack",
    isWhole,
    emptyText,
    isEmpty: (series) => findLargestSum(series.map(({ previous: _, ...one }) => one)) === 0,
    findLargest: findLargestSum,
    fit: (widthPx) => joinForWidth(props, grain, widthPx - MARGINS_PX),
    renderMarks: (drawing, geometry) => <BarMarks drawing={drawing} geometry={geometry} />,
  };
  return <TimeChart {...props} kind={kind} />;
}

function joinForWidth(props: TimeChartProps, grain: TimeGrain, widthPx: number): Drawing {
  const { buckets, series, timeZone } = props;
  const step = pickMergeStep(grain, buckets.length, widthPx);
  const merged = mergeBuckets({ buckets, grain, step, timeZone });
  return {
    buckets: merged,
    series: series.map((one) => ({
      ...one,
      values: sumMerged(merged, one.values),
      ...(one.previous === undefined ? {} : { previous: sumMerged(merged, one.previous) }),
    })),
  };
}

function BarMarks({ drawing, geometry }: { drawing: Drawing; geometry: PlotGeometry }) {
  const max = toMax(geometry);
  const layers = toBarLayers(drawing.series, { max, heightPx: geometry.heightPx });
  const widthPx = Math.min(
    BAR_WIDTH_MAX_PX,
    Math.max(BAR_WIDTH_MIN_PX, geometry.bandPx - Math.max(BAR_GAP_PX, geometry.bandPx * 0.18)),
  );
  const before = drawing.series.flatMap((one) =>
    one.previous === undefined ? [] : [one.previous],
  );
  return (
    <>
      {layers.flatMap((layer, order) => {
        const tone = drawing.series[order]?.tone ?? "neutral";
        const isLight = (part: { index: number }) =>
          drawing.buckets[part.index]?.isIncomplete === true;
        return [false, true].map((light) => {
          const d = layer.parts
            .filter((part) => isLight(part) === light)
            .map((part) => {
              const x = geometry.toX(part.index) - widthPx / 2;
              const y = geometry.topPx + part.topPx;
              return `M${x.toFixed(2)} ${y.toFixed(2)}h${widthPx.toFixed(2)}v${part.heightPx.toFixed(2)}h${(-widthPx).toFixed(2)}z`;
            })
            .join("");
          return d === "" ? null : (
            <path
              key={`${layer.key} ${String(light)}`}
              d={d}
              {...(light && { opacity: 0.45 })}
              className={TONE_CLASSES[tone].fill}
            />
          );
        });
      })}
      <AccentCaps drawing={drawing} layers={layers} geometry={geometry} widthPx={widthPx} />
      {before.length > 0 && (
        <path
          d={toSteps(sumSeries(before), geometry)}
          fill="none"
          strokeWidth="1.5"
          strokeDasharray="4 3"
          className="stroke-ink-muted"
        />
      )}
    </>
  );
}

/** The accent is too light for a light ground: an edge on top gives it the contrast that WCAG 1.4.11 asks. */
function AccentCaps(props: {
  drawing: Drawing;
  layers: ReturnType<typeof toBarLayers>;
  geometry: PlotGeometry;
  widthPx: number;
}) {
  const { geometry, widthPx } = props;
  const d = props.layers
    .filter((_, order) => props.drawing.series[order]?.tone === "accent")
    .flatMap((layer) => layer.parts)
    .map((part) => {
      const x = geometry.toX(part.index) - widthPx / 2;
      const y = geometry.topPx + part.topPx + 0.75;
      return `M${x.toFixed(2)} ${y.toFixed(2)}h${widthPx.toFixed(2)}`;
    })
    .join("");
  return <path d={d} fill="none" strokeWidth="1.5" className="stroke-chart-accent" />;
}

/** The value at the top of the plot, read back from its scale. */
function toMax(geometry: PlotGeometry): number {
  const perUnit = geometry.toY(0) - geometry.toY(1);
  return perUnit === 0 ? 1 : geometry.heightPx / perUnit;
}

/** A level line for each bucket, joined where neighbours are known: one bucket alone is seen too. */
function toSteps(values: readonly (number | null)[], geometry: PlotGeometry): string {
  let isOpen = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isOpen = false;
        return "";
      }
      const fromX = geometry.toX(index) - geometry.bandPx / 2;
      const y = geometry.toY(value).toFixed(2);
      const start = isOpen ? `V${y}` : `M${fromX.toFixed(2)} ${y}`;
      isOpen = true;
      return `${start}H${(fromX + geometry.bandPx).toFixed(2)}`;
    })
    .join("");
}
