import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import {
  type MigrationReport,
  migrationQueries,
  type PreviewInput,
  ROWS_SHOWN,
} from "./migration.queries.ts";
import { describeRest, describeTotals, toRowView } from "./migration.view-model.ts";

/** What each subscriber of a plan would pay in another version, by what their last period really used. */
export function MigrationPreview(input: PreviewInput) {
  const preview = useQuery(migrationQueries.preview(usePlatform(), input));
  if (preview.data !== undefined) {
    return <Report report={preview.data} />;
  }
  return preview.isError ? (
    <FailureNotice
      what={t`What it means for subscribers could not be computed.`}
      cause={preview.error}
      onRetry={() => void preview.refetch()}
    />
  ) : (
    <div role="status" aria-label={t`Loading what it means for subscribers`} className="space-y-2">
      <Skeleton className="h-5 w-2/3" />
      <Skeleton className="h-20 w-full" />
    </div>
  );
}

function Report({ report }: { report: MigrationReport }) {
  const { rows, totals } = report;
  if (totals.subscribers === 0) {
    return (
      <p className="text-ink-muted">
        <Trans>There are none.</Trans>
      </p>
    );
  }
  return (
    <div className="space-y-3 tabular-nums">
      <ul className="space-y-1">
        {totals.currencies.map((each) => (
          <li key={each.currency}>{describeTotals(each)}</li>
        ))}
        {describeRest(totals).map((text) => (
          <li key={text} className="text-ink-muted">
            {text}
          </li>
        ))}
      </ul>
      <section
        aria-label={t`Subscribers and what they would pay`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard
        tabIndex={0}
        className="max-h-64 overflow-auto rounded-control border border-line"
      >
        <table
          aria-label={t`What each subscriber would pay`}
          className="w-full border-collapse text-left"
        >
          <thead className="text-ink-muted text-xs">
            <tr>
              <th scope="col" className="px-3 py-2 font-medium">
                <Trans>Subscriber</Trans>
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium max-sm:hidden">
                <Trans>Paid</Trans>
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium">
                <Trans>Would pay</Trans>
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium">
                <Trans>Difference</Trans>
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line border-line border-t">
            {rows.map(toRowView).map((row) => (
              <tr key={row.key} className="align-top">
                <td className="min-w-0 px-3 py-2 [overflow-wrap:anywhere]">
                  {row.name}
                  <span className="block text-ink-muted text-xs">
                    <Trans>
                      Version {row.version}
                      {row.note !== undefined && `. ${row.note}`}
                    </Trans>
                  </span>
                </td>
                <td className="px-3 py-2 text-right text-ink-muted max-sm:hidden">{row.before}</td>
                <td className="px-3 py-2 text-right">{row.after}</td>
                <td className="px-3 py-2 text-right font-medium">{row.difference}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="text-ink-muted text-xs">
        <Trans>
          By what the last whole period of each really used, with add-ons, coupons and promotional
          credit as they are now, before tax.
          {totals.subscribers > ROWS_SHOWN &&
            t` The first ${formatCount(ROWS_SHOWN)} of ${formatCount(totals.subscribers)} are listed; the sums are of all.`}
        </Trans>
      </p>
    </div>
  );
}
