import type { ChartFormats } from "./chart-types.ts";
import { type PlotGeometry, toInstantX } from "./plot-geometry.ts";
import type { TimeTick } from "./time-axis.view-model.ts";
import type { TimeBucket } from "./time-buckets.view-model.ts";
import type { ValueAxis } from "./value-axis.view-model.ts";

export type PlotAxesProps = {
  geometry: PlotGeometry;
  axis: ValueAxis;
  ticks: readonly TimeTick[];
  buckets: readonly TimeBucket[];
  unit: string;
  formats: ChartFormats;
  /** Labels name the middle of a bucket when each bucket has its own day or month, else the edge where it begins. */
  labelsAt: "edge" | "middle";
};

/** Half the widest label, in pixels: what would stick out of the box moves in. */
const LABEL_HALF_PX = 22;

/** Grid, labels and unit of a chart. */
export function PlotAxes(props: PlotAxesProps) {
  const { geometry, axis, formats } = props;
  const rightPx = geometry.leftPx + geometry.widthPx;
  const bottomPx = geometry.topPx + geometry.heightPx;
  return (
    <g className="text-xs">
      <text x={0} y={12} className="fill-ink-faint">
        {props.unit}
      </text>
      {axis.ticks.map((tick) => {
        const y = Math.round(geometry.toY(tick)) + 0.5;
        return (
          <g key={tick}>
            <path
              d={`M${String(geometry.leftPx)} ${String(y)}H${String(rightPx)}`}
              className={tick === 0 ? "stroke-line-control" : "stroke-line"}
            />
            <text
              x={geometry.leftPx - 8}
              y={y}
              dy="0.32em"
              textAnchor="end"
              className="fill-ink-faint tabular-nums"
            >
              {formats.value(tick)}
            </text>
          </g>
        );
      })}
      {props.ticks.map((tick) => {
        const edgeX = toInstantX(geometry, props.buckets, tick.instantMs);
        const x = props.labelsAt === "middle" ? edgeX + geometry.bandPx / 2 : edgeX;
        const textX = Math.min(rightPx + 8 - LABEL_HALF_PX, Math.max(LABEL_HALF_PX, x));
        return (
          <g key={tick.instantMs}>
            <path d={`M${x.toFixed(1)} ${String(bottomPx)}v4`} className="stroke-line-control" />
            <text
              x={textX}
              y={bottomPx + 18}
              textAnchor="middle"
              className={
                tick.unit === "time" ? "fill-ink-faint tabular-nums" : "fill-ink-muted tabular-nums"
              }
            >
              {formats.tick(tick.instantMs, tick.unit)}
            </text>
          </g>
        );
      })}
    </g>
  );
}
