import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ChartFormats, TimeSeries, TimeStretches } from "./chart-types.ts";
import { isMarked } from "./marked-buckets.view-model.ts";
import type { TimeBucket } from "./time-buckets.view-model.ts";

export type TimeTableProps = {
  label: string;
  buckets: readonly TimeBucket[];
  series: readonly TimeSeries[];
  stretches: TimeStretches | undefined;
  timeZone: string;
  formats: ChartFormats;
  heightPx: number;
};

/** The numbers of a chart as a table, in the chart's own box. Scrolls inside it, by keyboard too. */
export function TimeTable(props: TimeTableProps) {
  const { label, buckets, series, stretches, timeZone, formats, heightPx } = props;
  const hasMarks = stretches !== undefined && stretches.spans.length > 0;
  const write = (value: number | null | undefined) =>
    value === null || value === undefined ? (
      <span className="text-ink-faint">
        <Trans>no data</Trans>
      </span>
    ) : (
      formats.exact(value)
    );
  return (
    <section
      // A part that scrolls is reached by the keyboard (WCAG 2.1.1).
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll the table.
      tabIndex={0}
      aria-label={t`${label}, as a table`}
      className="overflow-auto rounded-control border border-line focus-visible:outline-offset-[-2px] print:h-auto! print:overflow-visible"
      style={{ height: heightPx }}
    >
      <table className="w-full border-separate border-spacing-0 whitespace-nowrap text-xs tabular-nums">
        <caption className="sr-only">
          <Trans>
            {label}. Times in {timeZone}.
          </Trans>
        </caption>
        <thead className="text-ink-muted">
          <tr>
            <HeadCell isFirst>
              <Trans>Time ({timeZone})</Trans>
            </HeadCell>
            {series.map((one) => (
              <HeadCell key={one.key}>{one.label}</HeadCell>
            ))}
            {series.map(
              (one) =>
                one.previous !== undefined && (
                  <HeadCell key={one.key}>
                    <Trans>{one.label}, previous</Trans>
                  </HeadCell>
                ),
            )}
            {hasMarks && <HeadCell>{stretches.label}</HeadCell>}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, index) => (
            <tr key={bucket.fromMs} className="hover:bg-hover">
              <th scope="row" className="px-3 py-1 text-left font-normal">
                {formats.bucket(bucket)}
                {bucket.isIncomplete === true && t` · incomplete`}
              </th>
              {series.map((one) => (
                <td key={one.key} className="px-3 py-1 text-right">
                  {write(one.values[index])}
                </td>
              ))}
              {series.map(
                (one) =>
                  one.previous !== undefined && (
                    <td key={one.key} className="px-3 py-1 text-right text-ink-muted">
                      {write(one.previous[index])}
                    </td>
                  ),
              )}
              {hasMarks && (
                <td className="px-3 py-1 text-right">
                  {isMarked(stretches, bucket) ? t`yes` : ""}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function HeadCell({ isFirst = false, children }: { isFirst?: boolean; children: React.ReactNode }) {
  return (
    <th
      scope="col"
      className={`sticky top-0 border-line border-b bg-surface px-3 py-1.5 font-medium ${isFirst ? "text-left" : "text-right"}`}
    >
      {children}
    </th>
  );
}
