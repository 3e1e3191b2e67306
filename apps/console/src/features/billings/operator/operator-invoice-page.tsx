import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Skeleton } from "@turnpike/ui/skeleton";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { useEffect, useRef } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import type { Invoice } from "#platform/billing-queries.ts";
import type { Environment } from "#platform/current-environment.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { billingsQueries } from "../billings.queries.ts";
import { toInvoiceBadge } from "../invoice.view-model.ts";
import { InvoiceDocument } from "../invoice-document.tsx";
import { InvoiceDownloads } from "../invoice-downloads.tsx";
import { asTenantId } from "./account/billed-tenant.query.ts";
import type { AllInvoicesProps } from "./all-invoices-props.ts";
import { closeLine, toListAddress } from "./all-invoices-search.view-model.ts";
import { InvoiceActions } from "./invoice-actions.tsx";
import { CollectionCard } from "./payments/collection-card.tsx";

export type OperatorInvoicePageProps = AllInvoicesProps & {
  environment: Environment;
  invoiceId: Invoice["invoiceId"];
  /** Id of the tenant. */
  owner: string;
};

/** One invoice of any tenant as its customer sees it, with what an operator can do to it. */
export function OperatorInvoicePage(props: OperatorInvoicePageProps) {
  const { search, onSearchChange, invoiceId } = props;
  const { api } = usePlatform();
  const content = useRef<HTMLDivElement>(null);
  const tenantId = asTenantId(props.owner);
  const invoice = useQuery(billingsQueries.invoice(api, tenantId, invoiceId));
  const { data } = invoice;
  const environment = data?.environment ?? props.environment;
  // The outside system is the document's focus, which was on a row of the list.
  useEffect(() => content.current?.querySelector("h1")?.focus({ preventScroll: true }), []);
  const badge =
    data &&
    toInvoiceBadge(
      data,
      environment === "live" ? new Date(invoice.dataUpdatedAt).toISOString() : undefined,
    );
  return (
    <div ref={content}>
      <Page
        title={data === undefined ? t`Invoice` : t`Invoice ${data.number}`}
        purpose={
          data === undefined
            ? t`Lines, taxes and payments of one invoice.`
            : t`To ${data.tenantName}, issued on ${formatDate(data.issuedAt)}, due on ${formatDate(data.dueAt)}.`
        }
        {...(data !== undefined && { action: <InvoiceActions invoice={data} /> })}
      >
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <Button
            look="quiet"
            size="small"
            className="-ml-2.5"
            onClick={() => onSearchChange(toListAddress(search))}
          >
            <ArrowLeft aria-hidden="true" className="size-3.5" />
            <Trans>Invoices of all tenants</Trans>
          </Button>
          {badge !== undefined && <Badge tone={badge.tone}>{badge.label}</Badge>}
          {environment === "test" && (
            <Badge tone="warning">
              <Trans>Sandbox, nothing is owed</Trans>
            </Badge>
          )}
          {data !== undefined && (
            <Link
              to="/billings"
              search={{ view: "all", owner: data.tenantId }}
              className="font-medium text-sm underline underline-offset-4"
            >
              <Trans>Billing of {data.tenantName}</Trans>
            </Link>
          )}
          {data !== undefined && (
            <div className="flex flex-wrap gap-2 sm:ml-auto">
              <InvoiceDownloads invoice={data} />
            </div>
          )}
        </div>
        {data !== undefined ? (
          <div className="space-y-4">
            <InvoiceDocument
              place={{ tenantId, environment }}
              invoice={data}
              search={search}
              onSearchChange={(next) => onSearchChange({ ...closeLine(search), ...next })}
            />
            <CollectionCard tenantId={data.tenantId} invoiceId={data.invoiceId} />
          </div>
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
