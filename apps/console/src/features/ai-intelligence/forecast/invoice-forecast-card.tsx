import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, useState } from "react";
import { InvoiceLines } from "#components/billing/invoice-lines.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { describeProjection } from "#components/forecast/projection.view-model.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import {
  type InvoiceForecast,
  invoiceForecastQuery,
  type ProjectedInvoice,
} from "#platform/forecast-queries.ts";
import { formatPercent } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { describeAccuracy } from "./accuracy.view-model.ts";

/** The invoices that are to come, by what bills. */
export function InvoiceForecastCard({ tenant: { tenantId } }: { tenant: OwnTenant }) {
  const forecast = useQuery(invoiceForecastQuery(usePlatform().api, tenantId));
  const { data } = forecast;
  return (
    <Card
      title={t`Projected invoice`}
      description={t`Forecast usage, priced as the invoice will be: tiers, included units, caps, credit and tax count.`}
    >
      {data === undefined ? (
        forecast.isError ? (
          <FailureNotice
            what={t`The projection could not be loaded.`}
            cause={forecast.error}
            onRetry={() => void forecast.refetch()}
          />
        ) : (
          <Skeleton className="h-32 w-full" />
        )
      ) : (
        <Projection forecast={data} />
      )}
    </Card>
  );
}

function Projection({ forecast }: { forecast: InvoiceForecast }) {
  const { state, invoices, currency, history, runningTotal, days90, accuracy } = forecast;
  const [next, ...later] = invoices;
  if (state === "not_enough_history") {
    return (
      <p>
        <Trans>
          {runningTotal !== null &&
            t`${formatMoney(runningTotal, currency)} so far. Where it will end takes `}
          {runningTotal === null && t`A projection takes `}
          {String(history.needed)} days of usage; there are {String(history.days)}.
        </Trans>
      </p>
    );
  }
  if (next === undefined) {
    return (
      <p className="text-ink-muted">
        <Trans>No upcoming invoice: the plan charges nothing.</Trans>
      </p>
    );
  }
  return (
    <div className="space-y-4">
      <Next invoice={next} currency={currency} runningTotal={runningTotal} />
      {later.length > 0 && (
        <dl className="space-y-1 border-line border-t pt-3 tabular-nums">
          {later.map((invoice) => (
            <Row key={invoice.issuesAt} label={formatDate(invoice.issuesAt)}>
              {describeProjection(invoice.total, currency)}
            </Row>
          ))}
          {days90 !== null && (
            <Row label={t`Within 90 days`}>{describeProjection(days90, currency)}</Row>
          )}
        </dl>
      )}
      <p className="text-ink-muted text-sm">{describeAccuracy(accuracy)}</p>
    </div>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt className="text-ink-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type NextProps = {
  invoice: ProjectedInvoice;
  currency: string;
  runningTotal: string | null;
};

/** The next invoice with its range; its lines on demand. */
function Next({ invoice, currency, runningTotal }: NextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { total, due, issuesAt, lines } = invoice;
  const money = (amount: string) => formatMoney(amount, currency);
  return (
    <>
      <div className="tabular-nums">
        <p className="font-semibold text-xl">{money(total.mean)}</p>
        <p>
          {formatPercent(0.8)}: {money(total.lower80)} – {money(total.upper80)}
          <span className="text-ink-muted">
            {" "}
            · {formatPercent(0.95)}: {money(total.lower95)} – {money(total.upper95)}
          </span>
        </p>
        <p className="mt-1 text-ink-muted text-sm">
          <Trans>
            To be issued on {formatDate(issuesAt)}.
            {runningTotal !== null && t` ${money(runningTotal)} if nothing more is used.`}
            {due.mean !== total.mean && t` ${money(due.mean)} are left to pay after credit.`}
          </Trans>
        </p>
      </div>
      <div>
        <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t`Hide lines` : t`Show lines`}
        </Button>
        {isOpen && (
          <div className="mt-3">
            <InvoiceLines
              label={t`Lines of the projected invoice`}
              lines={lines}
              currency={currency}
              issuedAt={issuesAt}
            />
          </div>
        )}
      </div>
    </>
  );
}
