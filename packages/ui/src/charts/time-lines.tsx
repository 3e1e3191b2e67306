import { line } from "d3-shape";
import type { TimeChartProps, TimeSeries } from "./chart-types.ts";
import type { PlotGeometry } from "./plot-geometry.ts";
import { type ChartKind, type Drawing, TimeChart } from "./time-chart.tsx";
import { findLargest, type LinePoint, toLineRuns } from "./time-lines.view-model.ts";
import { TONE_CLASSES } from "./tone-classes.ts";

export type TimeLinesProps = TimeChartProps & {
  /** What is said where nothing was measured. */
  emptyText: string;
};

/** Measures over time as lines. Where nothing is known a line ends; it is never joined and never zero. */
export function TimeLines({ emptyText, ...props }: TimeLinesProps) {
  const kind: ChartKind = {
    order: "value",
    isWhole: false,
    emptyText,
    isEmpty: (series) => series.every((one) => one.values.every((value) => value === null)),
    findLargest,
    fit: () => ({ buckets: props.buckets, series: props.series }),
    renderMarks: (drawing, geometry, index) => (
      <LineMarks drawing={drawing} geometry={geometry} index={index} />
    ),
  };
  return <TimeChart {...props} kind={kind} />;
}

type LineMarksProps = { drawing: Drawing; geometry: PlotGeometry; index: number | undefined };

function LineMarks({ drawing, geometry, index }: LineMarksProps) {
  return (
    <>
      {drawing.series.map(
        (one) =>
          one.previous !== undefined && (
            <Line key={one.key} one={one} values={one.previous} geometry={geometry} isPrevious />
          ),
      )}
      {drawing.series.map((one) => (
        <Line key={one.key} one={one} values={one.values} geometry={geometry} />
      ))}
      {index !== undefined &&
        drawing.series.map((one) => {
          const value = one.values[index] ?? null;
          return (
            value !== null && (
              <circle
                key={one.key}
                cx={geometry.toX(index)}
                cy={geometry.toY(value)}
                r="3.5"
                strokeWidth="2"
                className={`fill-surface ${TONE_CLASSES[one.tone].stroke}`}
              />
            )
          );
        })}
    </>
  );
}

type LineProps = {
  one: TimeSeries;
  values: readonly (number | null)[];
  geometry: PlotGeometry;
  isPrevious?: boolean;
};

function Line({ one, values, geometry, isPrevious = false }: LineProps) {
  const { runs, dots } = toLineRuns(values);
  const draw = line<LinePoint>()
    .x((point) => geometry.toX(point.index))
    .y((point) => geometry.toY(point.value));
  const { fill, stroke } = TONE_CLASSES[one.tone];
  return (
    <g opacity={isPrevious ? 0.6 : 1}>
      <path
        d={runs.map((run) => draw(run) ?? "").join("")}
        fill="none"
        strokeWidth={isPrevious ? 1.25 : 1.75}
        strokeDasharray={isPrevious ? "4 3" : undefined}
        strokeLinejoin="round"
        strokeLinecap={isPrevious ? "butt" : "round"}
        className={stroke}
      />
      {dots.map((dot) => (
        <circle
          key={dot.index}
          cx={geometry.toX(dot.index)}
          cy={geometry.toY(dot.value)}
          r="2"
          strokeWidth="1.5"
          className={isPrevious ? `fill-surface ${stroke}` : `${fill} ${stroke}`}
        />
      ))}
    </g>
  );
}
