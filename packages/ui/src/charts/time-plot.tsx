import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, useId, useMemo } from "react";
import { joinClasses } from "../join-classes.tsx";
import { ChartReadout } from "./chart-readout.tsx";
import type { ChartFormats, TimeSeries, TimeStretches } from "./chart-types.ts";
import { isMarked } from "./marked-buckets.view-model.ts";
import { PlotAxes } from "./plot-axes.tsx";
import { layOutPlot, type PlotGeometry, toInstantX } from "./plot-geometry.ts";
import { type Total, toReadout, toTotal } from "./readout.view-model.ts";
import { listTimeTicks } from "./time-axis.view-model.ts";
import type { TimeBucket } from "./time-buckets.view-model.ts";
import { TONE_CLASSES } from "./tone-classes.ts";
import { useChartCursor } from "./use-chart-cursor.ts";
import { toValueAxis } from "./value-axis.view-model.ts";

export type TimePlotProps = {
  label: string;
  unit: string;
  buckets: readonly TimeBucket[];
  /** Only what is drawn. */
  series: readonly TimeSeries[];
  stretches: TimeStretches | undefined;
  largest: number;
  isWhole: boolean;
  /** Bars are stacked and have a sum; lines are ordered by value. */
  order: "stack" | "value";
  timeZone: string;
  formats: ChartFormats;
  widthPx: number;
  heightPx: number;
  emptyText: string;
  isEmpty: boolean;
  onSelectRange: ((fromMs: number, toMs: number) => void) | undefined;
  renderMarks: (geometry: PlotGeometry, index: number | undefined) => ReactNode;
};

/** A label and the room around it, in pixels. */
const TIME_LABEL_PX = 64;
const VALUE_LABEL_PX = 44;
/** A day on which the clocks go forward. */
const SHORTEST_DAY_MS = 23 * 3_600_000;

/** Axes, marks, crosshair and brush of a chart over time, at a known width. */
export function TimePlot(props: TimePlotProps) {
  const { buckets, formats, widthPx, heightPx, series } = props;
  const hintId = useId();
  const axis = toValueAxis({
    largest: props.largest,
    isWhole: props.isWhole,
    tickCount: Math.max(2, Math.floor(heightPx / VALUE_LABEL_PX)),
  });
  const longestLabel = Math.max(...axis.ticks.map((tick) => formats.value(tick).length));
  const geometry = layOutPlot({
    widthPx,
    heightPx,
    longestLabel,
    bucketCount: buckets.length,
    axis,
  });
  const { timeZone } = props;
  const labelsMax = Math.floor(geometry.widthPx / TIME_LABEL_PX);
  // The crosshair draws the plot anew for every bucket it passes, and calendars are slow.
  const ticks = useMemo(
    () => listTimeTicks({ buckets, timeZone, labelsMax }),
    [buckets, timeZone, labelsMax],
  );
  const { cursor, isByKeys, handlers } = useChartCursor({
    bucketCount: buckets.length,
    onSelect:
      props.onSelectRange === undefined
        ? undefined
        : (fromIndex, toIndex) => {
            const from = buckets[fromIndex];
            const to = buckets[toIndex];
            if (from !== undefined && to !== undefined) {
              props.onSelectRange?.(from.fromMs, to.toMs);
            }
          },
  });
  const bucket = cursor.index === undefined ? undefined : buckets[cursor.index];
  const selection = toSelection(cursor, buckets);
  const { stretches } = props;
  const title =
    bucket === undefined
      ? ""
      : [
          formats.bucket(bucket),
          ...(bucket.isIncomplete === true ? ["incomplete"] : []),
          ...(isMarked(stretches, bucket) ? [stretches?.label ?? ""] : []),
        ].join(" · ");
  const canSelect = props.onSelectRange !== undefined;
  const total =
    props.order === "stack" && series.length > 1 && cursor.index !== undefined
      ? toTotal(series, cursor.index)
      : undefined;
  const selected = selection === undefined ? "" : t`Selected: ${formats.span(selection)}. `;
  const way = isByKeys ? t`Enter zooms in.` : selected === "" ? t`Click or drag to zoom in.` : "";

  return (
    <>
      <svg width={widthPx} height={heightPx} aria-hidden="true" className="block">
        <PlotAxes
          geometry={geometry}
          axis={axis}
          ticks={ticks}
          buckets={buckets}
          unit={props.unit}
          formats={formats}
          labelsAt={isOneLabelABucket(buckets, ticks) ? "middle" : "edge"}
        />
        <Incomplete geometry={geometry} buckets={buckets} id={`${hintId}-incomplete`} />
        {stretches !== undefined && (
          <Stretches stretches={stretches} geometry={geometry} buckets={buckets} />
        )}
        {cursor.index !== undefined && (
          <Crosshair geometry={geometry} index={cursor.index} anchor={cursor.anchor} />
        )}
        {props.renderMarks(geometry, cursor.index)}
      </svg>
      {props.isEmpty && (
        <p className="pointer-events-none absolute inset-x-0 top-1/2 -translate-y-1/2 px-8 text-center text-ink-muted">
          {props.emptyText}
        </p>
      )}
      <div
        role="application"
        aria-roledescription={t`chart`}
        aria-label={t`${props.label}, ${String(buckets.length)} points`}
        aria-describedby={hintId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: role application is operated by keys.
        tabIndex={0}
        {...handlers}
        className={joinClasses("absolute touch-pan-y rounded-sm", canSelect && "cursor-crosshair")}
        style={{
          left: geometry.leftPx,
          top: geometry.topPx,
          width: geometry.widthPx,
          height: geometry.heightPx,
        }}
      />
      <p id={hintId} className="sr-only">
        <Trans>
          Arrow keys, Home and End move through the chart.
          {canSelect && t` Shift with an arrow key selects a range, Enter zooms into it.`}
        </Trans>
      </p>
      <p role="status" className="sr-only">
        {isByKeys && cursor.index !== undefined
          ? selected + toSpeech({ title, series, index: cursor.index, total, formats })
          : ""}
      </p>
      {bucket !== undefined && cursor.index !== undefined && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute z-10 max-w-[70%] print:hidden"
          style={toReadoutPlace(geometry, cursor.index, widthPx)}
        >
          <ChartReadout
            title={title}
            readout={toReadout(series, cursor.index, props.order)}
            total={total}
            previousTitle={bucket.previous && formats.bucket(bucket.previous)}
            formats={formats}
            hint={canSelect ? selected + way : undefined}
          />
        </div>
      )}
    </>
  );
}

type IncompleteProps = { geometry: PlotGeometry; buckets: readonly TimeBucket[]; id: string };

/** Hatches the bands of buckets that hold less than a whole one: their values are lower for that alone. */
function Incomplete({ geometry, buckets, id }: IncompleteProps) {
  const bands = buckets.flatMap((bucket, index) => (bucket.isIncomplete === true ? [index] : []));
  if (bands.length === 0) {
    return null;
  }
  return (
    <>
      <defs>
        <pattern
          id={id}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <path d="M0 0v6" className="stroke-line" />
        </pattern>
      </defs>
      {bands.map((index) => (
        <rect
          key={index}
          x={geometry.leftPx + index * geometry.bandPx}
          y={geometry.topPx}
          width={geometry.bandPx}
          height={geometry.heightPx}
          fill={`url(#${id})`}
        />
      ))}
    </>
  );
}

/** Narrower ones could not be seen, in pixels. */
const STRETCH_MIN_PX = 3;

type StretchesProps = {
  stretches: TimeStretches;
  geometry: PlotGeometry;
  buckets: readonly TimeBucket[];
};

function Stretches({ stretches, geometry, buckets }: StretchesProps) {
  const first = buckets[0];
  const last = buckets.at(-1);
  if (first === undefined || last === undefined) {
    return null;
  }
  const spans = stretches.spans.filter(
    ({ fromMs, toMs }) => fromMs < last.toMs && toMs > first.fromMs,
  );
  return spans.map(({ fromMs, toMs }) => {
    const x = toInstantX(geometry, buckets, fromMs);
    const widthPx = toInstantX(geometry, buckets, toMs) - x;
    return (
      <rect
        key={fromMs}
        x={x}
        y={geometry.topPx}
        width={Math.max(STRETCH_MIN_PX, widthPx)}
        height={geometry.heightPx}
        opacity="0.16"
        className={TONE_CLASSES[stretches.tone].fill}
      />
    );
  });
}

type CrosshairProps = { geometry: PlotGeometry; index: number; anchor: number | undefined };

/** The bucket under the pointer as a band, or the band of all that are selected. */
function Crosshair({ geometry, index, anchor }: CrosshairProps) {
  const first = Math.min(index, anchor ?? index);
  const last = Math.max(index, anchor ?? index);
  const x = geometry.leftPx + first * geometry.bandPx;
  const middleX = geometry.toX(index);
  return (
    <>
      <rect
        x={x}
        y={geometry.topPx}
        width={(last - first + 1) * geometry.bandPx}
        height={geometry.heightPx}
        className={anchor === undefined ? "fill-hover" : "fill-accent/25"}
      />
      <path
        d={`M${middleX.toFixed(1)} ${String(geometry.topPx)}v${String(geometry.heightPx)}`}
        strokeDasharray="2 2"
        className="stroke-line-control"
      />
    </>
  );
}

function toSelection(
  cursor: { index: number | undefined; anchor: number | undefined },
  buckets: readonly TimeBucket[],
): TimeBucket | undefined {
  if (cursor.index === undefined || cursor.anchor === undefined) {
    return undefined;
  }
  const from = buckets[Math.min(cursor.index, cursor.anchor)];
  const to = buckets[Math.max(cursor.index, cursor.anchor)];
  return from === undefined || to === undefined
    ? undefined
    : { fromMs: from.fromMs, toMs: to.toMs };
}

/** Beside the crosshair, on the side with more room. */
function toReadoutPlace(geometry: PlotGeometry, index: number, widthPx: number) {
  const x = geometry.toX(index);
  const gapPx = geometry.bandPx / 2 + 8;
  return x > widthPx / 2
    ? { top: geometry.topPx, right: widthPx - x + gapPx }
    : { top: geometry.topPx, left: x + gapPx };
}

/** True when every bucket that is labelled is a day, a month or a year of its own. */
function isOneLabelABucket(
  buckets: readonly TimeBucket[],
  ticks: readonly { unit: string }[],
): boolean {
  const longestMs = Math.max(0, ...buckets.map((bucket) => bucket.toMs - bucket.fromMs));
  return longestMs >= SHORTEST_DAY_MS && ticks.every((tick) => tick.unit !== "time");
}

function toSpeech(options: {
  title: string;
  series: readonly TimeSeries[];
  index: number;
  total: Total | undefined;
  formats: ChartFormats;
}): string {
  const { rows, moreCount } = toReadout(options.series, options.index, "value");
  const write = (value: number | null) =>
    value === null ? t`no data` : options.formats.exact(value);
  const parts = rows.map(
    ({ series, value, previous }) =>
      t`${series.label} ${write(value)}${previous === undefined ? "" : t`, before ${write(previous)}`}`,
  );
  const total = options.total === undefined ? [] : [t`Total ${write(options.total.value)}`];
  const more = moreCount === 0 ? [] : [t`and ${String(moreCount)} more`];
  return [options.title, ...total, ...parts, ...more].join("; ");
}
