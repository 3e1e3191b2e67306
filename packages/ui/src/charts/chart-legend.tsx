import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { joinClasses } from "../join-classes.tsx";
import type { TimeSeries, TimeStretches } from "./chart-types.ts";
import { TONE_CLASSES } from "./tone-classes.ts";

export type ChartLegendProps = {
  series: readonly TimeSeries[];
  stretches: TimeStretches | undefined;
  hiddenKeys: ReadonlySet<string>;
  onToggle: (key: string) => void;
};

/** Which colour is which. Each entry is a button that takes its series out of the chart and brings it back. */
export function ChartLegend({ series, stretches, hiddenKeys, onToggle }: ChartLegendProps) {
  const isCompared = series.some((one) => one.previous !== undefined);
  return (
    // Many series scroll in two lines, in three on a phone: a legend that grows would push the chart down.
    <ul
      aria-label={t`Legend`}
      className="-mx-1.5 flex max-h-14 max-sm:max-h-20 min-w-0 grow flex-wrap items-center gap-y-0.5 overflow-y-auto text-xs"
    >
      {series.map((one) => {
        const isHidden = hiddenKeys.has(one.key);
        return (
          <li key={one.key} className="max-w-full">
            <button
              type="button"
              aria-pressed={!isHidden}
              onClick={() => onToggle(one.key)}
              className="flex h-6 max-w-full cursor-pointer items-center gap-1.5 rounded px-1.5 text-ink-muted hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px]"
            >
              <span
                aria-hidden="true"
                className={joinClasses(
                  "shrink-0 rounded-[3px] border forced-color-adjust-none [print-color-adjust:exact]",
                  one.look === "level" ? "h-1 w-2.5" : "size-2.5",
                  isHidden ? "border-line-control" : TONE_CLASSES[one.tone].swatch,
                )}
              />
              <span className={joinClasses("truncate", isHidden && "line-through")}>
                {one.label}
              </span>
            </button>
          </li>
        );
      })}
      {stretches !== undefined && stretches.spans.length > 0 && (
        <li className="flex h-6 items-center gap-1.5 px-1.5 text-ink-muted">
          <span
            aria-hidden="true"
            className={joinClasses(
              "h-3.5 w-2.5 rounded-[2px] border opacity-50 forced-color-adjust-none [print-color-adjust:exact]",
              TONE_CLASSES[stretches.tone].swatch,
            )}
          />
          {stretches.label}
        </li>
      )}
      {isCompared && (
        <li className="flex h-6 items-center gap-1.5 px-1.5 text-ink-muted">
          <svg width="16" height="2" aria-hidden="true">
            <path d="M0 1h16" strokeWidth="2" strokeDasharray="3 2" className="stroke-ink-muted" />
          </svg>
          <Trans>Previous period</Trans>
        </li>
      )}
    </ul>
  );
}
