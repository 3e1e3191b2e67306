import { t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { homeQueries } from "./home.queries.ts";

const LINK = "mt-2 inline-block font-medium underline underline-offset-4";

/** Recurring revenue over all tenants, by currency, and what is overdue. */
export function RevenueCard() {
  const revenue = useQuery(homeQueries.revenue(usePlatform().api));
  return (
    <Card title={t`Revenue`} description={t`Recurring each month, over all tenants.`}>
      {revenue.data === undefined ? (
        revenue.isError ? (
          <FailureNotice
            what={t`The revenue could not be loaded.`}
            cause={revenue.error}
            onRetry={() => void revenue.refetch()}
          />
        ) : (
          <Skeleton className="h-16 w-full opacity-50" />
        )
      ) : revenue.data.currencies.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>None yet. It begins with the first customer on a plan with a price.</Trans>
        </p>
      ) : (
        <dl className="space-y-3">
          {revenue.data.currencies.map(({ currency, mrr, customers, overdue }) => (
            <div key={currency}>
              <dt className="sr-only">{currency}</dt>
              <dd>
                <p className="font-semibold text-xl tabular-nums tracking-tight">
                  {formatMoney(mrr, currency)}
                </p>
                <p className="text-ink-muted text-xs">
                  <Trans>
                    from {formatCount(customers)}{" "}
                    <Plural value={customers} one="customer" other="customers" />
                  </Trans>
                </p>
                {overdue.count > 0 && (
                  <p className="mt-1 text-warning">
                    <Trans>
                      {formatMoney(overdue.due, currency)} overdue on {formatCount(overdue.count)}{" "}
                      <Plural value={overdue.count} one="invoice" other="invoices" />
                    </Trans>
                  </p>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Link to="/billings" search={{ view: "all" }} className={LINK}>
        <Trans>All invoices</Trans>
      </Link>
    </Card>
  );
}
