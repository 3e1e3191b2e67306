import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "@turnpike/ui/empty-state";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Skeleton } from "@turnpike/ui/skeleton";
import ChartColumn from "lucide-react/icons/chart-column";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { CurrencyRevenue } from "./currency-revenue.tsx";
import { Definitions } from "./definitions.tsx";
import { revenueQuery } from "./reports.queries.ts";
import { withoutEmptyStart } from "./revenue.view-model.ts";
import { RevenueRows } from "./revenue-rows.tsx";

/** What subscriptions bring, each currency for itself. */
export function RevenueTab({ search, onSearchChange }: AllInvoicesProps) {
  const { api } = usePlatform();
  const revenue = useQuery(revenueQuery(api));
  const { data } = revenue;
  if (data === undefined) {
    return revenue.isError ? (
      <FailureNotice
        what={t`Revenue could not be loaded.`}
        cause={revenue.error}
        onRetry={() => void revenue.refetch()}
      />
    ) : (
      <div role="status" aria-label={t`Loading revenue`} className="space-y-4">
        <Skeleton className="h-28 w-full rounded-card" />
        <Skeleton className="h-80 w-full rounded-card" />
      </div>
    );
  }
  const shown =
    data.currencies.find(({ currency }) => currency === search.currency) ?? data.currencies[0];
  if (shown === undefined) {
    return (
      <EmptyState icon={<ChartColumn />} title={t`No revenue yet`}>
        <Trans>
          Recurring revenue begins with the first live subscription to a plan with a fee, and is
          recorded from then on as it changes. Sandboxes bring none.
        </Trans>
      </EmptyState>
    );
  }
  const choose = (currency: string) => onSearchChange({ view: "all", report: "revenue", currency });
  return (
    <div className="space-y-4">
      {data.currencies.length > 1 && (
        <div className="space-y-1">
          <SegmentedControl
            label={t`Currency`}
            segments={data.currencies.map(({ currency }) => ({ value: currency, label: currency }))}
            value={shown.currency}
            onValueChange={choose}
          />
          <p className="text-ink-muted text-xs">
            <Trans>
              Each currency is counted for itself; nothing is converted or added across them.
            </Trans>
          </p>
        </div>
      )}
      <CurrencyRevenue
        revenue={withoutEmptyStart(shown)}
        onOpen={(month, rows) =>
          onSearchChange({ view: "all", report: "revenue", currency: shown.currency, month, rows })
        }
        onOpenOverdue={(age) =>
          onSearchChange({
            view: "all",
            report: "dunning",
            currency: shown.currency,
            ...(age === undefined ? {} : { age }),
          })
        }
      />
      <Definitions />
      {search.month !== undefined && search.rows !== undefined && (
        <RevenueRows
          key={`${search.month} ${search.rows} ${shown.currency}`}
          month={search.month}
          rows={search.rows}
          currency={shown.currency}
          total={shown.months.find(({ month }) => month === search.month)}
          onClose={() => choose(shown.currency)}
          onOpenTenant={(owner) => onSearchChange({ view: "all", owner })}
        />
      )}
    </div>
  );
}
