import { Trans } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { joinClasses } from "../join-classes.tsx";
import { ChartLegend } from "./chart-legend.tsx";
import type { TimeChartProps, TimeSeries } from "./chart-types.ts";
import { ChartViewToggle } from "./chart-view-toggle.tsx";
import type { PlotGeometry } from "./plot-geometry.ts";
import type { TimeBucket } from "./time-buckets.view-model.ts";
import { TimePlot } from "./time-plot.tsx";
import { TimeTable } from "./time-table.tsx";
import { useWidth } from "./use-width.tsx";

/** What is drawn at a width. */
export type Drawing = { buckets: readonly TimeBucket[]; series: readonly TimeSeries[] };

/** What makes a chart bars or lines. */
export type ChartKind = {
  order: "stack" | "value";
  isWhole: boolean;
  emptyText: string;
  isEmpty: (series: readonly TimeSeries[]) => boolean;
  findLargest: (series: readonly TimeSeries[]) => number;
  /** What has to be said of the scale, above the plot. */
  renderNote?: (series: readonly TimeSeries[]) => ReactNode;
  /** Fits the data to the width: joins what would be too narrow. */
  fit: (widthPx: number) => Drawing;
  renderMarks: (drawing: Drawing, geometry: PlotGeometry, index: number | undefined) => ReactNode;
};

const HEIGHT_PX = 260;
/** In a narrower chart a note has a line of its own: beside the unit, longer languages would lie over it. */
const NOTE_BESIDE_UNIT_PX = 400;
const NOTE_HEIGHT_PX = 20;

/** Frame of every chart over time: legend, switch to the table, a box of fixed height, and the zone. */
export function TimeChart({ kind, ...props }: TimeChartProps & { kind: ChartKind }) {
  const [ref, widthPx] = useWidth();
  const [hiddenKeys, setHiddenKeys] = useState<ReadonlySet<string>>(new Set());
  const heightPx = props.heightPx ?? HEIGHT_PX;
  const drawing = kind.fit(widthPx);
  const seen = {
    buckets: drawing.buckets,
    series: drawing.series.filter((one) => !hiddenKeys.has(one.key)),
  };
  const note = kind.renderNote?.(seen.series);
  const hasNote = note !== undefined && note !== false;
  const noteHeightPx = hasNote && widthPx < NOTE_BESIDE_UNIT_PX ? NOTE_HEIGHT_PX : 0;
  const first = props.buckets[0];
  const last = props.buckets.at(-1);
  const { formats } = props;

  function toggle(key: string): void {
    const next = new Set(hiddenKeys);
    if (!next.delete(key)) {
      next.add(key);
    }
    setHiddenKeys(next);
  }

  return (
    <figure
      aria-label={props.label}
      className="min-w-0 break-inside-avoid [print-color-adjust:exact]"
    >
      <div className="mb-2 flex min-h-6 items-start justify-between gap-3">
        <ChartLegend
          series={props.series}
          stretches={props.stretches}
          hiddenKeys={hiddenKeys}
          onToggle={toggle}
        />
        <ChartViewToggle label={props.label} view={props.view} onViewChange={props.onViewChange} />
      </div>
      <div ref={ref} className="relative" style={{ height: heightPx }}>
        {props.view === "table" ? (
          <TimeTable
            label={props.label}
            buckets={props.buckets}
            series={props.series}
            stretches={props.stretches}
            timeZone={props.timeZone}
            formats={formats}
            heightPx={heightPx}
          />
        ) : (
          widthPx > 0 && (
            <>
              <div
                className={joinClasses(
                  "pr-2 text-right text-ink-muted text-xs tabular-nums",
                  noteHeightPx === 0 && "absolute top-0 right-0 z-10",
                )}
                style={noteHeightPx === 0 ? undefined : { height: noteHeightPx }}
              >
                {note}
              </div>
              <div className="relative">
                <TimePlot
                  label={props.label}
                  unit={props.unit}
                  buckets={seen.buckets}
                  series={seen.series}
                  stretches={props.stretches}
                  largest={kind.findLargest(seen.series)}
                  isWhole={kind.isWhole}
                  order={kind.order}
                  timeZone={props.timeZone}
                  formats={formats}
                  widthPx={widthPx}
                  heightPx={heightPx - noteHeightPx}
                  emptyText={kind.emptyText}
                  isEmpty={kind.isEmpty(props.series)}
                  onSelectRange={props.onSelectRange}
                  renderMarks={(geometry, index) => kind.renderMarks(seen, geometry, index)}
                />
              </div>
            </>
          )
        )}
      </div>
      <figcaption className="mt-1 flex min-h-[1.125rem] flex-wrap justify-between gap-x-4 text-ink-faint text-xs">
        <span>
          {first !== undefined &&
            last !== undefined &&
            formats.span({ fromMs: first.fromMs, toMs: last.toMs })}
        </span>
        <span>
          <Trans>Times in {props.timeZone}</Trans>
        </span>
      </figcaption>
    </figure>
  );
}
