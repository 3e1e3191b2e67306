import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Skeleton } from "@turnpike/ui/skeleton";
import { formatCount } from "#platform/format.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import type { InvoiceSum } from "./all-invoices.queries.ts";

/** What all invoices that match come to, each currency for itself: money of two currencies is never added. */
export function CurrencySums({ sums }: { sums: readonly InvoiceSum[] | undefined }) {
  if (sums === undefined) {
    return (
      <div role="status" aria-label={t`Loading the sums`}>
        <Skeleton className="h-20 w-full rounded-card" />
      </div>
    );
  }
  return (
    <ul
      aria-label={t`Sums of what matches`}
      className="grid gap-3 empty:hidden sm:grid-cols-[repeat(auto-fill,minmax(18rem,1fr))]"
    >
      {sums.map(({ currency, count, total, due }) => (
        <li key={currency} className="rounded-card border border-line bg-surface px-4 py-3">
          <p className="flex justify-between gap-3 text-ink-muted text-xs">
            <span className="font-medium">{currency}</span>
            <span className="tabular-nums">
              {formatCount(count)} {plural(count, { one: "invoice", other: "invoices" })}
            </span>
          </p>
          <dl className="mt-1 flex justify-between gap-4 tabular-nums">
            <div>
              <dt className="text-ink-muted text-xs">
                <Trans>Invoiced</Trans>
              </dt>
              <dd className="font-semibold text-lg">{formatMoney(total, currency)}</dd>
            </div>
            <div className="text-right">
              <dt className="text-ink-muted text-xs">
                <Trans>To pay</Trans>
              </dt>
              <dd className={isZero(due) ? "text-lg text-ink-muted" : "font-semibold text-lg"}>
                {formatMoney(due, currency)}
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}
