import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Card } from "@turnpike/ui/card";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import ReceiptText from "lucide-react/icons/receipt-text";
import { isInAdvance } from "#components/billing/invoice-line.view-model.ts";
import { InvoiceLines } from "#components/billing/invoice-lines.tsx";
import { InvoiceSums } from "#components/billing/invoice-sums.tsx";
import { listPending } from "#components/billing/subscription.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import { ProjectedLine } from "#components/forecast/projected-line.tsx";
import {
  type Subscription,
  subscriptionQuery,
  type UpcomingInvoice,
  upcomingInvoiceQuery,
} from "#platform/billing-queries.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate, formatMinute, formatSpan } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { RUNNING_REFRESH_MS } from "./billings.queries.ts";
import type { BillingsProps } from "./billings-props.ts";
import { withoutLine } from "./billings-search.view-model.ts";
import { LineSheet } from "./line-sheet.tsx";

/** What the next invoice comes to so far. It moves while calls come in. */
export function RunningInvoice({ place, search, onSearchChange }: BillingsProps) {
  const { api } = usePlatform();
  const upcoming = useQuery(upcomingInvoiceQuery(api, place, { refetchMs: RUNNING_REFRESH_MS }));
  const subscription = useQuery(subscriptionQuery(api, place)).data;
  const { data } = upcoming;
  if (data === undefined) {
    return (
      <Card title={t`Running invoice`}>
        {upcoming.isError ? (
          <FailureNotice
            what={t`The running invoice could not be loaded.`}
            cause={upcoming.error}
            onRetry={() => void upcoming.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading the running invoice`} className="space-y-3">
            <Skeleton className="h-8 w-40" />
            <Skeleton className="h-40 w-full" />
          </div>
        )}
      </Card>
    );
  }
  if (data.lines.length === 0) {
    return <NothingYet isSandbox={place.environment === "test"} subscription={subscription} />;
  }
  return (
    <>
      <Card
        title={t`Running invoice`}
        description={describe(data)}
        aside={<SoFar invoice={data} isSandbox={place.environment === "test"} />}
      >
        <InvoiceLines
          label={t`Lines of the running invoice`}
          lines={data.lines}
          currency={data.currency}
          issuedAt={data.issuesAt}
          onOpen={(line) => onSearchChange({ ...withoutLine(search), line })}
        />
        <div className="border-line border-t pt-3">
          <InvoiceSums sums={data} dueLabel={t`Due so far`} />
          {place.environment === "live" && (
            <div className="mt-3">
              <ProjectedLine tenantId={place.tenantId} />
            </div>
          )}
        </div>
      </Card>
      <LineSheet
        place={place}
        invoiceId="upcoming"
        lines={data.lines}
        currency={data.currency}
        search={search}
        onSearchChange={onSearchChange}
      />
    </>
  );
}

/** What it is of, and when it is issued: fees in advance are of the period after. */
function describe({ issuesAt, lines, from, to }: UpcomingInvoice): string {
  if (issuesAt === null) {
    return formatSpan(from, to) ?? t`What was used so far.`;
  }
  const hasFees = lines.some((line) => isInAdvance(line, issuesAt));
  const what = hasFees ? t`usage so far, and the fees of the next period` : t`usage so far`;
  return t`To be issued on ${formatDate(issuesAt)}: ${what}.`;
}

/** The sum so far, and how old it is. Digits of one width keep it where it is. */
function SoFar({ invoice, isSandbox }: { invoice: UpcomingInvoice; isSandbox: boolean }) {
  return (
    <div className="text-right">
      <p className="font-semibold text-xl tabular-nums">
        {formatMoney(invoice.due, invoice.currency)}
      </p>
      <p className="text-ink-muted text-xs">
        {isSandbox ? (
          // Another clock than the reader's: "in 2 months" would say nothing.
          t`as of ${formatMinute(invoice.asOf)}`
        ) : (
          <>
            <Trans>as of</Trans> <RelativeTime at={invoice.asOf} />
          </>
        )}
      </p>
    </div>
  );
}

type NothingYetProps = { isSandbox: boolean; subscription: Subscription | undefined };

function NothingYet({ isSandbox, subscription }: NothingYetProps) {
  const pending = subscription === undefined ? [] : listPending(subscription);
  return (
    <Card title={t`Running invoice`}>
      <EmptyState
        icon={<ReceiptText />}
        title={t`Nothing to invoice`}
        action={
          <ButtonLink link={<Link to="/plans" />}>
            {pending.length === 0 ? t`Compare plans` : t`Open plans`}
          </ButtonLink>
        }
      >
        {/* Of a plan that is paid for, and is going to change or end, it would be wrong to ask for one. */}
        {subscription !== undefined && pending.length > 0
          ? [t`Nothing more is due for ${subscription.planName} so far.`, ...pending].join(" ")
          : isSandbox
            ? t`No plan is running in the sandbox. Choose one to see its invoices without owing anything.`
            : t`Your plan charges nothing so far. Choose a paid plan and its fees and usage appear here as they come up.`}
      </EmptyState>
    </Card>
  );
}
