import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Skeleton } from "@turnpike/ui/skeleton";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { useEffect, useRef } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { type Invoice, subscriptionQuery } from "#platform/billing-queries.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { billingsQueries } from "./billings.queries.ts";
import type { BillingsProps } from "./billings-props.ts";
import { toInvoiceBadge } from "./invoice.view-model.ts";
import { InvoiceDocument } from "./invoice-document.tsx";
import { InvoiceDownloads } from "./invoice-downloads.tsx";
import { PayCard } from "./payments/pay-card.tsx";

export type InvoicePageProps = BillingsProps & { invoiceId: Invoice["invoiceId"] };

/** One invoice, as it was issued, with what happened to it since. */
export function InvoicePage(props: InvoicePageProps) {
  const { tenant, invoiceId } = props;
  const { api } = usePlatform();
  const content = useRef<HTMLDivElement>(null);
  const invoice = useQuery(billingsQueries.invoice(api, tenant.tenantId, invoiceId));
  const { data } = invoice;
  // A link may lead to an invoice of the environment that the address does not name.
  const place = { ...props.place, environment: data?.environment ?? props.place.environment };
  const subscription = useQuery(subscriptionQuery(api, place));
  // The outside system is the document's focus, which was on a row of the list.
  useEffect(() => content.current?.querySelector("h1")?.focus({ preventScroll: true }), []);
  const badge = data && toInvoiceBadge(data, subscription.data?.now);
  return (
    <div ref={content}>
      <Page
        title={data === undefined ? t`Invoice` : t`Invoice ${data.number}`}
        purpose={
          data === undefined
            ? t`Lines, taxes and payments of one invoice.`
            : t`Issued on ${formatDate(data.issuedAt)}, due on ${formatDate(data.dueAt)}.`
        }
        {...(data !== undefined && { action: <InvoiceDownloads invoice={data} /> })}
      >
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <ButtonLink look="quiet" size="small" link={<Link to="/billings" search={{}} />}>
            <ArrowLeft aria-hidden="true" className="size-3.5" />
            <Trans>All invoices</Trans>
          </ButtonLink>
          {badge !== undefined && <Badge tone={badge.tone}>{badge.label}</Badge>}
          {data?.environment === "test" && (
            <Badge tone="warning">
              <Trans>Sandbox, nothing is owed</Trans>
            </Badge>
          )}
        </div>
        {data !== undefined ? (
          <InvoiceDocument
            {...props}
            place={place}
            invoice={data}
            aside={
              data.state !== "void" && <PayCard tenant={tenant} place={place} invoice={data} />
            }
          />
        ) : invoice.isError ? (
          <FailureNotice
            what={t`The invoice could not be loaded.`}
            cause={invoice.error}
            onRetry={() => void invoice.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading the invoice`}>
            <Skeleton className="h-96 w-full rounded-card" />
          </div>
        )}
      </Page>
    </div>
  );
}
