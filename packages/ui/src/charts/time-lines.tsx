import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { TimeChartProps, TimeSeries } from "./chart-types.ts";
import { toAreaPath, toLinePath } from "./paths.view-model.ts";
import type { PlotGeometry } from "./plot-geometry.ts";
import { type ChartKind, type Drawing, TimeChart } from "./time-chart.tsx";
import {
  findLargest,
  findPeakCut,
  type LinePoint,
  type PeakCut,
  toLineRuns,
} from "./time-lines.view-model.ts";
import { TONE_CLASSES } from "./tone-classes.ts";

export type TimeLinesProps = TimeChartProps & {
  /** What is said where nothing was measured. */
  emptyText: string;
  /** Leaves rare peaks out of the scale, and says so: they would press everything else to the bottom. */
  cutsPeaks?: boolean;
};

/** Measures over time as lines. Where nothing is known a line ends; it is never joined and never zero. */
export function TimeLines({ emptyText, cutsPeaks = false, ...props }: TimeLinesProps) {
  const [isWhole, setIsWhole] = useState(false);
  const kind: ChartKind = {
    order: "value",
    isWhole: false,
    emptyText,
    isEmpty: (series) => series.every((one) => one.values.every((value) => value === null)),
    findLargest: (series) =>
      (cutsPeaks && !isWhole ? findPeakCut(series)?.top : undefined) ?? findLargest(series),
    renderNote: (series) => {
      const cut = cutsPeaks ? findPeakCut(series) : undefined;
      return (
        cut !== undefined && (
          <PeakNote
            cut={cut}
            isWhole={isWhole}
            format={props.formats.exact}
            onChange={setIsWhole}
          />
        )
      );
    },
    fit: () => ({ buckets: props.buckets, series: props.series }),
    renderMarks: (drawing, geometry, index) => (
      <LineMarks drawing={drawing} geometry={geometry} index={index} />
    ),
  };
  return <TimeChart {...props} kind={kind} />;
}

type PeakNoteProps = {
  cut: PeakCut;
  isWhole: boolean;
  format: (value: number) => string;
  onChange: (isWhole: boolean) => void;
};

/** What the scale leaves out, and the way to see it. */
function PeakNote({ cut, isWhole, format, onChange }: PeakNoteProps) {
  return (
    <p>
      {!isWhole && (
        <>
          <Trans>Peaks up to {format(cut.largest)} cut off</Trans>{" "}
        </>
      )}
      <button
        type="button"
        aria-label={isWhole ? t`Cut peaks off` : t`Show peaks in full`}
        onClick={() => onChange(!isWhole)}
        className="cursor-pointer rounded-sm font-medium text-ink underline underline-offset-4"
      >
        {isWhole ? t`Cut peaks off` : t`Show`}
      </button>
    </p>
  );
}

type LineMarksProps = { drawing: Drawing; geometry: PlotGeometry; index: number | undefined };

function LineMarks({ drawing, geometry, index }: LineMarksProps) {
  const clipId = useId();
  return (
    <>
      <clipPath id={clipId}>
        <rect
          x={geometry.leftPx}
          // Half a line is above the top of the scale.
          y={geometry.topPx - 2}
          width={geometry.widthPx}
          height={geometry.heightPx + 4}
        />
      </clipPath>
      <g clipPath={`url(#${clipId})`}>
        {drawing.series.map(
          (one) =>
            one.downTo !== undefined && (
              <Area key={one.key} one={one} downTo={one.downTo} geometry={geometry} />
            ),
        )}
        {drawing.series.map(
          (one) =>
            one.previous !== undefined && (
              <Line key={one.key} one={one} values={one.previous} geometry={geometry} isPrevious />
            ),
        )}
        {drawing.series.map((one) => (
          <Line key={one.key} one={one} values={one.values} geometry={geometry} />
        ))}
      </g>
      {drawing.series.map((one) => (
        <CutMarks key={one.key} one={one} geometry={geometry} />
      ))}
      {index !== undefined &&
        drawing.series.map((one) => {
          if (one.look === "level") {
            return null;
          }
          const value = one.values[index] ?? null;
          return (
            value !== null &&
            !isCut(value, geometry) && (
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

function isCut(value: number, geometry: PlotGeometry): boolean {
  return geometry.toY(value) < geometry.topPx - 1;
}

/** Arrows at the top where a line goes on above the scale. */
function CutMarks({ one, geometry }: { one: TimeSeries; geometry: PlotGeometry }) {
  const places = one.values.flatMap((value, index) =>
    value !== null && isCut(value, geometry) ? [geometry.toX(index)] : [],
  );
  return places.map((x) => (
    <path
      key={x}
      d={`M${x.toFixed(1)} ${String(geometry.topPx - 7)}l5 7h-10z`}
      strokeWidth="1"
      className={`${TONE_CLASSES[one.tone].fill} stroke-surface`}
    />
  ));
}

type AreaProps = {
  one: TimeSeries;
  downTo: readonly (number | null)[];
  geometry: PlotGeometry;
};

/** The tint between an upper edge and a lower one. */
function Area({ one, downTo, geometry }: AreaProps) {
  const { runs } = toLineRuns(
    one.values.map((value, index) => ((downTo[index] ?? null) === null ? null : value)),
  );
  const toPlace = (index: number, value: number) => ({
    x: geometry.toX(index),
    y: geometry.toY(value),
  });
  const draw = (run: readonly LinePoint[]) =>
    toAreaPath(
      run.map(({ index, value }) => toPlace(index, value)),
      run.map(({ index, value }) => toPlace(index, downTo[index] ?? value)),
    );
  return (
    <path d={runs.map(draw).join("")} opacity="0.14" className={TONE_CLASSES[one.tone].fill} />
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
  const draw = (run: readonly LinePoint[]) =>
    toLinePath(run.map(({ index, value }) => ({ x: geometry.toX(index), y: geometry.toY(value) })));
  const { fill, stroke } = TONE_CLASSES[one.tone];
  const isLevel = one.look === "level";
  return (
    <g opacity={isPrevious ? 0.6 : 1}>
      <path
        d={runs.map(draw).join("")}
        fill="none"
        strokeWidth={isPrevious || isLevel ? 1.25 : 1.75}
        strokeDasharray={isLevel ? "6 4" : isPrevious ? "4 3" : undefined}
        strokeLinejoin="round"
        strokeLinecap={isPrevious || isLevel ? "butt" : "round"}
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
