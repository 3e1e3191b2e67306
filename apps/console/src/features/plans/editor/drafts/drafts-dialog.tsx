import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import {
  describeRest,
  describeTotals,
  formatDifference,
} from "../migration/migration.view-model.ts";
import { draftsReportQuery } from "./drafts.queries.ts";
import {
  type DraftsReport,
  LISTED_MAX,
  listTotals,
  type Priced,
} from "./drafts-report.view-model.ts";

/** What all drafts together would mean for every subscriber: revenue, and who pays most more and less. */
export function DraftsDialog({ onClose }: { onClose: () => void }) {
  const report = useQuery(draftsReportQuery(usePlatform()));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="wide"
      title={t`What all drafts would change`}
      description={t`If every draft were published and every subscriber of its plan moved to it.`}
    >
      {report.data !== undefined ? (
        <Report report={report.data} />
      ) : report.isError ? (
        <FailureNotice
          what={t`What the drafts mean could not be computed.`}
          cause={report.error}
          onRetry={() => void report.refetch()}
        />
      ) : (
        <div role="status" aria-label={t`Loading what the drafts mean`} className="space-y-2">
          <Skeleton className="h-5 w-2/3" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
    </Dialog>
  );
}

function Report({ report }: { report: DraftsReport }) {
  const totals = listTotals(report);
  return (
    <div className="space-y-5 tabular-nums">
      {report.subscribers === 0 && (
        <p className="text-ink-muted">
          <Trans>The plans with drafts have no subscribers.</Trans>
        </p>
      )}
      <ul className="space-y-1 empty:hidden">
        {report.faults.map(({ planName, fault }) => (
          <li key={planName} className="text-danger">
            <Trans>
              {planName} is left out: {fault}
            </Trans>
          </li>
        ))}
        {describeRest(report).map((text) => (
          <li key={text} className="text-ink-muted">
            {text}
          </li>
        ))}
      </ul>
      {totals.map((sum) => (
        <section key={sum.currency} aria-label={t`In ${sum.currency}`} className="space-y-3">
          <p>{describeTotals(sum)}</p>
          <Changes title={t`Would pay more`} rows={sum.losers} count={sum.more} />
          <Changes title={t`Would pay less`} rows={sum.winners} count={sum.less} />
        </section>
      ))}
      {totals.length > 0 && (
        <p className="text-ink-muted text-xs">
          <Trans>
            By what the last whole period of each really used, with add-ons, coupons and promotional
            credit as they are now, before tax.
          </Trans>
        </p>
      )}
    </div>
  );
}

function Changes({
  title,
  rows,
  count,
}: {
  title: string;
  rows: readonly Priced[];
  count: number;
}) {
  if (count === 0) {
    return null;
  }
  return (
    <div>
      <h3 className="mb-1 font-medium">{title}</h3>
      <ul className="divide-y divide-line border-line border-y">
        {rows.map((row) => (
          <li key={row.tenantId} className="flex justify-between gap-4 py-2">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {row.tenantName}
              <span className="block text-ink-muted text-xs">
                <Trans>
                  {row.planName}, version {row.planVersion}
                </Trans>
              </span>
            </span>
            <span className="shrink-0 text-right">
              <span className="font-medium">{formatDifference(row.difference, row.currency)}</span>
              <span className="block text-ink-muted text-xs">
                <Trans>
                  {formatMoney(row.after, row.currency)} instead of{" "}
                  {formatMoney(row.before, row.currency)}
                </Trans>
              </span>
            </span>
          </li>
        ))}
      </ul>
      {count > rows.length && (
        <p className="mt-1 text-ink-muted text-xs">
          <Trans>
            The {formatCount(LISTED_MAX)} largest of {formatCount(count)}.
          </Trans>
        </p>
      )}
    </div>
  );
}
