import type { SeriesTone } from "./chart-types.ts";
import { toLinePath } from "./paths.view-model.ts";
import { findLargest, type LinePoint, toLineRuns } from "./time-lines.view-model.ts";
import { TONE_CLASSES } from "./tone-classes.ts";

export type SparklineProps = {
  /** The trend in words, with the range and the last value: it is all that a screen reader gets. */
  label: string;
  /** In order of time; a null is not known and leaves a gap. */
  values: readonly (number | null)[];
  tone?: SeriesTone;
  widthPx?: number;
  heightPx?: number;
};

const INSET_PX = 2.5;

/** A trend without axes, from 0. Zeros are a line at the bottom; nothing known is nothing drawn. */
export function Sparkline(props: SparklineProps) {
  const { label, values, tone = "accent", widthPx = 96, heightPx = 24 } = props;
  const largest = findLargest([{ key: "", label: "", tone, values }]);
  const stepPx = (widthPx - 2 * INSET_PX) / Math.max(1, values.length - 1);
  const unitPx = (heightPx - 2 * INSET_PX) / (largest === 0 ? 1 : largest);
  const toPlace = ({ index, value }: LinePoint) => ({
    x: INSET_PX + index * stepPx,
    y: heightPx - INSET_PX - value * unitPx,
  });
  const { runs, dots } = toLineRuns(values);
  const { stroke } = TONE_CLASSES[tone];
  return (
    <svg
      role="img"
      aria-label={label}
      width={widthPx}
      height={heightPx}
      viewBox={`0 0 ${String(widthPx)} ${String(heightPx)}`}
      className="block max-w-full overflow-visible [print-color-adjust:exact]"
    >
      <path
        d={runs.map((run) => toLinePath(run.map(toPlace))).join("")}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
        className={stroke}
      />
      {dots.map((dot) => (
        <circle
          key={dot.index}
          cx={toPlace(dot).x}
          cy={toPlace(dot).y}
          r="1.25"
          strokeWidth="1.5"
          className={`fill-surface ${stroke}`}
        />
      ))}
    </svg>
  );
}
