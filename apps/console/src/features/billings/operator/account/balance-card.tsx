import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type BillingPlace, subscriptionQuery } from "#platform/billing-queries.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";

/** What a tenant has to its credit, and the dates to come. That they could not be loaded, the plan's panel says. */
export function BalanceCard({ place }: { place: BillingPlace }) {
  const { data } = useQuery(subscriptionQuery(usePlatform().api, place));
  return (
    <Card title={t`Balance`} description={t`Credit that the next invoice takes first.`}>
      {data === undefined ? (
        <Skeleton className="h-8 w-28" />
      ) : (
        <>
          <p className="font-semibold text-xl tabular-nums">
            {formatMoney(data.balance, data.currency)}
          </p>
          <h3 className="mt-4 mb-1 font-medium">
            <Trans>Upcoming</Trans>
          </h3>
          {data.dates.length === 0 ? (
            <p className="text-ink-muted">
              <Trans>No date is set.</Trans>
            </p>
          ) : (
            <ol className="space-y-1.5">
              {data.dates.map(({ at, kind, text }) => (
                <li key={`${at} ${kind} ${text}`} className="flex gap-3">
                  <time
                    dateTime={at}
                    className="w-24 shrink-0 text-ink-muted whitespace-nowrap tabular-nums"
                  >
                    {formatDate(at)}
                  </time>
                  <span className="min-w-0">{text}</span>
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </Card>
  );
}
