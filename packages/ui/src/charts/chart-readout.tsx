import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { joinClasses } from "../join-classes.tsx";
import type { ChartFormats } from "./chart-types.ts";
import type { Readout, Total } from "./readout.view-model.ts";
import { TONE_CLASSES } from "./tone-classes.ts";

export type ChartReadoutProps = {
  title: string;
  readout: Readout;
  /** Sum of the stacked series; undefined when a sum means nothing. */
  total: Total | undefined;
  /** When what it is compared with was; undefined when that is not known. */
  previousTitle: string | undefined;
  formats: ChartFormats;
  /** What a click or Enter does here. */
  hint: string | undefined;
};

/** All series at the crosshair. Only for the eye: a live region says the same. */
export function ChartReadout(props: ChartReadoutProps) {
  const { title, readout, total, previousTitle, formats, hint } = props;
  const isCompared = readout.rows.some((row) => row.previous !== undefined);
  const write = (value: number | null | undefined) =>
    value === null || value === undefined ? t`no data` : formats.exact(value);
  return (
    <div className="rounded-control border border-line bg-surface p-2.5 text-xs shadow-float">
      <p className="mb-1.5 whitespace-nowrap font-medium">{title}</p>
      <table className="w-full tabular-nums">
        {isCompared && (
          <thead className="text-ink-faint">
            <tr>
              <td />
              <td className="pl-3 text-right">
                <Trans>Now</Trans>
              </td>
              <td className="pl-3 text-right">
                <Trans>Previous</Trans>
              </td>
            </tr>
          </thead>
        )}
        <tbody>
          {readout.rows.map(({ series, value, previous }) => (
            <tr key={series.key}>
              <td className="max-w-40 truncate py-px text-ink-muted">
                <span
                  className={joinClasses(
                    "mr-1.5 inline-block size-2 rounded-[2px] border",
                    TONE_CLASSES[series.tone].swatch,
                  )}
                />
                {series.label}
              </td>
              <td className="whitespace-nowrap pl-3 text-right">{write(value)}</td>
              {isCompared && (
                <td className="whitespace-nowrap pl-3 text-right text-ink-muted">
                  {write(previous)}
                </td>
              )}
            </tr>
          ))}
          {total !== undefined && (
            <tr className="font-medium">
              <td className="pt-1">
                <Trans>Total</Trans>
              </td>
              <td className="whitespace-nowrap pt-1 pl-3 text-right">{write(total.value)}</td>
              {isCompared && (
                <td className="whitespace-nowrap pt-1 pl-3 text-right text-ink-muted">
                  {write(total.previous)}
                </td>
              )}
            </tr>
          )}
        </tbody>
      </table>
      {isCompared && previousTitle !== undefined && (
        <p className="mt-1 whitespace-nowrap text-ink-muted">
          <Trans>Previous: {previousTitle}</Trans>
        </p>
      )}
      {readout.moreCount > 0 && (
        <p className="mt-1 text-ink-faint">
          <Trans>and {readout.moreCount} more in the table</Trans>
        </p>
      )}
      {hint !== undefined && <p className="mt-1.5 text-ink-faint">{hint}</p>}
    </div>
  );
}
